"""Socket Mode, supervised: connects for ever, overlaps two connections at a refresh, notices a dead one.

Facts: any frame may come over any of an app's connections; Slack warns about ten seconds before it closes one; a token
that is refused, and Socket Mode switched off, stay so until the owner acts, so nobody is asked in a loop.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import structlog

from channels.clock import Clock
from channels.slack.api import Api, Patience
from channels.slack.faults import Busy, Refusal, SlackFault
from channels.slack.link import Link, open_link
from channels.types import ChannelState

log = structlog.get_logger(__name__)

Take = Callable[[str, Mapping[str, Any]], Awaitable[None]]
"""Takes an envelope's kind and payload in durably. If it raises, the envelope is not acknowledged and comes again."""

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_SHORT_LIFE: Final = 5.0
"""Seconds; who is sent away sooner does not come back at once."""

_OWNERS_PAUSE: Final = 60.0
"""Seconds between two attempts that only the owner can make succeed; grows to ten times that."""

_MOST_AT_ONCE: Final = 500
"""Envelopes in work; more are not taken, and come again."""

_SWITCHED_OFF: Final = "link_disabled"
_TOO_MANY: Final = "too_many_websockets"
_WORDS: Final = {
    _SWITCHED_OFF: "Socket Mode is switched off: switch it on in the app's settings",
    _TOO_MANY: "Slack allows ten connections to an app: other programs use its app token",
}
_REFUSED: Final = frozenset({"invalid_auth", "not_allowed_token_type", "forbidden_team", "token_revoked", "not_authed"})


class _Connection:
    """A link that is being read: `greeted` when Slack said hello, `leaving` when it ends or is about to."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.greeted = asyncio.Event()
        self.leaving: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.heard_at = 0.0
        self.reader: asyncio.Task[None] | None = None

    def leave(self, reason: str) -> None:
        if not self.leaving.done():
            self.leaving.set_result(reason)


class Sockets:
    """The connections of one app token."""

    def __init__(
        self,
        api: Api,
        take: Take,
        clock: Clock,
        patience: Patience,
        *,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._api = api
        self._take = take
        self._clock = clock
        self._patience = patience
        self._jitter = jitter
        self._connections: set[_Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._reason = "connecting"

    def state(self) -> ChannelState:
        """Connected while at least one greeted connection is open."""
        if any(one.greeted.is_set() and one.link.is_open for one in self._connections):
            return ChannelState(connected=True)
        return ChannelState(connected=False, reason=self._reason)

    async def run(self) -> None:
        """Until cancelled. Nothing that Slack or a network does ends it."""
        before: _Connection | None = None
        while True:
            current = await self._connected()
            since = self._clock.monotonic()
            if before is not None:
                self._spawn(self._retire(before), "retire")
            reason = await self._leaving(current)
            log.info("A connection to Slack ends", reason=reason)
            self._reason = _WORDS.get(reason, "the connection to Slack was lost")
            if reason in _WORDS:
                await self._end(current)
                await self._clock.sleep(_OWNERS_PAUSE)
            elif self._clock.monotonic() - since < _SHORT_LIFE:
                await self._clock.sleep(_FIRST_PAUSE)
            before = current

    async def close(self) -> None:
        """Read no more; what is in work is let finish for a moment, so that it is acknowledged."""
        connections = list(self._connections)
        for one in connections:
            if one.reader is not None:
                one.reader.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._patience.end)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(self._end(one) for one in connections), return_exceptions=True)

    async def _connected(self) -> _Connection:
        """A greeted connection, however long that takes."""
        pause, owners = _FIRST_PAUSE, _OWNERS_PAUSE
        while True:
            try:
                return await self._connect()
            except Busy as busy:
                self._reason, seconds = str(busy), busy.retry_after
            except Refusal as refusal:
                self._reason, seconds = _advice(refusal), owners
                owners = min(owners * 2, _OWNERS_PAUSE * 10)
            except (SlackFault, TimeoutError) as fault:
                self._reason, seconds = str(fault) or "Slack does not greet the connection", pause
                pause = min(pause * 2, _LONGEST_PAUSE)
            log.warning("Slack is not connected", reason=self._reason)
            await self._clock.sleep(seconds * (0.8 + 0.4 * self._jitter()))

    async def _connect(self) -> _Connection:
        one = _Connection(await open_link(self._api, self._patience))
        one.heard_at = self._clock.monotonic()
        self._connections.add(one)
        one.reader = asyncio.create_task(self._read(one), name="slack socket")
        try:
            async with asyncio.timeout(self._patience.hello):
                await one.greeted.wait()
        except TimeoutError:
            await self._end(one)
            raise
        return one

    async def _leaving(self, one: _Connection) -> str:
        """Why the connection is to be replaced: Slack says so, it ended, or it is silent for too long."""
        while not one.leaving.done():
            left = one.heard_at + self._patience.silent - self._clock.monotonic()
            if left <= 0:
                return "silent"
            bell = asyncio.ensure_future(self._clock.sleep(left))
            try:
                await asyncio.wait((one.leaving, bell), return_when=asyncio.FIRST_COMPLETED)
            finally:
                bell.cancel()
        return one.leaving.result()

    async def _read(self, one: _Connection) -> None:
        try:
            async for frame in one.link.frames():
                one.heard_at = self._clock.monotonic()
                self._hear(one, frame)
        except Exception:
            log.exception("A connection to Slack broke")
        finally:
            one.leave("closed")
            self._connections.discard(one)

    def _hear(self, one: _Connection, frame: Mapping[str, Any]) -> None:
        kind, envelope_id, payload = frame.get("type"), frame.get("envelope_id"), frame.get("payload")
        if kind == "hello":
            one.greeted.set()
        elif kind == "disconnect":
            one.leave(str(frame.get("reason") or "closed"))
        elif not (isinstance(envelope_id, str) and isinstance(kind, str) and isinstance(payload, dict)):
            log.debug("A frame of Slack's means nothing to us", kind=kind)
        elif len(self._tasks) < _MOST_AT_ONCE:
            self._spawn(self._work(one.link, envelope_id, kind, payload), "envelope")

    async def _work(self, link: Link, envelope_id: str, kind: str, payload: Mapping[str, Any]) -> None:
        """Store, then acknowledge."""
        try:
            await self._take(kind, payload)
        except Exception:
            log.exception("An envelope could not be taken in, and will come again", kind=kind)
            return
        try:
            await link.acknowledge(envelope_id)
        except (OSError, RuntimeError) as fault:
            log.info("An envelope could not be acknowledged, and will come again", fault=type(fault).__name__)

    async def _retire(self, one: _Connection) -> None:
        """It may still deliver for a moment; a new one is there already."""
        await self._clock.sleep(self._patience.linger)
        await self._end(one)

    async def _end(self, one: _Connection) -> None:
        await one.link.close()
        if one.reader is not None:
            one.reader.cancel()
            await asyncio.wait((one.reader,))

    def _spawn(self, work: Any, name: str) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work, name=f"slack {name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _advice(refusal: Refusal) -> str:
    if refusal.code in _REFUSED:
        return f"Slack does not accept the app token ({refusal.code}): it needs connections:write"
    if refusal.code == _SWITCHED_OFF:
        return _WORDS[_SWITCHED_OFF]
    return f"Slack refuses a connection ({refusal.code})"
