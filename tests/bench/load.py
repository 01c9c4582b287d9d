"""Two hundred rooms with a live round each, a thousand people who watch them. `python -m tests.bench load`

One wave is a round of two members in every room at once. `BENCH_WAVES` says how many waves there are: a hundred take
about half an hour and show whether memory grows. Each wave is told on stderr as it ends.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, TCPConnector

from tests.bench.figures import Figure
from tests.bench.place import busy
from tests.bench.process import cpu_seconds, resident_megabytes
from tests.support.callback import TAKE, Answer, Message
from tests.support.casts import ASK, FINDINGS, cast, planner
from tests.support.guest import Guest
from tests.support.keys import ADMIN_TOKEN
from tests.support.model_reply import Reply, say
from tests.support.world import World, world

ROOMS = 200
READERS = 1000
WAVES = int(os.environ.get("BENCH_WAVES", "6"))
WARM = 3
"""Waves after which memory should not grow any more."""

WHOLE = ["host", "notice", "notice", "member", "member", "wrapup"]
"""What a chat gets of a round of two members."""

PATIENCE = 600.0


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), busy) as installation:
            rooms = await _rooms(installation)
            async with _readers(installation, rooms) as readers:
                return await _waves(installation, rooms, readers)


async def _waves(installation: World, rooms: list[Guest], readers: "list[Reader]") -> list[Figure]:
    installation.model.play = cast(planner(*FINDINGS), **{name: lambda request: _streamed() for name in FINDINGS})
    memory: list[float] = []
    walls: list[list[float]] = []
    cpu = cpu_seconds(installation.program.pid)
    for wave in range(1, WAVES + 1):
        walls.append(await _wave(installation, rooms))
        await asyncio.gather(*(reader.until(wave) for reader in readers))
        memory.append(resident_megabytes(installation.program.pid))
        sys.stderr.write(f"wave {wave}: the last wrap-up after {max(walls[-1]):.1f} s, {memory[-1]:.1f} MB\n")
        installation.model.forget()
        installation.callback.arrivals.clear()
        installation.callback.taken.clear()
    rounds = WAVES * len(rooms)
    last, halfway = max(max(wave) for wave in walls), sorted(walls[-1])[len(rooms) // 2]
    cost = (cpu_seconds(installation.program.pid) - cpu) / rounds
    return [
        Figure(what=f"{len(rooms)} rounds at once, the last wrap-up", value=last, goal=30, unit="s"),
        Figure(what="the last wrap-up ÷ the one in the middle", value=max(walls[-1]) / halfway, goal=2.2, unit=""),
        Figure(what=f"CPU per round, {len(readers)} readers", value=cost * 1e3, goal=80, unit="ms"),
        Figure(what=f"resident memory after {WAVES} waves", value=memory[-1], goal=250, unit="MB"),
        Figure(what="times that a reader was dropped", value=sum(one.dropped for one in readers), goal=10, unit=""),
        Figure(what="memory that each further wave adds", value=_growth(memory), goal=1, unit="MB"),
    ]


async def _rooms(installation: World) -> list[Guest]:
    """As many chats, each with its session."""
    installation.model.play = cast(lambda request: say("在。"))
    guests = [installation.guest() for _ in range(ROOMS)]
    await asyncio.gather(*(guest.say("在吗") for guest in guests))
    await asyncio.gather(*(guest.hears(1, within=PATIENCE) for guest in guests))
    return guests


async def _wave(installation: World, rooms: list[Guest]) -> list[float]:
    """One round in every room: the seconds until each room's wrap-up was delivered."""
    arrivals = Arrivals(rooms)
    installation.callback.behave = arrivals.take
    began = time.monotonic()
    await asyncio.gather(*(room.say(f"{ASK}，怎么样？") for room in rooms))
    async with asyncio.timeout(PATIENCE):
        await arrivals.all_ended.wait()
    return [ended - began for ended in arrivals.ended.values()]


class Arrivals:
    """What the chats get, counted as it comes: looking for it in the record would cost more than the program."""

    def __init__(self, rooms: list[Guest]) -> None:
        self.kinds: dict[str, list[str]] = {room.chat_id: [] for room in rooms}
        self.ended: dict[str, float] = {}
        self.all_ended = asyncio.Event()

    def take(self, message: Message, times: int) -> Answer:
        assert times == 1, f"{message} came again"
        self.kinds[message.chat_id].append(message.kind)
        if message.kind == "wrapup":
            assert self.kinds[message.chat_id] == WHOLE, self.kinds[message.chat_id]
            self.ended[message.chat_id] = time.monotonic()
        if len(self.ended) == len(self.kinds):
            self.all_ended.set()
        return TAKE


class Reader:
    """Somebody who watches a room and comes back when they are dropped: no event is missed, none comes twice."""

    def __init__(self, http: ClientSession, url: str) -> None:
        self._http = http
        self._url = url
        self._seq = 0
        self._wrap_ups = 0
        self._told = asyncio.Event()
        self.dropped = -1

    async def watch(self) -> None:
        """For ever."""
        while True:
            self.dropped += 1
            async with self._http.ws_connect(self._url, params={"after": self._seq}) as socket:
                async for message in socket:
                    self._read(json.loads(message.data))

    async def until(self, wrap_ups: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while self._wrap_ups < wrap_ups:
                self._told.clear()
                await self._told.wait()

    def _read(self, frame: dict[str, Any]) -> None:
        if frame["type"] != "event":
            return
        event = frame["event"]
        assert event["seq"] == self._seq + 1, f"{event['seq']} behind {self._seq}"
        self._seq = event["seq"]
        self._wrap_ups += event["kind"] == "wrapup"
        self._told.set()


@asynccontextmanager
async def _readers(installation: World, rooms: list[Guest]) -> AsyncIterator[list[Reader]]:
    """Live sockets, spread over the rooms."""
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    sessions = [room.heard[0].session_id for room in rooms]
    urls = [f"{installation.program.url}/api/sessions/{session_id}/live" for session_id in sessions]
    async with ClientSession(connector=TCPConnector(limit=0), headers=headers) as http:
        readers = [Reader(http, urls[number % len(urls)]) for number in range(READERS)]
        watching = [asyncio.create_task(reader.watch()) for reader in readers]
        try:
            yield readers
        finally:
            for task in watching:
                task.cancel()
            await asyncio.wait(watching)


def _streamed() -> Reply:
    """A member's words, a few tokens at a time."""
    return replace(say(*["词 "] * 20), pace=0.001)


def _growth(memory: list[float]) -> float:
    """Megabytes per wave once everything is warm; 0 for fewer waves."""
    settled = memory[min(WARM, len(memory)) - 1 :]
    return max(0.0, settled[-1] - settled[0]) / max(1, len(settled) - 1)
