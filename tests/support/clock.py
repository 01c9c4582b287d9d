"""A clock that only moves when a test says so."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, tzinfo=UTC)


class FakeClock:
    """Starts at 2026-01-01; `advance` moves it and lets every sleeper whose time has come run."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._order = 0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self._seconds)

    def monotonic(self) -> float:
        return self._seconds

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._sleepers, (self._seconds + seconds, self._order, future))
        await future

    async def advance(self, seconds: float) -> None:
        """Move forward, waking sleepers in the order of their times."""
        goal = self._seconds + seconds
        while self._sleepers and self._sleepers[0][0] <= goal:
            at, _, future = heapq.heappop(self._sleepers)
            self._seconds = max(self._seconds, at)
            if not future.done():
                future.set_result(None)
            await settle()
        self._seconds = goal
        await settle()

    @property
    def sleepers(self) -> int:
        return sum(not future.done() for _, _, future in self._sleepers)


async def settle(rounds: int = 20) -> None:
    """Give every ready task a few turns of the loop (for work that awaits no thread and no socket)."""
    for _ in range(rounds):
        await asyncio.sleep(0)
