"""Ending at the same time: a stop in which a platform and a tool server both hung took nearly its ten seconds."""

import asyncio

import pytest

from bridge.parting import part_together


async def test_slow_ends_do_not_wait_for_each_other() -> None:
    """R7: each of these waits until the other has begun."""
    first, second = asyncio.Event(), asyncio.Event()

    async def end(mine: asyncio.Event, other: asyncio.Event) -> None:
        mine.set()
        await other.wait()

    async with asyncio.timeout(5):
        await part_together(lambda: end(first, second), lambda: end(second, first))


async def test_an_end_that_fails_leaves_the_others_their_time() -> None:
    """R4: and the fault is not lost."""
    over: list[str] = []

    async def fail() -> None:
        raise RuntimeError("broken")

    async def end() -> None:
        await asyncio.sleep(0)
        over.append("ended")

    with pytest.raises(RuntimeError, match="broken"):
        await part_together(fail, end)
    assert over == ["ended"]
