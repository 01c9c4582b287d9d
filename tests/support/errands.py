"""Tools that ask before they run, for tests: `mail` (not safe), `look` (safe), and `count`, which never asks."""

import asyncio
from collections.abc import Sequence
from typing import Final

from host.agent import Tool, ToolCall
from host.toolbox import Bench

NAMES: Final = ("mail", "look", "count")


class Errands:
    """A source of them. `done` are the calls that began: (tool, agent, arguments); `stuck` ones never return."""

    def __init__(self, *, stuck: bool = False) -> None:
        self.done: list[tuple[str, str, dict[str, object]]] = []
        self.begun = asyncio.Event()
        self._stuck = stuck

    async def tools(self, names: Sequence[str], bench: Bench) -> list[Tool]:
        return [self._tool(name, bench.agent.id) for name in NAMES if name in names]

    def _tool(self, name: str, agent_id: str) -> Tool:
        async def run(call: ToolCall) -> object:
            self.done.append((name, agent_id, dict(call.arguments or {})))
            self.begun.set()
            if self._stuck:
                await asyncio.Event().wait()
            return f"{name}: done"

        return Tool(
            name=name,
            description=f"Runs the errand {name}.",
            schema={"type": "object", "properties": {}},
            run=run,
            safe=name != "mail",
            asks=name != "count",
        )
