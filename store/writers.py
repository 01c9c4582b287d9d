"""The writers of one file: one after the other, and patient with another process only together."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count
from typing import Final

from store.errors import StoreUnavailable

LOCK_PATIENCE: Final = 5.0
"""Seconds that a writer waits for another process before the store counts as unavailable."""

YIELDING: Final = 0.5
"""Who yields stands in line as if it had come so many seconds later."""

_FIRST_PAUSE: Final = 0.002
_LONGEST_PAUSE: Final = 0.05


class Writers:
    """Lets one writer in at a time.

    Whoever brings new work yields to those who finish what has begun: of thirty messages that come at once the first
    is with its model while the last is still being taken in. Nobody is kept waiting for ever by that.

    Whoever queued up behind a writer that another process kept out has waited for the same lock: all of them fail
    with it, instead of one after the other, each after a patience of its own.
    """

    def __init__(self, patience: float = LOCK_PATIENCE) -> None:
        self._patience = patience
        self._latest = float("inf")
        self._is_held = False
        self._line: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._refusals, self._refusal = 0, ""

    def hurry(self, seconds: float) -> None:
        """From now on all waits for another process together take no longer than this."""
        self._latest = asyncio.get_running_loop().time() + seconds

    @asynccontextmanager
    async def turn(self, lock: Callable[[], str], *, yields: bool = False) -> AsyncIterator[None]:
        """Hold the file. `lock` tries once to lock it and says why it could not. Raises StoreUnavailable."""
        before = self._refusals
        await self._enter(YIELDING if yields else 0.0)
        try:
            if self._refusals > before:
                raise StoreUnavailable(self._refusal)
            await self._locked(lock)
            yield
        finally:
            self._leave()

    async def _enter(self, behind: float) -> None:
        if not self._is_held:
            self._is_held = True
            return
        loop = asyncio.get_running_loop()
        called = loop.create_future()
        heappush(self._line, (loop.time() + behind, next(self._numbers), called))
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():
                self._leave()  # the turn had come: the next one takes it
            raise

    def _leave(self) -> None:
        """The next one takes the turn, without anybody coming in between."""
        self._is_held = False
        while self._line and not self._is_held:
            *_, called = heappop(self._line)
            if not called.cancelled():
                called.set_result(None)
                self._is_held = True

    async def _locked(self, lock: Callable[[], str]) -> None:
        """Nothing tells of a lock that another process gives back: ask again and again, seldomer each time."""
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + self._patience, _FIRST_PAUSE
        while refusal := lock():
            if loop.time() >= min(until, self._latest):
                self._refusals, self._refusal = self._refusals + 1, refusal
                raise StoreUnavailable(refusal)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
