"""R0 where it is decided: of those who want the same at the same instant the store lets one have it."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from store.base import Row
from store.database import Database, Transaction
from store.errors import Lost
from store.events import Event, add_event, events_after
from store.inputs import Input, Receipt, finish_input, next_input
from store.jobs import Job, close_job, hold_job, jobs_of_room
from store.sessions import lock_session, next_seq
from store.turns import Turn, add_turn, count_ended, end_turn, hold_turn, live_turn, take_over
from tests.support.clock import START
from tests.support.outbound import HOST, add_room, session_of

pytestmark = pytest.mark.both_databases

AT_ONCE = 6


@pytest.fixture
async def store(database: Database) -> Database:
    await add_room(database)
    return database


async def at_once(store: Database, work: Callable[..., Awaitable[Any]], actors: range = range(AT_ONCE)) -> list[Any]:
    """What `work` gives each actor, all of them in a transaction of their own."""
    tasks = (store.write(partial(work, who=str(who))) for who in actors)
    return await asyncio.gather(*tasks, return_exceptions=True)


async def add(tx: Transaction, row: Row) -> None:
    tx.orm.add(row)
    await tx.orm.flush()


def turn(name: str) -> Turn:
    fields = {"session_id": "s1", "input_id": "i1", "agent_id": "studio", "kind": "user", "round_id": "i1"}
    return Turn(id=name, rounds=["i1"], prompt="", started_at=START, run=f"run-{name}", **fields)


def job(name: str) -> Job:
    ids = {"room_id": "s1", "member_id": "writer", "member_name": "W", "side_session_id": "s1~writer"}
    return Job(id=name, number=1, turn_id="t1", call="1.0", round_id="i1", created_at=START, message="sheet", **ids)


def question(name: str, kind: str = "user") -> Input:
    return Input(id=name, session_id="s1", kind=kind, position=1, round_id=name, created_at=START)


def receipt(key: str) -> Receipt:
    return Receipt(scope="s1", key=key, digest="", input_id="i1", created_at=START)


async def test_events_of_one_instant_get_numbers_without_gaps(store: Database) -> None:
    """Architecture 4: the session's row counts, and whoever holds it is the next."""

    async def say(tx: Transaction, who: str) -> int:
        seq = await next_seq(tx, await lock_session(tx, "s1"), posted=True)
        await add_event(
            tx, Event(session_id="s1", seq=seq, id=who, kind="host_message", at=tx.now, speaker=HOST, text=who)
        )
        return seq

    numbers = {str(who): seq for who, seq in enumerate(await at_once(store, say))}
    assert sorted(numbers.values()) == list(range(1, AT_ONCE + 1))
    assert {
        each.text: each.seq for each in await store.read(partial(events_after, session_id="s1", after=0))
    } == numbers
    assert (await session_of(store)).seq == AT_ONCE


async def test_one_of_those_who_claim_an_input_gets_it(store: Database) -> None:
    """Section 5: one live turn per session; who held the session first finds the input, the others find nothing."""
    await store.write(partial(add, row=question("i1")))

    async def claim(tx: Transaction, who: str) -> str | None:
        await lock_session(tx, "s1")
        found = await next_input(tx, "s1")
        if found is None:
            return None
        found.state = "claimed"
        return (await add_turn(tx, turn(who))).id

    claimed = await at_once(store, claim)
    (winner,) = [each for each in claimed if each is not None]
    live = await store.read(partial(live_turn, session_id="s1"))
    assert live is not None
    assert live.id == winner


async def test_one_of_those_who_take_a_turn_over_owns_it(store: Database) -> None:
    """Section 6: a write of a run that lost its turn changes nothing."""
    await store.write(partial(add_turn, turn=turn("t1")))

    async def seize(tx: Transaction, who: str) -> str:
        await lock_session(tx, "s1")
        return (await take_over(tx, await hold_turn(tx, "t1", "run-t1"), who)).run

    ends = await at_once(store, seize)
    assert [type(each) for each in ends].count(Lost) == AT_ONCE - 1
    live = await store.read(partial(live_turn, session_id="s1"))
    assert live is not None
    assert live.run in ends


async def test_a_job_closes_once(store: Database) -> None:
    """T28, R0: done, failed and cancelled at the same instant; the first one stands."""
    await store.write(partial(add, row=job("j1")))

    async def close(tx: Transaction, who: str) -> str | None:
        await lock_session(tx, "s1")
        held = await hold_job(tx, "j1")
        if held is None:
            return None
        await close_job(tx, held, state="done", result=who)
        return who

    (winner,) = [who for who in await at_once(store, close) if who is not None]
    (closed,) = await store.read(partial(jobs_of_room, room_id="s1"))
    assert (closed.state, closed.result) == ("done", winner)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(turn, id="live turn of a session"),
        pytest.param(lambda who: question(who, "wake_up"), id="pending wake-up of a room"),
        pytest.param(job, id="job of a call"),
        pytest.param(lambda who: receipt("k"), id="receipt of a key"),
    ],
)
async def test_there_is_only_one(store: Database, row: Callable[[str], Row]) -> None:
    """R0, T26: the store itself refuses the second, also from one who forgot to lock."""

    async def put(tx: Transaction, who: str) -> str:
        await add(tx, row(who))
        return who

    ends = await at_once(store, put)
    assert [type(each) for each in ends].count(IntegrityError) == AT_ONCE - 1


async def test_what_has_ended_is_in_nobodys_way(store: Database) -> None:
    """The conditions of those indexes: a session has many turns, and many wake-ups, one after the other."""
    for name in ("t1", "t2"):
        await store.write(partial(add_turn, turn=turn(name)))
        await store.write(partial(_end, name=name))
    for name in ("w1", "w2"):
        await store.write(partial(add, row=question(name, "wake_up")))
        await store.write(partial(finish_input, input_id=name))
    for name in ("i1", "i2"):
        await store.write(partial(add, row=question(name)))
    assert await store.read(partial(count_ended, session_ids=["s1"])) == 2
    upcoming = await store.read(partial(next_input, session_id="s1"))
    assert upcoming is not None
    assert upcoming.id == "i1"


async def _end(tx: Transaction, name: str) -> None:
    await end_turn(tx, await tx.orm.get_one(Turn, name), "completed")
