"""The lanes of one process, in two halves that stop one after the other: first the thinking, then the posting."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from host.embedded import EmbeddedLanes
from host.lanes import Drain
from store.clock import Clock
from store.database import Transaction

POSTING: Final = ("publish", "chat")
"""Lanes that bring to the chats what is already said; they get a moment to finish when the program stops."""

FLUSH: Final = 3.0
"""Seconds for that."""


class Engine:
    """Implements `Lanes` over two embedded engines."""

    def __init__(self, clock: Clock, on_fault: Callable[[str], None]) -> None:
        self._clock = clock
        self._thinking = EmbeddedLanes(clock, on_fault)
        self._posting = EmbeddedLanes(clock, on_fault)

    @property
    def failing(self) -> list[str]:
        """The lanes whose last drain failed and which wait for their next try."""
        return [*self._thinking.failing, *self._posting.failing]

    async def wake(self, tx: Transaction, lane: str) -> None:
        await self._half(lane).wake(tx, lane)

    async def wake_at(self, tx: Transaction, lane: str, when: datetime) -> None:
        await self._half(lane).wake_at(tx, lane, when)

    def wake_now(self, lane: str) -> None:
        """Drain `lane` without waiting for a transaction."""
        self._half(lane).wake_now(lane)

    async def run(self, drain: Drain) -> None:
        """Work until cancelled: runs are parked first, then what they said is still published and sent."""
        posting = asyncio.create_task(self._posting.run(drain), name="engine.posting")
        thinking = asyncio.create_task(self._thinking.run(drain), name="engine.thinking")
        try:
            await asyncio.wait((thinking, posting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _end(thinking)
            await self._flush()
            await _end(posting)
        for half in (thinking, posting):
            half.result()

    async def _flush(self) -> None:
        patience = asyncio.ensure_future(self._clock.sleep(FLUSH))
        idle = asyncio.ensure_future(self._posting.idle())
        await asyncio.wait((patience, idle), return_when=asyncio.FIRST_COMPLETED)
        for each in (patience, idle):
            each.cancel()

    def _half(self, lane: str) -> EmbeddedLanes:
        return self._posting if lane.startswith(POSTING) else self._thinking


def by_prefix(drains: Mapping[str, Drain]) -> Drain:
    """One drain for all lanes: `room:42` goes, as it is, to the drain of "room"."""

    async def drain(lane: str) -> None:
        await drains[lane.partition(":")[0]](lane)

    return drain


def of_name(drain: Drain) -> Drain:
    """A drain that wants the name alone: of `room:42` it gets "42"."""

    async def drain_name(lane: str) -> None:
        await drain(lane.partition(":")[2])

    return drain_name


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.wait((task,))
