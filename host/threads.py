"""Steps that wait for a disk, in a thread."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def to_its_end(step: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Run the step in a thread. Whoever is cancelled meanwhile waits for its end: what it opened can be closed then."""
    running = asyncio.ensure_future(asyncio.to_thread(step, *args, **options))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
