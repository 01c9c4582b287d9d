"""One tool server: opened when it is first needed, kept, opened again when it was lost, with back-off."""

import asyncio
import importlib
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Final, cast

import structlog

from host.errors import Interrupted, ServerDown
from host.mcp.link import Forgotten, Link
from host.mcp.offer import Offers, read_offers
from host.mcp.spec import EVERY, Patience, ServerSpec
from store.clock import Clock

_LONGEST_REST: Final = 300.0
"""Seconds for which a server that goes on failing is left alone."""

_AGAIN: Final = "The tool server was restarted meanwhile and does not know this connection. Try once more."

log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class _Open:
    """A server that answered, and when it last did."""

    link: Link
    offers: Offers
    heard: float


class Server:
    """Shared by all runs. A task of its own holds the connection, since that must be left where it was entered."""

    def __init__(self, spec: ServerSpec, clock: Clock, patience: Patience) -> None:
        self.spec = spec
        self._clock = clock
        self._patience = patience
        self._life: asyncio.Task[None] | None = None
        self._opening: asyncio.Future[_Open | ServerDown] | None = None
        self._failures = 0
        self._rests_until = 0.0
        self._reason = ""

    async def offers(self) -> Offers:
        """Its tools. Raises ServerDown, after `Patience.run` seconds at the latest if it does not answer."""
        opened = await self._reached()
        try:
            return await self._fresh(opened)
        except ServerDown as fault:
            log.warning("A tool server does not answer any more", server=self.spec.name, reason=fault.reason)
            await self._drop(opened)
            return (await self._reached()).offers

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result as the server gave it. Raises ToolFault, Interrupted, ServerDown."""
        opened = await self._reached()
        try:
            result = await opened.link.call(tool, arguments)
        except Forgotten:
            await self._drop(opened)
            opened = await self._reached()
            result = await self._once_more(opened, tool, arguments)
        opened.heard, self._failures = self._clock.monotonic(), 0
        return result

    async def stop(self) -> None:
        """Let go of it, and end what was started. It is opened again if somebody asks."""
        life, self._life = self._life, None
        if life is None:
            return
        for _ in range(2):  # a second time only if leaving hangs, on a server that does not let go
            life.cancel()
            await asyncio.wait({life}, timeout=self._patience.stop)
            if life.done():
                return

    async def _once_more(self, opened: _Open, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The server had done nothing, so this is no repetition."""
        try:
            return await opened.link.call(tool, arguments)
        except Forgotten as fault:
            raise Interrupted(_AGAIN) from fault

    async def _reached(self) -> _Open:
        """The open server; opens it. Raises ServerDown."""
        if self._life is not None and self._is_lost():
            await asyncio.wait({self._life})
        if self._life is None or self._life.done():
            self._begin()
        assert self._opening is not None
        await asyncio.wait({self._opening}, timeout=self._patience.run)
        if not self._opening.done():
            raise ServerDown("it does not answer yet")
        found = self._opening.result()
        if isinstance(found, ServerDown):
            raise ServerDown(found.reason)
        return found

    def _is_lost(self) -> bool:
        if self._opening is None or not self._opening.done():
            return False
        found = self._opening.result()
        return isinstance(found, ServerDown) or found.link.lost.is_set()

    def _begin(self) -> None:
        """Open it in the background. Raises ServerDown while it has to rest."""
        if self._clock.monotonic() < self._rests_until:
            raise ServerDown(self._reason)
        self._opening = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live(self._opening), name=f"tool server {self.spec.name}")

    async def _live(self, opening: "asyncio.Future[_Open | ServerDown]") -> None:
        try:
            async with await _connected(self.spec, self._patience, self._clock) as link:
                opened = _Open(link=link, offers=await self._listed(link), heard=self._clock.monotonic())
                opening.set_result(opened)
                await link.lost.wait()
                raise ServerDown(link.why)
        except ServerDown as fault:
            self._fail(opening, fault)
        except Exception:
            log.exception("A tool server's connection broke", server=self.spec.name)
            self._fail(opening, ServerDown("an internal error"))
        finally:
            if not opening.done():
                opening.set_result(ServerDown("it is being stopped"))

    def _fail(self, opening: "asyncio.Future[_Open | ServerDown]", fault: ServerDown) -> None:
        """The first failure may be followed by a new start at once; after that it rests, longer each time."""
        self._failures += 1
        rest = 0.0 if self._failures == 1 else min(2.0**self._failures, _LONGEST_REST)
        self._rests_until, self._reason = self._clock.monotonic() + rest, fault.reason
        log.warning("A tool server is down", server=self.spec.name, reason=fault.reason, rest=rest)
        if not opening.done():
            opening.set_result(fault)

    async def _fresh(self, opened: _Open) -> Offers:
        """What it offers now, after a sign of life if it was silent for long. Raises ServerDown."""
        if self._clock.monotonic() - opened.heard > self._patience.idle:
            await opened.link.ping()
            opened.heard = self._clock.monotonic()
        if opened.link.changed:
            opened.offers = await self._listed(opened.link)
        return opened.offers

    async def _drop(self, opened: _Open) -> None:
        """Let go of this connection, unless somebody has done so and there is a new one."""
        if self._opening is not None and self._opening.done() and self._opening.result() is opened:
            await self.stop()

    async def _listed(self, link: Link) -> Offers:
        offers = read_offers(await link.listed())
        for unfit in offers.unfit:
            log.warning("A tool cannot be used", server=self.spec.name, tool=unfit.name[:80], problem=unfit.why)
        known = {offer.name for offer in offers.fit}
        for name in self.spec.approval:
            if name not in known and name != EVERY:
                log.warning("No such tool needs an approval", server=self.spec.name, tool=name)
        return offers


async def _connected(spec: ServerSpec, patience: Patience, clock: Clock) -> AbstractAsyncContextManager[Link]:
    """A connection to enter. Its module is imported in a thread when the first server is needed: half a second."""
    module = await asyncio.to_thread(importlib.import_module, "host.mcp.connection")
    return cast(AbstractAsyncContextManager[Link], module.connected(spec, patience, clock))
