"""The store's pulse: whether it takes writes, known from the last one, or from a small one of our own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from store.clock import Clock
from store.database import Database, Transaction
from store.errors import StoreUnavailable

FRESH: Final = 5.0
"""Seconds for which the outcome of the last write says how the store is: whoever asks in a storm writes nothing."""

PATIENCE: Final = 3.0
"""Seconds that whoever asks waits for an answer; a store that takes longer takes no writes now."""


class Pulse:
    """A store can be read and yet be full, or locked by another process: only a write tells. `beat` is such a write."""

    def __init__(self, database: Database, clock: Clock, beat: Callable[[Transaction], Awaitable[object]]) -> None:
        self._database = database
        self._clock = clock
        self._beat = beat
        self._asking: asyncio.Task[bool] | None = None

    async def is_felt(self) -> bool:
        """Whether the store takes writes. All who ask at once share one write."""
        last = self._database.last_write
        if last is not None and self._clock.monotonic() - last.at < FRESH:
            return last.taken
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask(), name="pulse")
        done, _ = await asyncio.wait((self._asking,), timeout=PATIENCE)
        return bool(done) and self._asking.result()

    async def _ask(self) -> bool:
        try:
            await self._database.write(self._beat)
        except StoreUnavailable:
            return False
        return True
