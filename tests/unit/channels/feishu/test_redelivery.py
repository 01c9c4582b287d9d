"""The platform's own schedule, on the test's time, against the real inbox (R2)."""

import asyncio
from pathlib import Path

from channels.base import Receipt
from channels.types import InboundEvent
from store.database import Database
from store.inbox import InboxEvent
from tests.support.feishu.connection import SCHEDULE, Postman
from tests.support.feishu.events import dumped
from tests.support.front import Front, open_front
from tests.unit.channels.feishu.conftest import Bench


class Flaky:
    """Stores events; fails the first `failures` times, before or after it has stored."""

    def __init__(self, front: Front, failures: int, *, stores: bool) -> None:
        self.front = front
        self.failures = failures
        self.stores = stores

    async def __call__(self, event: InboundEvent) -> Receipt:
        if self.failures:
            self.failures -= 1
            if self.stores:
                await self.front.intake.accept("chatty", event)
            raise OSError("the disk is full")
        return await self.front.intake.accept("chatty", event)


async def _bring(bench: Bench, postman: Postman, event: bytes) -> None:
    bringing = postman.post(event)
    await bench.advance_until(100, bringing.done)
    await postman.close()


async def test_an_event_that_could_not_be_stored_comes_again_until_it_is(
    bench: Bench, database: Database, tmp_path: Path
) -> None:
    """After 15 s, 5 min, 1 h and 6 h: four failures, and it is stored all the same, once."""
    front = await open_front(database, bench.clock, tmp_path)
    bench.server.config["PingInterval"] = 600
    await bench.channel.start(Flaky(front, 4, stores=False))
    await bench.server.connections.until(lambda c: bool(c.clients))
    postman = Postman(bench.server.connections, SCHEDULE, bench.clock)
    _, event = bench.person().event_of("最后一次")
    await _bring(bench, postman, dumped(event))
    assert postman.attempts == 5
    assert bench.clock.monotonic() >= sum(SCHEDULE)
    assert [row.event["text"] for row in await front.rows(InboxEvent)] == ["最后一次"]


async def test_an_event_that_was_stored_but_not_answered_is_stored_once(
    bench: Bench, database: Database, tmp_path: Path
) -> None:
    front = await open_front(database, bench.clock, tmp_path)
    bench.server.config["PingInterval"] = 600
    await bench.channel.start(Flaky(front, 3, stores=True))
    await bench.server.connections.until(lambda c: bool(c.clients))
    postman = Postman(bench.server.connections, SCHEDULE, bench.clock)
    ann = bench.person()
    await _bring(bench, postman, dumped(ann.event_of("一次")[1]))
    assert postman.attempts == 4
    assert len(await front.rows(InboxEvent)) == 1
    copies = [ann.event_of("同时")[1]] * 5
    acks = await asyncio.gather(*(ann.push(copy) for copy in copies))
    assert {ack.code for ack in acks if ack is not None} == {200}
    assert len(await front.rows(InboxEvent)) == 2


async def test_an_event_of_an_outage_comes_with_the_next_attempt_after_it(bench: Bench) -> None:
    """R3, R5: nobody listens after 0 s and 15 s; whoever is slow to connect again would miss more than that."""
    bench.server.config["ReconnectInterval"] = 90
    await bench.start()
    postman = Postman(bench.server.connections, SCHEDULE, bench.clock)
    bringing = await _say_in_outage(bench, postman, 91, "还在吗")
    await bench.advance_until(0.5, lambda: bench.channel.state().connected)
    assert postman.attempts == 2
    await bench.advance_until(5, bringing.done)
    assert (bringing.result(), postman.attempts, bench.intake.texts) == (True, 3, ["还在吗"])


async def test_the_simulated_platform_gives_nothing_up_because_of_an_outage(bench: Bench) -> None:
    """R3: its pauses are seconds instead of hours, while an outage lasts as long as it lasts."""
    await bench.start()
    postman = Postman(bench.server.connections, clock=bench.clock)
    bringing = await _say_in_outage(bench, postman, 2 * sum(postman.schedule), "还在吗")
    await bench.advance_until(1, bringing.done)
    assert (bringing.result(), bench.intake.texts) == (True, ["还在吗"])


async def test_the_simulated_platform_tells_what_it_gave_up(bench: Bench) -> None:
    """R1: an audit must not take it for taken. Nobody listens for seven hours."""
    postman = Postman(bench.server.connections, SCHEDULE, bench.clock)
    bringing = postman.post(dumped(bench.person().event_of("白说")[1]))
    await bench.advance_until(100, bringing.done)
    assert (bringing.result(), postman.attempts) == (False, 5)


async def _say_in_outage(bench: Bench, postman: Postman, seconds: float, text: str) -> "asyncio.Task[bool]":
    """Something is said when the platform has just gone, and stays away for so long."""
    await bench.server.close_port()
    await bench.advance_until(0.1, lambda: not bench.channel.state().connected)
    bringing = postman.post(dumped(bench.person().event_of(text)[1]))
    until = bench.clock.monotonic() + seconds
    await bench.advance_until(1, lambda: bench.clock.monotonic() >= until)
    await bench.server.open_port()
    return bringing
