"""What the models cost, by scene."""

from datetime import timedelta
from functools import partial
from typing import Final

from pydantic import Field

from bridge.api.call import Call, Page
from bridge.api.routes import Routes
from bridge.shape import Shape
from store.usage import usage_since

routes: Final = Routes("usage")


class Period(Shape):
    """The last so many days."""

    days: int = Field(default=30, ge=1, le=366)


class UsageShape(Shape):
    """One scene with one model: how many answers, how many tokens. `label` is the scene in the reader's language."""

    scene: str
    label: str
    model: str
    answers: int
    input_tokens: int
    output_tokens: int


@routes.add("GET", "/api/usage")
async def index(call: Call, query: Period) -> Page[UsageShape]:
    """My usage ledger, summed by scene and model."""
    since = call.parts.clock.now() - timedelta(days=query.days)
    sums = await call.read(partial(usage_since, owner_id=call.user.id, since=since))
    items = [
        UsageShape(
            scene=each.scene,
            label=call.notices.say(f"scene.{each.scene}"),
            model=each.model,
            answers=each.answers,
            input_tokens=each.input_tokens,
            output_tokens=each.output_tokens,
        )
        for each in sums
    ]
    return Page(items=items, next=None)
