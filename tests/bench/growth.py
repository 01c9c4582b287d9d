"""How the cost of a round grows with rooms, history and members. `python -m tests.bench growth`"""

import asyncio
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure
from tests.bench.place import busy, cpu_of
from tests.support.callback import Receiver
from tests.support.casts import ASK, cast, dispatches, round_of
from tests.support.guest import Guest
from tests.support.model_reply import act, say
from tests.support.model_server import ModelServer, Play
from tests.support.settings import expert, settings, team, webhook
from tests.support.world import World, world

ROOMS = (1, 10, 50, 200)
HISTORY = (1, 100, 10_000)
"""Events of the session before the measured answers; an answered message is four."""

MEMBERS = (2, 4, 8, 16)
ROUNDS = 10
PATIENCE = 600.0


async def measure() -> list[Figure]:
    return [*await _with_rooms(), *await _with_history(), *await _with_members()]


async def _with_rooms() -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), busy) as installation:
            installation.model.play = round_of()
            await _rounds(installation, 20)
            for rooms in ROOMS:
                cost = await cpu_of(installation, partial(_rounds, installation, rooms)) / rooms
                figures.append(
                    Figure(what=f"CPU per round, {rooms} rooms at once", value=cost * 1e3, goal=60, unit="ms")
                )
    return figures


async def _rounds(installation: World, rooms: int) -> None:
    """A round in each of so many new rooms, all at once."""
    guests = [installation.guest() for _ in range(rooms)]
    await asyncio.gather(*(guest.say(f"{ASK}，怎么样？") for guest in guests))
    await asyncio.gather(*(guest.hears_end(within=PATIENCE) for guest in guests))


async def _with_history() -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), busy) as installation:
            installation.model.play = cast(lambda request: say("好的，在。"))
            guest, said = installation.guest(), 0
            for events in HISTORY:
                said = await _talk(guest, said, events // 4)
                cost = await cpu_of(installation, partial(_talk, guest, said, said + ROUNDS)) / ROUNDS
                said += ROUNDS
                figures.append(
                    Figure(what=f"CPU per answer behind {events} events", value=cost * 1e3, goal=20, unit="ms")
                )
    return figures


async def _talk(guest: Guest, said: int, until: int) -> int:
    """One message after the other; how many there are now."""
    for number in range(said, until):
        await guest.say("在吗")
        await guest.hears(number + 1)
    return max(said, until)


async def _with_members() -> list[Figure]:
    return [await _with_team_of(members) for members in MEMBERS]


async def _with_team_of(members: int) -> Figure:
    names = [f"expert{number}" for number in range(members)]
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), partial(_crowd, names)) as installation:
            installation.model.play = _play(names)
            await _rounds(installation, 2)
            cost = await cpu_of(installation, partial(_one_by_one, installation)) / ROUNDS
    return Figure(what=f"CPU per round of {members} members", value=cost * 1e3, goal=20 + 10 * members, unit="ms")


async def _one_by_one(installation: World) -> None:
    for _ in range(ROUNDS):
        await _rounds(installation, 1)


def _play(names: list[str]) -> Play:
    """A host that gives everybody work for each question."""
    plan = act("大家一起来。", *dispatches({name: f"任务单（{name}）" for name in names}))
    experts = {name: (lambda request: say("做好了。")) for name in names}
    return cast(lambda request: plan if ASK in request.last else say("结论。"), **experts)


def _crowd(names: list[str], model: ModelServer, callback: Receiver, port: int) -> Mapping[str, Any]:
    channel = webhook("hook", "crowd", callback.url("hook"), groups="all", rate_limit=1_000_000)
    return settings(
        model_url=model.base_url,
        port=port,
        channels=[channel],
        agents=[expert(name, name.title()) for name in names],
        teams=[team("crowd", "大家", names)],
    )
