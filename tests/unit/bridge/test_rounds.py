"""Waiting for a round: over and published, or time is up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from bridge.notices import Notices
from bridge.presenter import Rules
from bridge.publisher import Publisher
from bridge.rounds import MAX_WAITERS, Rounds
from channels.types import OutboundMessage
from store.base import Origin
from store.database import Database
from tests.support.clock import FakeClock, settle
from tests.support.outbound import HandLanes, add_question, add_room, event, finish_question, say

Answer = tuple[OutboundMessage, ...] | None


@pytest.fixture
def rounds(database: Database, clock: FakeClock) -> Rounds:
    return Rounds(database, clock)


@pytest.fixture
def publisher(database: Database, clock: FakeClock, rounds: Rounds) -> Publisher:
    return Publisher(
        database=database,
        lanes=HandLanes(clock),
        rules_of=lambda channel_id: Rules(),
        notices=Notices("zh-CN"),
        rounds=rounds,
    )


@pytest.fixture(autouse=True)
async def question(database: Database) -> None:
    """Session s1 with a question r1 that is being worked on."""
    await add_room(database)
    await add_question(database, state="claimed")


@asynccontextmanager
async def waiting(rounds: Rounds, clock: FakeClock, seconds: float = 30) -> AsyncIterator["asyncio.Task[Answer]"]:
    """A request that has looked once and waits now."""
    task = asyncio.create_task(rounds.wait("s1", "r1", seconds))
    await settle()
    assert clock.sleepers
    await read_barrier(rounds)
    yield task
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def read_barrier(rounds: Rounds) -> None:
    """Whatever the waiters have begun to read is read."""
    for _ in range(3):
        await rounds.messages_after("hook", "c1", 0)


def texts(messages: Answer) -> list[str] | None:
    return None if messages is None else [message.text for message in messages]


async def test_a_round_that_is_over_is_answered_at_once(
    database: Database, rounds: Rounds, publisher: Publisher
) -> None:
    """Contract 4: a duplicate of a finished round gets the same messages."""
    await say(database, event("host_message", "a"), event("wrapup", "b"), event("wrapup", "other", rounds=["r2"]))
    await finish_question(database)
    await publisher.drain("s1")
    for _ in range(2):
        assert texts(await rounds.wait("s1", "r1", 30)) == ["a", "b"]
    assert texts(await rounds.wait("s1", "r1", 0)) == ["a", "b"]


async def test_it_waits_until_the_round_is_over_and_published(
    database: Database, rounds: Rounds, publisher: Publisher, clock: FakeClock
) -> None:
    async with waiting(rounds, clock) as task:
        await say(database, event("host_message", "a"))
        await publisher.drain("s1")
        await read_barrier(rounds)
        assert not task.done()  # published, not over
        await say(database, event("wrapup", "b"))
        await finish_question(database)
        rounds.published("s1")
        await read_barrier(rounds)
        assert not task.done()  # over, not published
        await publisher.drain("s1")
        assert texts(await asyncio.wait_for(task, 5)) == ["a", "b"]
    assert clock.sleepers == 0


async def test_when_the_time_is_up_there_is_no_answer(rounds: Rounds, clock: FakeClock) -> None:
    async with waiting(rounds, clock, 30) as task:
        await clock.advance(29)
        await read_barrier(rounds)
        assert not task.done()
        await clock.advance(1)
        assert await asyncio.wait_for(task, 5) is None


async def test_a_round_without_messages_is_an_empty_answer(
    database: Database, rounds: Rounds, publisher: Publisher, clock: FakeClock
) -> None:
    """Contract 3: the model answers nothing → nothing is sent, no error."""
    async with waiting(rounds, clock) as task:
        await say(database, event("turn_ended", data={"status": "completed"}))
        await finish_question(database)
        await publisher.drain("s1")
        assert await asyncio.wait_for(task, 5) == ()


async def test_an_ending_without_a_word_is_noticed(
    database: Database, rounds: Rounds, publisher: Publisher, clock: FakeClock
) -> None:
    """The lane `publish:` is enough: nothing needs to be published for the waiters to look again."""
    async with waiting(rounds, clock) as task:
        await finish_question(database)
        await publisher.drain("s1")
        assert await asyncio.wait_for(task, 5) == ()


async def test_all_who_wait_are_answered_and_nothing_is_left(
    database: Database, rounds: Rounds, publisher: Publisher, clock: FakeClock
) -> None:
    """R6: no waiter outlives its request."""
    waiters = [asyncio.create_task(rounds.wait("s1", "r1", 30)) for _ in range(5)]
    dropped = asyncio.create_task(rounds.wait("s1", "r1", 30))
    await settle()
    dropped.cancel()
    await asyncio.gather(dropped, return_exceptions=True)
    await say(database, event("wrapup", "b"))
    await finish_question(database)
    await publisher.drain("s1")
    assert [texts(one) for one in await asyncio.gather(*waiters)] == [["b"]] * 5
    assert rounds.waiting == 0


async def test_waiters_are_bounded(rounds: Rounds, monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> None:
    """R6: beyond the bound the answer is the same as at the end of the time, at once."""
    assert MAX_WAITERS >= 100
    monkeypatch.setattr("bridge.rounds.MAX_WAITERS", 1)
    async with waiting(rounds, clock):
        assert await rounds.wait("s1", "r1", 30) is None


async def test_messages_after_a_number(database: Database, rounds: Rounds, publisher: Publisher) -> None:
    """Contract 4: polling, of one chat or of all."""
    elsewhere = Origin(channel_id="hook", chat_id="c2")
    await say(
        database, event("host_message", "a"), event("host_message", "b"), event("host_message", "c", origin=elsewhere)
    )
    await publisher.drain("s1")
    after = partial(rounds.messages_after, "hook")
    assert texts(await after("c1", 0)) == ["a", "b"]
    assert texts(await after("c1", 1)) == ["b"]
    assert texts(await after("c1", 2)) == []
    assert texts(await after(None, 0)) == ["a", "b", "c"]
    assert texts(await rounds.messages_after("other", None, 0)) == []
