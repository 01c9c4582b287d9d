"""The writers of one file: one after the other, and patient with another process only together."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from store.errors import StoreUnavailable

LOCK_PATIENCE: Final = 5.0
"""Seconds that a writer waits for another process before the store counts as unavailable."""

_FIRST_PAUSE: Final = 0.002
_LONGEST_PAUSE: Final = 0.05


class Writers:
    """Lets one writer in at a time.

    Whoever queued up behind a writer that another process kept out has waited for the same lock: all of them fail
    with it, instead of one after the other, each after a patience of its own.
    """

    def __init__(self, patience: float = LOCK_PATIENCE) -> None:
        self._patience = patience
        self._latest = float("inf")
        self._one_at_a_time = asyncio.Lock()
        self._refusals, self._refusal = 0, ""

    def hurry(self, seconds: float) -> None:
        """From now on all waits for another process together take no longer than this."""
        self._latest = asyncio.get_running_loop().time() + seconds

    @asynccontextmanager
    async def turn(self, lock: Callable[[], str]) -> AsyncIterator[None]:
        """Hold the file. `lock` tries once to lock it and says why it could not. Raises StoreUnavailable."""
        before = self._refusals
        async with self._one_at_a_time:
            if self._refusals > before:
                raise StoreUnavailable(self._refusal)
            await self._locked(lock)
            yield

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
