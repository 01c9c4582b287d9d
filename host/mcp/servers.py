"""All configured tool servers, as a source of tools."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from types import TracebackType
from typing import Self

from host.errors import ServerDown, ToolFault
from host.mcp.answer import read_answer
from host.mcp.naming import names_of
from host.mcp.offer import Offer
from host.mcp.server import Server
from host.mcp.spec import Patience, ServerSpec
from host.messages import ToolCall
from host.model import Tool
from host.toolbox import Bench
from store.clock import Clock

Tell = Callable[[Bench, str], Awaitable[None]]
"""`tell(bench, server)`: this server's tools are missing from the run at this bench."""

_DOWN = "The tool server cannot be used now. Go on without it."
"""Why stands in the log: it may be the server's own words, which are not the model's business."""


class Servers:
    """A `host.toolbox.Source`. Nothing is started before an agent needs it; everything ends with the context."""

    def __init__(self, specs: Iterable[ServerSpec], clock: Clock, tell: Tell, patience: Patience | None = None) -> None:
        self._servers = {spec.name: Server(spec, clock, patience or Patience()) for spec in specs}
        self._tell = tell

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """End all that were started; may be called twice."""
        await asyncio.gather(*(server.stop() for server in self._servers.values()))

    async def tools(self, names: Sequence[str], bench: Bench) -> list[Tool]:
        """The tools of the servers among `names`. A server that is down costs its own, and people are told."""
        asked = [self._servers[name] for name in dict.fromkeys(names) if name in self._servers]
        found = await asyncio.gather(*(self._tools_of(server, bench) for server in asked))
        return [tool for tools in found for tool in tools]

    async def _tools_of(self, server: Server, bench: Bench) -> list[Tool]:
        try:
            offers = (await server.offers()).fit
        except ServerDown:
            await self._tell(bench, server.spec.name)
            return []
        names = names_of(server.spec.name, (offer.name for offer in offers))
        by_name = dict(zip(names, offers, strict=True))  # a server that forges a name loses the tool, not the request
        return [_tool(server, name, offer) for name, offer in by_name.items()]


def _tool(server: Server, name: str, offer: Offer) -> Tool:
    async def run(call: ToolCall) -> object:
        try:
            return read_answer(await server.call(offer.name, call.arguments or {}))
        except ServerDown as fault:
            raise ToolFault(_DOWN) from fault

    return Tool(
        name=name,
        description=offer.description,
        schema=offer.schema,
        run=run,
        safe=offer.repeatable,
        asks=server.spec.asks(offer.name),
    )
