"""Templates to make experts of: those that come with the program, and those that people of this instance published."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from bridge.api.call import Call
from bridge.api.errors import param_invalid
from bridge.notices import Locale
from bridge.templates import BUNDLED, Bundled
from store.agents import Agent, find_agent, list_published
from store.database import Transaction

Source = Literal["portal", "instance"]
INSTANCE: Final = "instance:"
"""What is published here has this before its name: an agent may be called like a bundled template."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """What an expert can be made of. `template_name` is the bundled one's name, or `instance:` and the agent's id."""

    template_name: str
    source: Source
    name: str
    description: str
    icon: str
    instructions: str
    color: str = ""
    welcome: str = ""
    tools: tuple[str, ...] = ()
    owner_id: str = ""

    def copied(self) -> dict[str, Any]:
        """The columns of an expert that is made of it."""
        return {
            "description": self.description,
            "icon": self.icon,
            "instructions": self.instructions,
            "color": self.color,
            "welcome": self.welcome,
            "tools": list(self.tools),
        }


async def templates(call: Call, tx: Transaction) -> list[Template]:
    """All of them: the bundled ones, then the published ones, newest first."""
    bundled = [_of_bundled(each, call.notices.locale) for each in BUNDLED]
    return bundled + [of_agent(each) for each in await list_published(tx)]


async def template_of(call: Call, tx: Transaction, template_name: str | None) -> Template | None:
    """The named template; None if none is named. Raises ApiError if there is none of this name."""
    if template_name is None:
        return None
    for each in BUNDLED:
        if each.name == template_name:
            return _of_bundled(each, call.notices.locale)
    agent = await find_agent(tx, template_name.removeprefix(INSTANCE))
    if not template_name.startswith(INSTANCE) or agent is None or agent.published_at is None:
        raise param_invalid("template_name", "unknown_template")
    return of_agent(agent)


def of_agent(agent: Agent) -> Template:
    """The template that a published expert is."""
    return Template(
        template_name=f"{INSTANCE}{agent.id}",
        source="instance",
        name=agent.name,
        description=agent.description,
        icon=agent.icon,
        instructions=agent.instructions,
        color=agent.color,
        welcome=agent.welcome,
        tools=tuple(agent.tools),
        owner_id=agent.owner_id,
    )


def _of_bundled(bundled: Bundled, locale: Locale) -> Template:
    texts = bundled.texts[locale]
    return Template(
        template_name=bundled.name,
        source="portal",
        name=texts.name,
        description=texts.description,
        icon=bundled.icon,
        instructions=texts.instructions,
    )
