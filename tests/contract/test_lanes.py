"""What every lane engine promises, written against the port. Another engine joins by a line in ENGINES."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

import pytest

from bridge.engine import Engine
from host.embedded import EmbeddedLanes
from host.lanes import Lanes
from store.database import Database, Transaction
from tests.support.clock import FakeClock, settle

ENGINES: dict[str, Callable[[FakeClock], Lanes]] = {
    "embedded": EmbeddedLanes,
    "two halves": lambda clock: Engine(clock, lambda _lane: None),
}
SOON = 5.0


@pytest.fixture(params=sorted(ENGINES))
def lanes(request: pytest.FixtureRequest, clock: FakeClock) -> Lanes:
    return ENGINES[request.param](clock)


class Work:
    """A drain over in-memory queues that records who works when; a lane's gate, if any, is waited for."""

    def __init__(self) -> None:
        self.queues: dict[str, list[str]] = {}
        self.done: list[str] = []
        self.drains: Counter[str] = Counter()
        self.at_work: Counter[str] = Counter()
        self.most_at_once: Counter[str] = Counter()
        self.gates: dict[str, asyncio.Event] = {}
        self.faults: dict[str, int] = {}
        self.cancelled: list[str] = []
        self._moved = asyncio.Condition()

    async def __call__(self, lane: str) -> None:
        self.drains[lane] += 1
        self.at_work[lane] += 1
        self.most_at_once[lane] = max(self.most_at_once[lane], self.at_work[lane])
        try:
            await self._take_all(lane)
        except asyncio.CancelledError:
            self.cancelled.append(lane)
            raise
        finally:
            self.at_work[lane] -= 1
            await self._tell()

    async def _take_all(self, lane: str) -> None:
        await self._tell()
        if self.faults.get(lane):
            self.faults[lane] -= 1
            raise RuntimeError(f"{lane} is broken")
        while self.queues.get(lane):
            if lane in self.gates:
                await self.gates[lane].wait()
            await asyncio.sleep(0)
            self.done.append(self.queues[lane].pop(0))

    async def _tell(self) -> None:
        async with self._moved:
            self._moved.notify_all()

    async def until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON), self._moved:
            await self._moved.wait_for(reached)


@pytest.fixture
def work() -> Work:
    return Work()


@asynccontextmanager
async def running(lanes: Lanes, work: Work) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(lanes.run(work))
    await settle()
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def add(database: Database, lanes: Lanes, work: Work, lane: str, *items: str) -> None:
    async def enqueue(tx: Transaction) -> None:
        work.queues.setdefault(lane, []).extend(items)
        await lanes.wake(tx, lane)

    await database.write(enqueue)


async def wake_at(database: Database, lanes: Lanes, clock: FakeClock, lane: str, seconds: float) -> None:
    await database.write(partial(lanes.wake_at, lane=lane, when=clock.now() + timedelta(seconds=seconds)))


async def test_items_of_a_lane_are_done_in_order_by_one_drain(database: Database, lanes: Lanes, work: Work) -> None:
    """T25: per member serial, first in first out, also when every item is announced while the lane is at work."""
    async with running(lanes, work):
        for number in range(20):
            await add(database, lanes, work, "member:a", str(number))
        await work.until(lambda: len(work.done) == 20)
    assert work.done == [str(number) for number in range(20)]
    assert work.most_at_once["member:a"] == 1


async def test_a_stuck_lane_delays_no_other(database: Database, lanes: Lanes, work: Work) -> None:
    """T25, R4: while one lane hangs, the others run."""
    work.gates["member:slow"] = asyncio.Event()
    async with running(lanes, work):
        await add(database, lanes, work, "member:slow", *"abcdefghij")
        for number in range(10):
            await add(database, lanes, work, f"member:{number}", str(number))
        await work.until(lambda: len(work.done) == 10)
        work.gates["member:slow"].set()
        await work.until(lambda: len(work.done) == 20)
    assert work.done[10:] == list("abcdefghij")


async def test_two_lanes_are_at_work_at_the_same_time(database: Database, lanes: Lanes, work: Work) -> None:
    work.gates = {"room:1": asyncio.Event(), "room:2": asyncio.Event()}
    async with running(lanes, work):
        await add(database, lanes, work, "room:1", "a")
        await add(database, lanes, work, "room:2", "b")
        await work.until(lambda: work.at_work["room:1"] == 1 and work.at_work["room:2"] == 1)


@pytest.mark.both_databases
async def test_nothing_is_drained_before_the_commit(database: Database, lanes: Lanes, work: Work) -> None:
    seen_inside: list[int] = []

    async def announce(tx: Transaction) -> None:
        await lanes.wake(tx, "room:1")
        await settle()
        seen_inside.append(work.drains["room:1"])

    async with running(lanes, work):
        await database.write(announce)
        await work.until(lambda: work.drains["room:1"] == 1)
    assert seen_inside == [0]


@pytest.mark.both_databases
async def test_a_rolled_back_wake_drains_nothing(
    database: Database, lanes: Lanes, work: Work, clock: FakeClock
) -> None:
    async def announce(tx: Transaction) -> None:
        await lanes.wake(tx, "room:1")
        await lanes.wake_at(tx, "room:1", tx.now + timedelta(seconds=1))
        raise ValueError("no")

    async with running(lanes, work):
        with pytest.raises(ValueError, match="no"):
            await database.write(announce)
        await clock.advance(10)
        await add(database, lanes, work, "room:2", "x")
        await work.until(lambda: work.done == ["x"])
    assert work.drains["room:1"] == 0


async def test_a_wake_during_a_drain_drains_once_more(database: Database, lanes: Lanes, work: Work) -> None:
    """However many wakes come while a lane is at work, one more drain follows, not one for each."""
    work.gates["room:1"] = asyncio.Event()
    async with running(lanes, work):
        await add(database, lanes, work, "room:1", "a")
        await work.until(lambda: work.at_work["room:1"] == 1)
        for _ in range(5):
            await database.write(partial(lanes.wake, lane="room:1"))
        work.gates["room:1"].set()
        await work.until(lambda: work.drains["room:1"] == 2)
        await settle()
    assert work.done == ["a"]
    assert work.drains["room:1"] == 2


@pytest.mark.both_databases
async def test_wakes_before_the_start_are_not_lost(database: Database, lanes: Lanes, work: Work) -> None:
    """T30: at start every lane with open work is woken, before or after the engine runs."""
    await add(database, lanes, work, "room:1", "a")
    await add(database, lanes, work, "room:2", "b")
    assert work.done == []
    async with running(lanes, work):
        await work.until(lambda: len(work.done) == 2)
    assert work.done == ["a", "b"]


async def test_a_delayed_wake_comes_at_its_time(database: Database, lanes: Lanes, work: Work, clock: FakeClock) -> None:
    async with running(lanes, work):
        await wake_at(database, lanes, clock, "room:1", 60)
        await clock.advance(59.5)
        assert work.drains["room:1"] == 0
        await clock.advance(0.5)
        await work.until(lambda: work.drains["room:1"] == 1)
        await clock.advance(600)
    assert work.drains["room:1"] == 1


async def test_the_earliest_delayed_wake_of_a_lane_counts(
    database: Database, lanes: Lanes, work: Work, clock: FakeClock
) -> None:
    async with running(lanes, work):
        await wake_at(database, lanes, clock, "room:1", 60)
        await wake_at(database, lanes, clock, "room:1", 10)
        await wake_at(database, lanes, clock, "room:2", 30)
        await clock.advance(10)
        await work.until(lambda: work.drains["room:1"] == 1)
        assert work.drains["room:2"] == 0
        await clock.advance(20)
        await work.until(lambda: work.drains["room:2"] == 1)


async def test_a_delayed_wake_in_the_past_comes_at_once(
    database: Database, lanes: Lanes, work: Work, clock: FakeClock
) -> None:
    async with running(lanes, work):
        await wake_at(database, lanes, clock, "room:1", -5)
        await work.until(lambda: work.drains["room:1"] == 1)


async def test_a_delayed_wake_survives_an_immediate_one(
    database: Database, lanes: Lanes, work: Work, clock: FakeClock
) -> None:
    async with running(lanes, work):
        await wake_at(database, lanes, clock, "room:1", 60)
        await add(database, lanes, work, "room:1", "a")
        await work.until(lambda: work.done == ["a"])
        await clock.advance(60)
        await work.until(lambda: work.drains["room:1"] == 2)


async def test_a_raising_drain_is_retried_and_hurts_no_other(
    database: Database, lanes: Lanes, work: Work, clock: FakeClock
) -> None:
    """R4: a crashing handler stops nobody else, and its own work is done in the end."""
    work.faults["room:1"] = 3
    async with running(lanes, work) as task:
        await add(database, lanes, work, "room:1", "a")
        await add(database, lanes, work, "room:2", "b")
        await work.until(lambda: work.done == ["b"])
        for _ in range(3):
            await settle()
            await clock.advance(60)
        await work.until(lambda: work.done == ["b", "a"])
        assert not task.done()


async def test_the_end_cancels_running_drains_and_waits_for_them(database: Database, lanes: Lanes, work: Work) -> None:
    """R7: nothing works on after `run` has ended."""
    work.gates["room:1"] = asyncio.Event()
    async with running(lanes, work) as task:
        await add(database, lanes, work, "room:1", "a")
        await work.until(lambda: work.at_work["room:1"] == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert work.cancelled == ["room:1"]
        assert work.at_work["room:1"] == 0
    assert work.done == []
