"""Ending several things at the same time: each may take seconds, and a stop has ten of them (R7)."""

import asyncio
from collections.abc import Awaitable, Callable


async def part_together(*ends: Callable[[], Awaitable[None]]) -> None:
    """Call all of them and wait for all; a fault is raised when every one is over."""
    for outcome in await asyncio.gather(*(end() for end in ends), return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
