"""Slots: at most four runs of one tree work at once. Whoever waits for others, or in a queue, holds none (C8)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from store.clock import Clock

MOST: Final = 4
"""Runs of one tree at the same time."""


class _Tree:
    """The slots of one tree; first come, first served. `users` are those that hold, rest or wait."""

    def __init__(self) -> None:
        self.free = asyncio.Semaphore(MOST)
        self.users = 0


class Lease:
    """A run's hold on a slot of its tree."""

    def __init__(self, free: asyncio.Semaphore, clock: Clock) -> None:
        self._free = free
        self._clock = clock
        self._held = False
        self._resting = 0
        self._since: float | None = None
        self._rested = 0.0
        self._coming_back = asyncio.Lock()

    @property
    def rested(self) -> float:
        """Seconds that the run has waited for others, so far."""
        return self._rested + (0.0 if self._since is None else self._clock.monotonic() - self._since)

    @asynccontextmanager
    async def resting(self) -> AsyncIterator[None]:
        """Without the slot while inside, with it again behind. A run that is cancelled meanwhile takes none."""
        self._resting += 1
        self._since = self._clock.monotonic() if self._since is None else self._since
        self.give_back()
        try:
            yield
        finally:
            self._resting -= 1
        await self._come_back()

    async def take(self) -> None:
        await self._free.acquire()
        self._held = True

    def give_back(self) -> None:
        if self._held:
            self._held = False
            self._free.release()

    async def _come_back(self) -> None:
        """Of several calls that waited side by side the last one takes the slot again."""
        async with self._coming_back:
            if not self._resting and not self._held:
                await self.take()
                self._settle()

    def _settle(self) -> None:
        if self._resting:  # another call began to wait meanwhile
            self.give_back()
        elif self._since is not None:
            self._rested, self._since = self.rested, None


class Slots:
    """The slots of every tree at work in this process."""

    def __init__(self) -> None:
        self._trees: dict[str, _Tree] = {}

    def is_full(self, root_id: str) -> bool:
        """Whether a run of this tree would have to wait now."""
        return root_id in self._trees and self._trees[root_id].free.locked()

    @asynccontextmanager
    async def held(self, root_id: str, clock: Clock) -> AsyncIterator[Lease]:
        """Wait for a slot of the tree, and hold it while inside (unless the lease rests)."""
        tree = self._trees.setdefault(root_id, _Tree())
        tree.users += 1
        lease = Lease(tree.free, clock)
        try:
            await lease.take()
            yield lease
        finally:
            lease.give_back()
            tree.users -= 1
            if not tree.users:
                del self._trees[root_id]
