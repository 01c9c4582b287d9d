"""What one streamed token costs the program, with nobody and with readers looking. `python -m tests.bench tokens`"""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.place import busy, cpu_of
from tests.support.casts import cast
from tests.support.guest import Guest
from tests.support.model_reply import Reply, say
from tests.support.world import World, world

TOKENS = 4000
PACE = 0.001
"""Seconds between tokens: each comes in a packet of its own, as from a real model."""

READERS = 10


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), busy) as installation:
            guest = installation.guest()
            await _answer(installation, guest, 1)
            alone = await _cost(installation, guest)
            async with _readers(installation, guest):
                watched = await _cost(installation, guest)
    return [
        Figure(what="CPU per streamed token", value=alone * 1e6, goal=60, unit="µs"),
        Figure(what=f"CPU per streamed token, {READERS} live readers", value=watched * 1e6, goal=120, unit="µs"),
    ]


async def _cost(installation: World, guest: Guest) -> float:
    """CPU seconds per token of a long answer, less those of a short one."""
    short = await cpu_of(installation, lambda: _answer(installation, guest, 1))
    long = await cpu_of(installation, lambda: _answer(installation, guest, TOKENS))
    return (long - short) / TOKENS


async def _answer(installation: World, guest: Guest, tokens: int) -> None:
    installation.model.play = cast(lambda request: _paced(tokens))
    heard = len(guest.heard)
    await guest.say("说说看")
    await guest.hears(heard + 1)


def _paced(tokens: int) -> Reply:
    return replace(say(*["词 "] * tokens), pace=PACE)


@contextlib.asynccontextmanager
async def _readers(installation: World, guest: Guest) -> AsyncIterator[None]:
    """Readers of the guest's session, over WebSockets, who read as fast as they can."""
    session_id = guest.heard[0].session_id
    reading = [asyncio.create_task(_read(installation, session_id)) for _ in range(READERS)]
    try:
        yield
    finally:
        for task in reading:
            task.cancel()
        await asyncio.wait(reading)


async def _read(installation: World, session_id: str) -> None:
    async with installation.api.live(session_id) as live:
        async for _ in live.socket:
            pass
