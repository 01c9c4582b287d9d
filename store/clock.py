"""Time as an argument: everything that needs the hour is given a Clock, so that tests can turn it."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What the program may ask of time."""

    def now(self) -> datetime:
        """The present moment, aware, UTC."""

    def monotonic(self) -> float:
        """Seconds that only rise, for measuring durations."""

    async def sleep(self, seconds: float) -> None:
        """Wait; cancellable."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
