"""The outbox reaches the platforms: in order, later if it must be, and never silently not."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import structlog

from bridge.delivery import Courier
from bridge.metrics import Backlog, Metrics
from bridge.outgoing import Draft, enqueue
from channels.types import LivePost, OutboundMessage, Outcome, OutFile, Rejected, Retryable, Sent, Speaker, Uncertain
from host.shelf import Shelf
from store.database import Database, Transaction
from store.files import File, add_files
from store.outbox import chats_with_pending
from tests.support.clock import START, FakeClock
from tests.support.outbound import Channels, HandLanes, ScriptedChannel, add_question, stored

pytestmark = pytest.mark.both_databases

DAY = 86_400


def message(text: str, *, channel_id: str = "hook", chat_id: str = "c1") -> OutboundMessage:
    return OutboundMessage(
        delivery_id=f"{channel_id}-{chat_id}-{text}",
        channel_id=channel_id,
        chat_id=chat_id,
        thread="",
        session_id="s1",
        seq=0,
        kind="host",
        speaker=Speaker(id="studio", name="内容工作室", role="host"),
        text=text,
        display_text=text,
        created_at=START,
    )


class TwiceChannel(ScriptedChannel):
    """A platform without ids for what it is sent."""

    shows_twice = True


class NoPosts:
    """Nobody writes live."""

    async def post_of(self, message: OutboundMessage) -> LivePost | None:
        return None


class Way:
    """The outbox, its courier and one channel."""

    def __init__(self, database: Database, clock: FakeClock, *channels: ScriptedChannel) -> None:
        self.database = database
        self.clock = clock
        self.lanes = HandLanes(clock)
        self.channels = Channels(*channels)
        self.metrics = Metrics()
        self.shelf = Shelf(Path("no-such-folder"))
        self.channel = channels[0]
        self.courier = self.new_courier()

    def new_courier(self) -> Courier:
        return Courier(
            database=self.database,
            lanes=self.lanes,
            channels=self.channels,
            posts=NoPosts(),
            clock=self.clock,
            metrics=self.metrics,
            shelf=self.shelf,
            jitter=lambda: 0.0,
        )

    async def put(
        self, *texts: str, channel_id: str = "hook", chat_id: str = "c1", rounds: tuple[str, ...] = ()
    ) -> None:
        drafts = [Draft(message=message(text, channel_id=channel_id, chat_id=chat_id), rounds=rounds) for text in texts]
        await self.database.write(partial(enqueue, drafts=drafts, lanes=self.lanes))

    async def run(self, seconds: float = 0) -> None:
        await self.lanes.run_for(seconds, self.courier.drain)

    async def retry(self, delivery_id: str) -> bool:
        return await self.database.write(partial(self.courier.retry, delivery_id=delivery_id))

    def times(self, text: str, channel: ScriptedChannel | None = None) -> list[float]:
        """When the message was tried."""
        return [at for at, tried in (channel or self.channel).tried if tried.text == text]

    def count(self, name: str, **labels: str) -> float:
        return self.metrics.registry.get_sample_value(name, labels) or 0.0


@pytest.fixture
def way(database: Database, clock: FakeClock) -> Way:
    return Way(database, clock, ScriptedChannel(clock=clock))


@pytest.fixture
def twice(database: Database, clock: FakeClock) -> Way:
    return Way(database, clock, TwiceChannel(clock=clock))


async def test_messages_arrive_in_the_order_of_their_chat(way: Way) -> None:
    """Contract 4: strictly in seq order."""
    await way.put("a", "b", "c")
    await way.run()
    assert way.channel.texts == ["a", "b", "c"]
    assert [one.seq for one in way.channel.arrived] == [1, 2, 3]
    sent = await stored(way.database, "hook-c1-b")
    assert (sent.state, sent.platform_id, sent.attempts, sent.sending) == ("sent", "p2", 1, False)
    assert sent.sent_at == sent.first_attempt_at == START
    await way.run()
    assert len(way.channel.tried) == 3


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        (Retryable(reason="503"), [0, 1, 3]),
        (Retryable(reason="429", retry_after=90), [0, 90, 180]),
        (Retryable(reason="429", retry_after=0.2), [0, 1, 3]),
        (Uncertain(reason="cut"), [0, 1, 3]),
    ],
)
async def test_a_passing_fault_delays_but_keeps_the_order(way: Way, fault: Outcome, times: list[float]) -> None:
    """R3: 429 with any Retry-After, 5xx, a cut: later, in order, and each message once."""
    way.channel.script([fault, fault])
    await way.put("a", "b")
    await way.run(600)
    assert way.times("a") == times
    assert way.channel.texts == ["a", "b"]
    assert way.times("b") == times[-1:]


async def test_an_outage_of_hours_loses_nothing(way: Way, clock: FakeClock) -> None:
    """R3, R1: what came in during the outage arrives after it, in order."""
    down_until = 5 * 3600
    way.channel.answer = lambda one: Sent() if clock.monotonic() >= down_until else Retryable(reason="refused")
    await way.put("a")
    await way.run(3600)
    await way.put("b", "c")
    await way.run(6 * 3600)
    assert way.channel.texts == ["a", "b", "c"]
    gaps = [later - earlier for earlier, later in zip(way.times("a"), way.times("a")[1:], strict=False)]
    assert gaps[:5] == [1, 2, 4, 8, 16]
    assert max(gaps) == 600


async def test_each_delivery_has_its_own_day(way: Way, clock: FakeClock) -> None:
    """Architecture 7: 24 h from a delivery's own first attempt, then the next goes on."""
    way.channel.answer = lambda one: Retryable(reason="refused") if one.text != "c" else Sent()
    await way.put("a", "b", "c")
    await way.run(DAY + 700)
    assert (await stored(way.database, "hook-c1-a")).state == "dead"
    assert (await stored(way.database, "hook-c1-b")).state == "pending"
    assert (await stored(way.database, "hook-c1-b")).first_attempt_at == START + timedelta(seconds=way.times("a")[-1])
    await way.run(DAY + 700)
    assert way.channel.texts == ["c"]
    assert (await stored(way.database, "hook-c1-b")).reason == "refused"


async def test_a_rejected_message_is_a_dead_letter_and_the_next_goes_on(way: Way) -> None:
    way.channel.answer = lambda one: Rejected(reason="HTTP 410") if one.text == "b" else Sent()
    await way.put("a", "b", "c")
    await way.run(DAY)
    assert way.channel.texts == ["a", "c"]
    dead = await stored(way.database, "hook-c1-b")
    assert (dead.state, dead.reason, dead.attempts) == ("dead", "HTTP 410", 1)


async def test_a_dead_letter_can_be_tried_anew(way: Way, clock: FakeClock) -> None:
    way.channel.script([Rejected(reason="HTTP 410"), Sent(), Retryable(reason="503")])
    await way.put("a", "b")
    await way.run(3 * DAY)
    assert await way.retry("hook-c1-a")
    again = await stored(way.database, "hook-c1-a")
    assert (again.state, again.attempts, again.first_attempt_at) == ("pending", 0, None)
    await way.run(60)
    assert way.channel.texts == ["b", "a"]
    assert (await stored(way.database, "hook-c1-a")).attempts == 2


async def test_only_given_up_deliveries_can_be_tried_anew(way: Way) -> None:
    way.channel.script([Sent(), Retryable(reason="503")])
    await way.put("a", "b")
    await way.run()
    assert not await way.retry("hook-c1-a")
    assert not await way.retry("hook-c1-b")
    assert not await way.retry("nothing")
    assert (await stored(way.database, "hook-c1-b")).attempts == 1


async def test_an_outage_of_one_channel_stops_no_other(database: Database, clock: FakeClock) -> None:
    """R4, contract 4."""
    hook, other = ScriptedChannel(clock=clock), ScriptedChannel("other", clock=clock)
    way = Way(database, clock, hook, other)
    hook.answer = lambda one: Retryable(reason="refused")
    await way.put("a")
    await way.put("b", channel_id="other")
    await way.put("c", chat_id="c2")
    await way.run()
    assert other.texts == ["b"]
    assert way.times("c") == [0]


async def test_a_slow_send_holds_only_its_chat(database: Database, clock: FakeClock) -> None:
    """R4: no lock is held while a platform thinks."""
    gate = asyncio.Event()

    class SlowChannel(ScriptedChannel):
        async def send(self, message: OutboundMessage) -> Outcome:
            if message.chat_id == "c1":
                await gate.wait()
            return await super().send(message)

    way = Way(database, clock, SlowChannel(clock=clock))
    await way.put("a")
    await way.put("b", chat_id="c2")
    slow = asyncio.create_task(way.courier.drain("chat:hook:c1"))
    await way.courier.drain("chat:hook:c2")
    assert way.channel.texts == ["b"]
    gate.set()
    await slow
    assert way.channel.texts == ["b", "a"]


async def test_chats_of_a_stopped_channel_wait_until_it_runs(way: Way) -> None:
    del way.channels.running["hook"]
    await way.put("a", chat_id="x:y")
    await way.run(DAY * 3)
    assert (await stored(way.database, "hook-x:y-a")).attempts == 0
    way.channels.running["hook"] = way.channel
    await way.courier.resume("other")
    await way.run()
    assert way.channel.texts == []
    await way.courier.resume("hook")
    await way.run()
    assert way.channel.texts == ["a"]


async def killed_while_sending(way: Way, *, arrives: bool) -> None:
    """The process dies after the attempt was recorded: its task ends, what it would have written is never written."""
    answer = way.channel.answer

    def die(one: OutboundMessage) -> Outcome:
        if arrives:
            way.channel.arrived.append(one)
        raise asyncio.CancelledError

    way.channel.answer = die
    with pytest.raises(asyncio.CancelledError):
        await way.run()
    way.channel.answer = answer
    way.lanes = HandLanes(way.clock)
    way.courier = way.new_courier()


@pytest.mark.parametrize("arrives", [True, False])
async def test_a_kill_between_attempt_and_record_repeats_the_same_id(way: Way, arrives: bool) -> None:
    """R1: the attempt is on record; the receiver knows the id, so it is sent again before anything later."""
    await way.put("a", "b")
    await killed_while_sending(way, arrives=arrives)
    cut = await stored(way.database, "hook-c1-a")
    assert (cut.state, cut.attempts, cut.sending, cut.first_attempt_at) == ("pending", 1, True, START)
    await way.courier.resume("hook")
    await way.run()
    assert way.channel.texts == (["a"] if arrives else []) + ["a", "b"]
    assert len({one.delivery_id for one in way.channel.arrived}) == 2
    assert (await stored(way.database, "hook-c1-a")).attempts == 2


async def test_a_kill_on_a_platform_that_shows_twice_repeats_it_marked_once(twice: Way) -> None:
    """R1: never a second copy silently; in order, and the next ones go on."""
    await twice.put("a", "b")
    await killed_while_sending(twice, arrives=True)
    await twice.courier.resume("hook")
    await twice.run(DAY)
    assert [(one.text, one.again) for one in twice.channel.arrived] == [("a", False), ("a", True), ("b", False)]


async def test_what_stays_uncertain_after_its_repetition_stays_visible(twice: Way) -> None:
    """R1: and the next ones go on; by hand it can be tried, marked again."""
    twice.channel.script([Uncertain(reason="cut"), Uncertain(reason="cut")])
    await twice.put("a", "b")
    await twice.run(DAY)
    assert twice.channel.texts == ["b"]
    left = await stored(twice.database, "hook-c1-a")
    assert (left.state, left.attempts, left.reason) == ("uncertain", 2, "cut")
    assert await twice.retry("hook-c1-a")
    await twice.run()
    assert twice.channel.texts == ["b", "a"]
    assert twice.channel.arrived[-1].again


async def test_an_answered_5xx_is_repeated_as_long_as_it_takes(twice: Way) -> None:
    """Architecture 7: it was hardly executed."""
    twice.channel.script([Uncertain(reason="500", answered=True)] * 5)
    await twice.put("a", "b")
    await twice.run(DAY)
    assert [(one.text, one.again) for one in twice.channel.arrived] == [("a", True), ("b", False)]


async def test_a_known_outcome_is_retried_there_too(twice: Way) -> None:
    twice.channel.script([Retryable(reason="429", retry_after=5)])
    await twice.put("a")
    await twice.run(60)
    assert twice.times("a") == [0, 5]


async def test_a_paused_worker_that_wakes_later_changes_nothing(way: Way, clock: FakeClock) -> None:
    """Architecture 6: its outcome belongs to attempt 1, the current one is number 2."""
    begun = asyncio.Event()
    gate = asyncio.Event()
    answers: list[Callable[[], Outcome]] = [lambda: Rejected(reason="old"), lambda: Sent(platform_id="new")]

    class PausingChannel(ScriptedChannel):
        async def send(self, message: OutboundMessage) -> Outcome:
            answer = answers.pop(0)
            if len(answers) == 1:
                begun.set()
                await gate.wait()
            return answer()

    way.channels.running["hook"] = PausingChannel(clock=clock)
    await way.put("a")
    paused = asyncio.create_task(way.courier.drain("chat:hook:c1"))
    await begun.wait()
    await way.new_courier().drain("chat:hook:c1")
    gate.set()
    await paused
    sent = await stored(way.database, "hook-c1-a")
    assert (sent.state, sent.platform_id, sent.attempts) == ("sent", "new", 2)


async def test_a_crashing_channel_blocks_its_chat_not_for_ever(way: Way) -> None:
    """R4: like every doubt it is tried for a day, then the chat goes on."""

    def crash(one: OutboundMessage) -> Outcome:
        if one.text == "poison":
            raise RuntimeError("a bug")
        return Sent()

    way.channel.answer = crash
    await way.put("poison", "b")
    with structlog.testing.capture_logs() as logs:
        await way.run(DAY + 700)
    assert logs[0]["event"] == "A channel failed to send"
    assert way.channel.texts == ["b"]
    dead = await stored(way.database, "hook-c1-poison")
    assert (dead.state, dead.reason) == ("dead", "RuntimeError")


async def test_delays_and_outcomes_are_counted(way: Way, clock: FakeClock) -> None:
    """Contract 9: event → accepted for every message, question → first message once a round."""
    await add_question(way.database)
    await clock.advance(2)
    way.channel.script([Retryable(reason="503")])
    await way.put("a", "b", rounds=("r1",))
    await way.run(10)
    assert way.count("teambridge_deliveries_total", channel="hook", outcome="sent") == 2
    assert way.count("teambridge_deliveries_total", channel="hook", outcome="retryable") == 1
    assert way.count("teambridge_delivery_delay_seconds_sum") == 3 + 3
    assert way.count("teambridge_answer_delay_seconds_count") == 1
    assert way.count("teambridge_answer_delay_seconds_sum") == 3


async def test_a_long_queue_goes_out_in_one_go(way: Way) -> None:
    await way.put(*(f"{number}" for number in range(50)))
    await way.courier.drain("chat:hook:c1")
    assert way.channel.texts == [f"{number}" for number in range(50)]

    async def pending(tx: Transaction) -> list[tuple[str, str]]:
        return await chats_with_pending(tx)

    assert await way.database.read(pending) == []
    assert b"teambridge_deliveries_total" in way.metrics.render(Backlog(jobs={}, deliveries={}), {})
    assert replace(way.channel.arrived[0], seq=0) == message("0")


async def test_a_platform_that_can_look_is_told_that_a_message_was_tried_before(way: Way) -> None:
    """R1: by the attempt, also when somebody tries a given-up delivery again, which then counts from one."""
    way.channel.script([Uncertain(reason="cut"), Rejected(reason="400")])
    await way.put("a")
    await way.run(60)
    assert await way.retry("hook-c1-a")
    await way.run(60)
    assert [one.attempt for _, one in way.channel.tried] == [1, 2, 2]


async def test_a_file_is_found_when_it_is_sent(way: Way) -> None:
    """Where bytes lie is not part of a message: a store that moved still delivers; what is gone has no place."""
    digest = "ab" + "0" * 62

    async def add(tx: Transaction) -> None:
        known = {"session_id": "s1", "created_at": tx.now, "state": "stored"}
        await add_files(tx, [File(id="f1", name="a.pdf", digest=digest, **known)])

    await way.database.write(add)
    kept = OutFile(id="f1", name="a.pdf", path="", mime="application/pdf", size=3)
    drafts = [
        Draft(message=replace(message(text), file=file))
        for text, file in (("a", kept), ("b", replace(kept, id="unknown")), ("c", None))
    ]
    await way.database.write(partial(enqueue, drafts=drafts, lanes=way.lanes))
    await way.run()
    files = [one.file for one in way.channel.arrived]
    assert files == [replace(kept, path=f"no-such-folder/ab/{digest}"), replace(kept, id="unknown"), None]
