"""What an agent may name: the models and tools of this instance, for lists to choose from."""

from typing import Final

from bridge.api.call import Call
from bridge.api.routes import Routes
from bridge.shape import Shape

routes: Final = Routes("agents")


class ModelChoice(Shape):
    """A `[models.*]` table. `default`: what agents without one use; `offline`: the demo model, which does not think."""

    name: str
    default: bool
    offline: bool


class Choices(Shape):
    """Names that an agent's `model` and `tools` may have."""

    models: list[ModelChoice]
    tools: list[str]


@routes.add("GET", "/api/choices")
async def index(call: Call) -> Choices:
    """The models and tools of this instance."""
    parts = call.parts
    return Choices(
        models=[
            ModelChoice(name=name, default=name == parts.default_model, offline=name in parts.offline_models)
            for name in sorted(parts.models)
        ],
        tools=list(parts.tools),
    )
