"""The market: templates of experts, to use by POST /api/agents with their `template_name`, and publishing one's own."""

from functools import partial
from typing import Final, Literal

from bridge.api.agents import CHANGE
from bridge.api.call import Call, Page
from bridge.api.editing import held_agent, refuse_sharing, written_down
from bridge.api.errors import ApiError
from bridge.api.market import Template, of_agent, templates
from bridge.api.routes import Routes
from bridge.shape import Shape
from store.agents import Agent, change_agent
from store.database import Transaction

routes: Final = Routes("experts")

_PUBLISH: Final = ("TEAM_NOT_SHAREABLE", *CHANGE)


class TemplateShape(Shape):
    """A template. `source`: portal (comes with the program) or instance (`owner_id` published it)."""

    template_name: str
    name: str
    description: str
    icon: str
    source: Literal["portal", "instance"]
    owner_id: str


@routes.add("GET", "/api/experts")
async def index(call: Call) -> Page[TemplateShape]:
    """All templates."""
    found = await call.read(partial(templates, call))
    return Page(items=[_shape(each) for each in found], next=None)


@routes.add("POST", "/api/agents/{id}/publish", errors=_PUBLISH)
async def publish(call: Call) -> TemplateShape:
    """Put an expert of mine on the market: everybody here may make one like it, instructions included."""

    async def work(tx: Transaction) -> TemplateShape:
        agent = await _publishable(call, tx)
        if agent.published_at is None:
            await change_agent(tx, agent, {"published_at": tx.now})
            await written_down(call, tx, "agent.publish", agent.id)
        return _shape(of_agent(agent))

    return await call.write(work)


@routes.add("DELETE", "/api/agents/{id}/publish", status=204, errors=_PUBLISH)
async def withdraw(call: Call) -> None:
    """Take an expert of mine off the market; what was made of it stays."""

    async def work(tx: Transaction) -> None:
        agent = await _publishable(call, tx)
        if agent.published_at is not None:
            await change_agent(tx, agent, {"published_at": None})
            await written_down(call, tx, "agent.withdraw", agent.id)

    await call.write(work)


async def _publishable(call: Call, tx: Transaction) -> Agent:
    agent = await held_agent(call, tx)
    refuse_sharing(agent)
    if agent.origin == "config":
        raise ApiError("MANAGED_BY_CONFIG")
    return agent


def _shape(template: Template) -> TemplateShape:
    return TemplateShape(
        template_name=template.template_name,
        name=template.name,
        description=template.description,
        icon=template.icon,
        source=template.source,
        owner_id=template.owner_id,
    )
