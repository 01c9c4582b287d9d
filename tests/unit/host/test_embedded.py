"""What only the embedded engine promises: back-off times, bounded tasks and timers."""

import asyncio
from datetime import timedelta

import pytest
import structlog

from host.embedded import STUCK, EmbeddedLanes
from host.timers import Timers
from tests.support.clock import START, FakeClock, settle


async def test_idle_lanes_cost_no_task(clock: FakeClock) -> None:
    """R6: after the work a lane leaves nothing behind, whatever the number of lanes."""
    lanes = EmbeddedLanes(clock)
    gate = asyncio.Event()

    async def drain(lane: str) -> None:
        await gate.wait()

    tasks_before = len(asyncio.all_tasks())
    engine = asyncio.create_task(lanes.run(drain))
    for number in range(300):
        lanes.wake_now(f"room:{number}")
        lanes.wake_now(f"room:{number}")
    await settle()
    assert lanes.at_work == 300
    gate.set()
    await settle()
    assert lanes.at_work == 0
    assert len(asyncio.all_tasks()) <= tasks_before + 2  # the engine and its wait for timers
    engine.cancel()
    await asyncio.gather(engine, return_exceptions=True)


async def test_retries_back_off_to_a_minute_and_are_counted(clock: FakeClock) -> None:
    faults: list[str] = []
    times: list[float] = []
    lanes = EmbeddedLanes(clock, faults.append)

    async def drain(lane: str) -> None:
        times.append(clock.monotonic())
        raise OSError("full")

    engine = asyncio.create_task(lanes.run(drain))
    lanes.wake_now("room:1")
    await settle()
    for _ in range(200):
        await clock.advance(1)
    engine.cancel()
    await asyncio.gather(engine, return_exceptions=True)
    assert times == [0, 1, 3, 7, 15, 31, 63, 123, 183]
    assert faults == ["room:1"] * 9


async def test_back_off_starts_anew_after_a_success(clock: FakeClock) -> None:
    outcomes = iter([OSError(), OSError(), None, OSError(), None])
    times: list[float] = []
    lanes = EmbeddedLanes(clock)

    async def drain(lane: str) -> None:
        times.append(clock.monotonic())
        if len(times) == 3:
            lanes.wake_now(lane)
        if fault := next(outcomes):
            raise fault

    engine = asyncio.create_task(lanes.run(drain))
    lanes.wake_now("room:1")
    await settle()
    await clock.advance(10)
    engine.cancel()
    await asyncio.gather(engine, return_exceptions=True)
    assert times == [0, 1, 3, 3, 4]


async def test_a_drain_that_turns_the_cancellation_into_a_fault_still_ends(clock: FakeClock) -> None:
    """R7: otherwise the stop would wait for the retry for ever."""
    lanes = EmbeddedLanes(clock)

    async def drain(lane: str) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("cut in the middle") from None

    engine = asyncio.create_task(lanes.run(drain))
    lanes.wake_now("room:1")
    await settle()
    engine.cancel()
    async with asyncio.timeout(5):
        await asyncio.gather(engine, return_exceptions=True)
    assert lanes.at_work == 0


async def test_a_lane_that_keeps_failing_is_shown_and_loud(clock: FakeClock) -> None:
    """One line says that its work waits; with the first success it is forgotten."""
    outcomes = iter([OSError()] * STUCK)
    lanes = EmbeddedLanes(clock)

    async def drain(lane: str) -> None:
        if fault := next(outcomes, None):
            raise fault

    with structlog.testing.capture_logs() as logs:
        engine = asyncio.create_task(lanes.run(drain))
        lanes.wake_now("room:1")
        await settle()
        assert list(lanes.failing) == ["room:1"]
        await clock.advance(60)
        assert list(lanes.failing) == []
    engine.cancel()
    await asyncio.gather(engine, return_exceptions=True)
    assert [line["times"] for line in logs if line["log_level"] == "error"] == [1, 2, 3, 4, 5]
    assert [line["lane"] for line in logs if line["log_level"] == "critical"] == ["room:1"]


async def test_a_cancellation_that_leaks_out_of_a_drain_does_not_end_the_lane(clock: FakeClock) -> None:
    """Nobody asked the lane to end: its work would wait until somebody wakes it by chance."""
    faults: list[str] = []
    lanes, outcomes = EmbeddedLanes(clock, faults.append), iter([True, False])

    async def drain(lane: str) -> None:
        if next(outcomes):
            raise asyncio.CancelledError

    engine = asyncio.create_task(lanes.run(drain))
    lanes.wake_now("room:1")
    await settle()
    await clock.advance(1)
    assert next(outcomes, None) is None
    assert faults == ["room:1"]
    engine.cancel()
    await asyncio.gather(engine, return_exceptions=True)


async def test_a_lane_that_breaks_ends_the_engine(clock: FakeClock) -> None:
    """One dead task is loud: the program ends and is started again, instead of leaving a lane behind."""

    def broken(lane: str) -> None:
        raise LookupError(lane)

    async def drain(lane: str) -> None:
        raise OSError

    lanes = EmbeddedLanes(clock, broken)
    engine = asyncio.create_task(lanes.run(drain))
    lanes.wake_now("room:1")
    async with asyncio.timeout(5):
        with pytest.raises(LookupError):
            await engine


async def test_run_can_be_called_again(clock: FakeClock) -> None:
    lanes = EmbeddedLanes(clock)
    drained: list[str] = []

    async def drain(lane: str) -> None:
        drained.append(lane)

    for lane in ("room:1", "room:2"):
        lanes.wake_now(lane)
        engine = asyncio.create_task(lanes.run(drain))
        await settle()
        engine.cancel()
        await asyncio.gather(engine, return_exceptions=True)
    assert drained == ["room:1", "room:2"]


def test_timers_keep_the_earliest_time_of_a_lane() -> None:
    timers = Timers()
    assert timers.set("a", START + timedelta(seconds=9))
    assert not timers.set("b", START + timedelta(seconds=10))
    assert not timers.set("a", START + timedelta(seconds=12))
    assert timers.set("b", START + timedelta(seconds=3))
    assert timers.first() == START + timedelta(seconds=3)
    assert timers.take_due(START + timedelta(seconds=9)) == ["b", "a"]
    assert timers.first() is None


def test_timers_stay_small_when_a_lane_is_set_again_and_again() -> None:
    """R6: replaced times do not pile up until they are due."""
    timers = Timers()
    for step in range(10_000, 0, -1):
        timers.set("a", START + timedelta(seconds=step))
    assert len(timers) == 1
    assert len(timers._heap) < 100
    assert timers.take_due(START + timedelta(seconds=1)) == ["a"]
