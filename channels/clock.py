"""Time as channels need it: seconds that only rise, and waiting."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Given to whatever paces or waits, so that tests need not."""

    def monotonic(self) -> float:
        """Seconds that only rise."""

    async def sleep(self, seconds: float) -> None:
        """Let that much time pass."""


class LoopClock:
    """The real time."""

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
