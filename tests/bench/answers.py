"""How fast answers come: one chat, thirty chats, and a whole round. `python -m tests.bench answers`"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.place import busy, cpu_of
from tests.support.casts import ASK, FINDINGS, cast, planner, round_of
from tests.support.model_reply import Reply, say
from tests.support.model_request import Request
from tests.support.world import World, world

MESSAGES = 200
CHATS = 30
ROUNDS = 10
MODEL_SECONDS = 1.0


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), busy) as installation:
            await _answers(installation, 20)
            taken: list[float] = []
            cost = await cpu_of(installation, partial(_answers, installation, MESSAGES, taken))
            round_cost = await cpu_of(installation, partial(_rounds, installation, ROUNDS))
            crowd = await _crowd(installation)
            overheads = [await _overhead(installation) for _ in range(ROUNDS)]
    return [
        Figure(what="inbound → callback, host only, median", value=statistics.median(taken) * 1e3, goal=15, unit="ms"),
        Figure(what="inbound → callback, host only, 95 %", value=_percentile(taken, 95) * 1e3, goal=40, unit="ms"),
        Figure(what="CPU per host-only answer", value=cost / MESSAGES * 1e3, goal=8, unit="ms"),
        Figure(what="CPU per round of two members", value=round_cost / ROUNDS * 1e3, goal=40, unit="ms"),
        Figure(what=f"{CHATS} chats, model of 1 s, last answer", value=crowd, goal=1.2, unit="s"),
        Figure(
            what="dispatch → wrap-up overhead, median", value=statistics.median(overheads) * 1e3, goal=60, unit="ms"
        ),
    ]


async def _answers(installation: World, count: int, taken: list[float] | None = None) -> None:
    """One message after the other, each in a chat of its own; the seconds from sending to arrival go to `taken`."""
    installation.model.play = cast(lambda request: say("好的，", "在。"))
    for _ in range(count):
        guest = installation.guest()
        began = time.monotonic()
        await guest.say("在吗")
        await guest.hears(1)
        if taken is not None:
            taken.append(time.monotonic() - began)


async def _rounds(installation: World, count: int) -> None:
    installation.model.play = round_of()
    for _ in range(count):
        guest = installation.guest()
        await guest.say(f"{ASK}，怎么样？")
        await guest.hears_end()


async def _crowd(installation: World) -> float:
    """Seconds until the last of many chats has its answer."""
    installation.model.play = cast(lambda request: _thoughtful(say("在。")))
    guests = [installation.guest() for _ in range(CHATS)]
    began = time.monotonic()
    await asyncio.gather(*(guest.say("在吗") for guest in guests))
    await asyncio.gather(*(guest.hears(1) for guest in guests))
    return time.monotonic() - began


async def _overhead(installation: World) -> float:
    """Seconds between the dispatch notice and the wrap-up, less the members' own time."""

    def member(request: Request) -> Reply:
        return _thoughtful(say(FINDINGS[request.asker]))

    installation.model.play = cast(planner(*FINDINGS), **dict.fromkeys(FINDINGS, member))
    guest = installation.guest()
    await guest.say(f"{ASK}，怎么样？")
    await guest.hears_end()
    times = [one.at for one in installation.callback.arrivals if one.message.chat_id == guest.chat_id]
    return times[-1] - times[1] - MODEL_SECONDS


def _thoughtful(reply: Reply) -> Reply:
    return replace(reply, thinks=MODEL_SECONDS)


def _percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]
