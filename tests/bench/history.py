"""How the cost of an answer grows with what was said before. `python -m tests.bench history`"""

import tempfile
from functools import partial
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.place import busy, cpu_of
from tests.support.casts import cast
from tests.support.guest import Guest
from tests.support.model_reply import say
from tests.support.world import World, world

LENGTHS = (0, 50, 100, 200, 400)
"""Turns before the measured ones; a turn is a question and an answer of some size."""

ANSWERS = 20
QUESTION = "请再说一遍，" + "并且说得更详细一些。" * 5
ANSWER = "这里是一段不长不短的回答。" * 20


async def measure() -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), busy) as installation:
            installation.model.play = cast(lambda request: say(ANSWER))
            guest = installation.guest()
            await _talk(installation.guest(), 20)
            for length in LENGTHS:
                await _talk(guest, length - len(guest.heard))
                figures.append(await _measured(installation, guest, length))
    return figures


async def _measured(installation: World, guest: Guest, length: int) -> Figure:
    cost = await cpu_of(installation, partial(_talk, guest, ANSWERS)) / ANSWERS
    return Figure(what=f"CPU per answer after {length} turns", value=cost * 1e3, goal=20, unit="ms")


async def _talk(guest: Guest, turns: int) -> None:
    for _ in range(turns):
        heard = len(guest.heard)
        await guest.say(QUESTION)
        await guest.hears(heard + 1)
