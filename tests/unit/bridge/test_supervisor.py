"""Channels are started until they run, one apart from the other, and everybody can see how they are."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
import structlog

from bridge.supervisor import ChannelHealth, Supervisor
from channels.base import Channel, Emit, Receipt
from channels.errors import NotConfigured
from channels.types import ChannelState, InboundEvent
from tests.support.clock import FakeClock, settle
from tests.support.outbound import ScriptedChannel

CONNECTED = ChannelHealth(state="connected")


class FaultyChannel(ScriptedChannel):
    """Raises these when it is started, one after the other, then starts."""

    def __init__(self, channel_id: str, *faults: Exception) -> None:
        super().__init__(channel_id)
        self.faults = list(faults)
        self.starts = 0
        self.stops = 0
        self.connected = True

    async def start(self, emit: Emit) -> None:
        self.starts += 1
        if self.faults:
            raise self.faults.pop(0)
        await super().start(emit)

    async def stop(self) -> None:
        self.stops += 1
        await super().stop()

    def state(self) -> ChannelState:
        return ChannelState(connected=self.connected, reason="" if self.connected else "the socket is closed")


class StuckChannel(FaultyChannel):
    """Neither starts nor stops."""

    async def start(self, emit: Emit) -> None:
        await asyncio.Event().wait()

    async def stop(self) -> None:
        await asyncio.Event().wait()


async def accept(channel_id: str, event: InboundEvent) -> Receipt:
    return Receipt(session_id=channel_id)


class Watch:
    """A supervisor and what it told."""

    def __init__(self, clock: FakeClock, **openers: Callable[[], Channel]) -> None:
        self.clock = clock
        self.started: list[str] = []
        self.supervisor = Supervisor(
            openers, emit_for=lambda channel_id: partial(accept, channel_id), started=self.tell, clock=clock
        )

    async def tell(self, channel_id: str) -> None:
        self.started.append(channel_id)


@pytest.fixture(autouse=True)
def _quiet() -> object:
    with structlog.testing.capture_logs() as logs:
        yield logs


async def test_a_started_channel_is_found_and_announced(clock: FakeClock) -> None:
    channel = FaultyChannel("hook")
    watch = Watch(clock, hook=lambda: channel)
    assert watch.supervisor.find("hook") is None
    await watch.supervisor.start()
    assert watch.supervisor.find("hook") is channel
    assert watch.supervisor.find("other") is None
    assert (watch.supervisor.knows("hook"), watch.supervisor.knows("other")) == (True, False)
    assert watch.started == ["hook"]
    assert watch.supervisor.health() == {"hook": CONNECTED}
    assert channel.emit is not None
    await watch.supervisor.stop()


async def test_each_channel_emits_in_its_own_name(clock: FakeClock) -> None:
    channels = {name: FaultyChannel(name) for name in ("a", "b")}
    watch = Watch(clock, a=lambda: channels["a"], b=lambda: channels["b"])
    await watch.supervisor.start()
    event = InboundEvent.__new__(InboundEvent)
    for name, channel in channels.items():
        assert channel.emit is not None
        assert (await channel.emit(event)).session_id == name
    await watch.supervisor.stop()


async def test_a_lost_connection_shows(clock: FakeClock) -> None:
    """R5: readyz tells."""
    channel = FaultyChannel("hook")
    watch = Watch(clock, hook=lambda: channel)
    await watch.supervisor.start()
    channel.connected = False
    assert watch.supervisor.health() == {"hook": ChannelHealth(state="connecting", reason="the socket is closed")}
    channel.connected = True
    assert watch.supervisor.health() == {"hook": CONNECTED}
    await watch.supervisor.stop()


async def test_a_failed_start_is_repeated_with_back_off(clock: FakeClock) -> None:
    """R5: for ever, 1 s to 60 s apart, with a new channel each time; what was half started is stopped."""
    opened: list[FaultyChannel] = []

    def opener() -> Channel:
        opened.append(FaultyChannel("hook", *([OSError("no route")] if len(opened) < 9 else [])))
        return opened[-1]

    watch = Watch(clock, hook=opener)
    await watch.supervisor.start()
    assert watch.supervisor.health() == {"hook": ChannelHealth(state="error", reason="it did not start: OSError")}
    seen = [(clock.monotonic(), len(opened))]
    for _ in range(260):
        await clock.advance(1)
        if len(opened) > seen[-1][1]:
            seen.append((clock.monotonic(), len(opened)))
    assert [at for at, _ in seen] == [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]
    assert [channel.stops for channel in opened] == [1] * 9 + [0]
    assert watch.supervisor.find("hook") is opened[-1]
    assert watch.started == ["hook"]
    await watch.supervisor.stop()


async def test_a_mistake_in_the_configuration_is_final(clock: FakeClock) -> None:
    opened: list[None] = []

    def opener() -> Channel:
        opened.append(None)
        raise NotConfigured("platform slack is not part of this release yet")

    watch = Watch(clock, slack=opener, hook=partial(FaultyChannel, "hook"))
    await watch.supervisor.start()
    await clock.advance(3600)
    assert len(opened) == 1
    reason = "platform slack is not part of this release yet"
    assert watch.supervisor.health() == {"slack": ChannelHealth(state="error", reason=reason), "hook": CONNECTED}
    await watch.supervisor.stop()


async def test_a_channel_that_refuses_its_configuration_at_start_is_final_too(clock: FakeClock) -> None:
    channel = FaultyChannel("hook", NotConfigured("the token was revoked"))
    watch = Watch(clock, hook=lambda: channel)
    await watch.supervisor.start()
    await clock.advance(3600)
    assert (channel.starts, channel.stops) == (1, 1)
    assert watch.supervisor.health()["hook"] == ChannelHealth(state="error", reason="the token was revoked")
    await watch.supervisor.stop()


async def test_a_stuck_channel_delays_neither_start_nor_stop(clock: FakeClock) -> None:
    """R4, R7."""
    hook = FaultyChannel("hook")
    watch = Watch(clock, stuck=partial(StuckChannel, "stuck"), hook=lambda: hook)
    start = asyncio.create_task(watch.supervisor.start())
    await settle()
    assert watch.supervisor.find("hook") is hook
    assert not start.done()
    await clock.advance(5)
    assert start.done()
    assert watch.supervisor.health()["stuck"].state == "connecting"
    stop = asyncio.create_task(watch.supervisor.stop())
    await settle()
    assert hook.stops == 1
    await clock.advance(9)
    assert stop.done()


async def test_after_the_stop_nothing_runs(clock: FakeClock) -> None:
    """R7: running channels are stopped, those that could not start are given up."""
    hook, faulty = FaultyChannel("hook"), FaultyChannel("faulty", *[OSError()] * 9)
    watch = Watch(clock, hook=lambda: hook, faulty=lambda: faulty)
    tasks = len(asyncio.all_tasks())
    await watch.supervisor.start()
    await watch.supervisor.stop()
    await watch.supervisor.stop()
    await clock.advance(3600)
    assert (hook.stops, faulty.starts) == (1, 1)
    assert watch.supervisor.find("hook") is None
    assert watch.supervisor.health()["hook"].state != "connected"
    assert len(asyncio.all_tasks()) == tasks


async def test_channels_come_change_and_go_while_it_runs(clock: FakeClock) -> None:
    """The old one stops before the new one starts: two of them would take each other's messages."""
    first, second = FaultyChannel("late"), FaultyChannel("late")
    watch = Watch(clock, hook=partial(FaultyChannel, "hook"))
    tasks = len(asyncio.all_tasks())
    await watch.supervisor.start()
    await watch.supervisor.replace("late", lambda: first)
    assert watch.supervisor.find("late") is first

    def opener() -> Channel:
        assert first.stops == 1
        return second

    await watch.supervisor.replace("late", opener)
    assert watch.supervisor.find("late") is second
    assert watch.started == ["hook", "late", "late"]
    await watch.supervisor.remove("late")
    await watch.supervisor.remove("late")
    assert (second.stops, watch.supervisor.find("late"), watch.supervisor.knows("late")) == (1, None, False)
    assert set(watch.supervisor.health()) == {"hook"}
    await watch.supervisor.stop()
    assert len(asyncio.all_tasks()) == tasks


async def test_one_that_cannot_start_is_replaced_all_the_same(clock: FakeClock) -> None:
    """Neither its next try nor one that is stuck stands in the way; nobody waits longer than a few seconds."""
    faulty, good = FaultyChannel("late", *[OSError()] * 9), FaultyChannel("late")
    watch = Watch(clock)
    await watch.supervisor.start()
    await watch.supervisor.replace("late", lambda: faulty)
    assert watch.supervisor.health()["late"].state == "error"
    replacing = asyncio.create_task(watch.supervisor.replace("late", partial(StuckChannel, "late")))
    await settle()
    assert watch.supervisor.knows("late"), "a request that comes meanwhile is told to try again"
    await clock.advance(5)
    assert replacing.done()
    replacing = asyncio.create_task(watch.supervisor.replace("late", lambda: good))
    await settle()
    await clock.advance(5)
    await replacing
    await clock.advance(3600)
    assert (watch.supervisor.find("late"), faulty.starts) == (good, 1)
    await watch.supervisor.stop()


async def test_a_channel_that_fails_to_stop_stops_no_other(clock: FakeClock) -> None:
    class Stubborn(FaultyChannel):
        async def stop(self) -> None:
            raise OSError("no")

    hook = FaultyChannel("hook")
    watch = Watch(clock, bad=partial(Stubborn, "bad"), hook=lambda: hook)
    await watch.supervisor.start()
    await watch.supervisor.stop()
    assert hook.stops == 1


async def test_the_announcement_is_repeated_until_it_is_heard(clock: FakeClock) -> None:
    """Otherwise what waited for the channel would wait for the next message."""
    heard: list[float] = []

    async def started(channel_id: str) -> None:
        heard.append(clock.monotonic())
        if len(heard) < 3:
            raise OSError("the database is locked")

    channel = FaultyChannel("hook")
    supervisor = Supervisor(
        {"hook": lambda: channel}, emit_for=lambda channel_id: partial(accept, channel_id), started=started, clock=clock
    )
    await supervisor.start()
    await clock.advance(10)
    assert heard == [0, 1, 3]
    assert channel.starts == 1
    await supervisor.stop()
