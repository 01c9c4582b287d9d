"""A place where a simulated counterpart waits until the test lets it go on."""

import asyncio

DEADLINE = 20.0
"""Seconds after which a scenario gives up on something that should have happened at once."""


class Gate:
    """Closed at first: whoever arrives waits. `reached` tells that somebody has arrived."""

    def __init__(self) -> None:
        self._arrived = asyncio.Event()
        self._opened = asyncio.Event()
        self.waiting = 0

    async def wait(self) -> None:
        self.waiting += 1
        self._arrived.set()
        try:
            await self._opened.wait()
        finally:
            self.waiting -= 1

    async def reached(self, within: float = DEADLINE) -> None:
        async with asyncio.timeout(within):
            await self._arrived.wait()

    def open(self) -> None:
        self._opened.set()
