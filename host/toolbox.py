"""The toolbox: an agent's own tools by the names in its configuration. Each kind of tool is one source."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from host.model import Tool
from store.agents import Agent
from store.sessions import Session
from store.turns import Turn


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Where an agent works in one run: `session` is the one of its turn, `room_id` the room of its job or ""."""

    agent: Agent
    session: Session
    turn: Turn
    room_id: str = ""


class Source(Protocol):
    """Who has tools of one kind."""

    async def tools(self, names: Sequence[str], bench: Bench) -> list[Tool]:
        """Those of its tools that `names` ask for. Never raises: what is broken costs only itself."""


class Toolbox:
    """All sources, asked in order."""

    def __init__(self, *sources: Source) -> None:
        self._sources = sources

    async def tools(self, names: Sequence[str], bench: Bench) -> list[Tool]:
        """The tools behind `names`, in the order of their sources; a later one of the same name is left out."""
        found: dict[str, Tool] = {}
        for source in self._sources if names else ():
            for tool in await source.tools(names, bench):
                found.setdefault(tool.name, tool)
        return list(found.values())
