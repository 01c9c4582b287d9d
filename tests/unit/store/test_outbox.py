"""The outbox's queries: numbers, order, attempts and what is forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import pytest

from store.chats import Chat
from store.database import Database, Transaction
from store.inbox import InboxEvent
from store.inputs import Input, Receipt
from store.outbox import (
    MOVES,
    Delivery,
    DeliveryRound,
    add_deliveries,
    begin_attempt,
    chats_with_pending,
    count_pending,
    deliveries_after,
    deliveries_of_round,
    find_delivery,
    finish_attempt,
    list_deliveries,
    oldest_pending,
    prune_sent,
    questions_unanswered,
    retry_delivery,
    take_seqs,
)
from store.pruning import KEPT, Pruned, prune
from tests.support.clock import START, FakeClock

pytestmark = pytest.mark.both_databases

T = TypeVar("T")


def delivery(
    seq: int, state: str = "pending", *, chat_id: str = "c1", channel_id: str = "hook", **fields: Any
) -> Delivery:
    values = {"message": {"text": "x"}, "created_at": START, "due_at": START, "session_id": "s1"} | fields
    name = f"{channel_id}-{chat_id}-{seq}"
    return Delivery(id=name, channel_id=channel_id, chat_id=chat_id, seq=seq, state=state, **values)


async def put(database: Database, *rows: Delivery, links: dict[str, list[str]] | None = None) -> None:
    pairs = [(name, delivery_id) for name, ids in (links or {}).items() for delivery_id in ids]

    async def work(tx: Transaction) -> None:
        await add_deliveries(tx, rows, [DeliveryRound(round_id=name, delivery_id=one) for name, one in pairs])

    await database.write(work)


async def written(database: Database, query: Callable[..., Awaitable[T]], *arguments: Any, **named: Any) -> T:
    async def work(tx: Transaction) -> T:
        return await query(tx, *arguments, **named)

    return await database.write(work)


def ids(rows: list[Delivery]) -> list[str]:
    return [row.id for row in rows]


async def test_numbers_rise_by_chat_and_are_never_reused(database: Database) -> None:
    """Contract 4: also when what was numbered is gone, and when a transaction that took numbers failed."""

    async def chat(tx: Transaction) -> None:
        tx.orm.add(Chat(channel_id="hook", id="c1", type="group", created_at=tx.now, seq=7))

    async def failing(tx: Transaction) -> None:
        await take_seqs(tx, "hook", "c1", 1)
        raise RuntimeError

    await database.write(chat)
    assert await written(database, take_seqs, "hook", "c1", 3) == 8
    with pytest.raises(RuntimeError):
        await database.write(failing)
    assert await written(database, take_seqs, "hook", "c1", 1) == 11
    assert await written(database, take_seqs, "hook", "c2", 2) == 1
    assert await written(database, take_seqs, "hook", "c2", 1) == 3
    assert await written(database, take_seqs, "other", "c1", 1) == 1


async def test_numbers_taken_at_the_same_instant_are_all_different(database: Database) -> None:
    """R0, contract 4: the chat's row counts."""
    await written(database, take_seqs, "hook", "c1", 1)
    taken = await asyncio.gather(*(written(database, take_seqs, "hook", "c1", 2) for _ in range(8)))
    assert sorted(taken) == list(range(2, 18, 2))


async def test_one_of_two_outcomes_of_an_attempt_counts(database: Database) -> None:
    """R0: two workers end the same attempt at the same instant; the other one changes nothing."""
    await put(database, delivery(1))
    await begun(database)
    ends = (partial(finish_attempt, delivery_id="hook-c1-1", attempts=1, state=state) for state in ("sent", "dead"))
    assert sorted(await asyncio.gather(*(database.write(end) for end in ends))) == [False, True]


async def test_a_number_cannot_be_given_twice(database: Database) -> None:
    await put(database, delivery(1))
    again = delivery(1)
    again.id = "another"
    with pytest.raises(Exception, match=r"(?i)unique"):
        await put(database, again)


async def test_the_oldest_pending_comes_first_due_or_not(database: Database) -> None:
    later = START + timedelta(hours=1)
    await put(
        database,
        delivery(4),
        delivery(3, due_at=later),
        delivery(2, "dead"),
        delivery(1, "sent"),
        delivery(1, chat_id="c2"),
    )
    found = await written(database, oldest_pending, "hook", "c1")
    assert found is not None
    assert found.seq == 3
    assert await written(database, oldest_pending, "hook", "c9") is None


async def begun(database: Database, seq: int = 1) -> None:
    async def work(tx: Transaction) -> None:
        found = await find_delivery(tx, f"hook-c1-{seq}")
        assert found is not None
        await begin_attempt(tx, found)

    await database.write(work)


async def get(database: Database, seq: int = 1) -> Delivery:
    found = await written(database, find_delivery, f"hook-c1-{seq}")
    assert found is not None
    return found


async def test_an_attempt_is_on_record_before_its_outcome(database: Database, clock: FakeClock) -> None:
    await put(database, delivery(1))
    await begun(database)
    await clock.advance(5)
    await begun(database)
    row = await get(database)
    assert (row.attempts, row.sending, row.state, row.first_attempt_at) == (2, True, "pending", START)


@pytest.mark.parametrize("state", ["sent", "dead", "uncertain", "pending"])
async def test_an_outcome_counts_for_its_own_attempt_only(database: Database, clock: FakeClock, state: str) -> None:
    await put(database, delivery(1))
    await begun(database)
    await clock.advance(5)
    assert not await written(database, finish_attempt, "hook-c1-1", 2, state=state)
    due = START + timedelta(minutes=1) if state == "pending" else None
    assert await written(database, finish_attempt, "hook-c1-1", 1, state=state, reason="why", due_at=due)
    row = await get(database)
    assert (row.state, row.reason, row.sending) == (state, "why", False)
    assert row.due_at == (due or START)
    assert row.sent_at == (clock.now() if state == "sent" else None)
    if state != "pending":
        assert not await written(database, finish_attempt, "hook-c1-1", 1, state="dead")


@pytest.mark.parametrize("state", sorted(MOVES))
async def test_only_what_was_given_up_can_be_put_back(database: Database, clock: FakeClock, state: str) -> None:
    await put(database, delivery(1, state, attempts=9, first_attempt_at=START, reason="why"))
    await clock.advance(60)
    row = await written(database, retry_delivery, "hook-c1-1")
    assert (row is not None) == (state in {"dead", "uncertain"})
    if row is not None:
        assert (row.state, row.attempts, row.first_attempt_at, row.due_at) == ("pending", 0, None, clock.now())
    assert (await get(database)).attempts == (9 if row is None else 0)


async def test_what_waits_is_found_by_chat_and_counted_by_channel(database: Database) -> None:
    await put(
        database, delivery(1), delivery(2), delivery(1, chat_id="c2"), delivery(1, channel_id="b"), delivery(3, "dead")
    )
    assert sorted(await written(database, chats_with_pending)) == [("b", "c1"), ("hook", "c1"), ("hook", "c2")]
    assert await written(database, chats_with_pending, "b") == [("b", "c1")]
    assert await written(database, count_pending) == {"hook": 3, "b": 1}


async def test_messages_of_a_round_and_after_a_number_come_in_order(database: Database) -> None:
    rows = [delivery(seq) for seq in (3, 1, 2)]
    await put(database, *rows, delivery(9, chat_id="c0"), links={"r1": ["hook-c1-3", "hook-c1-1"], "r2": ["hook-c1-3"]})
    assert ids(await written(database, deliveries_of_round, "r1")) == ["hook-c1-1", "hook-c1-3"]
    assert ids(await written(database, deliveries_of_round, "r2")) == ["hook-c1-3"]
    assert ids(await written(database, deliveries_after, "hook", "c1", 1)) == ["hook-c1-2", "hook-c1-3"]
    assert ids(await written(database, deliveries_after, "hook", None, 2)) == ["hook-c0-9", "hook-c1-3"]
    assert ids(await written(database, deliveries_after, "hook", "c1", 0, limit=1)) == ["hook-c1-1"]


async def test_questions_without_a_message(database: Database) -> None:
    async def ask(tx: Transaction) -> None:
        for name in ("r1", "r2"):
            tx.orm.add(Input(id=name, session_id="s1", kind="user", position=1, round_id=name, created_at=tx.now))

    await database.write(ask)
    await put(database, delivery(1), links={"r1": ["hook-c1-1"]})
    assert await written(database, questions_unanswered, ["r1", "r2", "r2", "r3"]) == {"r2": START}
    assert await written(database, questions_unanswered, []) == {}


async def test_the_list_is_paged_newest_first(database: Database) -> None:
    rows = [delivery(seq, created_at=START + timedelta(seconds=seq // 2)) for seq in range(1, 8)]
    await put(database, *rows, delivery(8, "dead"))
    seen: list[Delivery] = []
    before = None
    while page := await written(database, list_deliveries, limit=3, before=before):
        seen += page
        before = (page[-1].created_at, page[-1].id)
    assert ids(seen) == [f"hook-c1-{seq}" for seq in (7, 6, 5, 4, 3, 2, 8, 1)]
    assert ids(await written(database, list_deliveries, state="dead", limit=9)) == ["hook-c1-8"]


async def test_only_old_sent_deliveries_are_forgotten(database: Database) -> None:
    """Architecture 7: dead letters never."""
    old, new = START - timedelta(days=31), START - timedelta(days=29)
    await put(
        database,
        delivery(1, "sent", sent_at=old),
        delivery(2, "sent", sent_at=new),
        delivery(3, "dead", created_at=old),
        delivery(4, "uncertain", created_at=old),
        delivery(5, created_at=old),
        links={"r1": ["hook-c1-1", "hook-c1-2"]},
    )
    assert await written(database, prune_sent, START - KEPT) == 1
    assert ids(await written(database, deliveries_after, "hook", "c1", 0)) == [f"hook-c1-{seq}" for seq in range(2, 6)]
    assert ids(await written(database, deliveries_of_round, "r1")) == ["hook-c1-2"]

    async def links(tx: Transaction) -> object:
        return await tx.orm.get(DeliveryRound, ("r1", "hook-c1-1"))

    assert await database.read(links) is None


async def test_pruning_forgets_finished_work_of_every_kind(database: Database) -> None:
    old, new = START - timedelta(days=31), START - timedelta(days=29)

    async def fill(tx: Transaction) -> None:
        for number, (state, at) in enumerate([("done", old), ("done", new), ("poison", old), ("pending", None)]):
            values: dict[str, Any] = {"channel_id": "hook", "chat_id": "c1", "event_key": f"{number}", "event": {}}
            values |= {"message_key": None, "received_at": old, "state": state, "finished_at": at}
            tx.orm.add(InboxEvent(**values))
        for number, at in enumerate([old, new]):
            tx.orm.add(Receipt(scope="s", key=f"{number}", digest="", input_id="i", created_at=at))

    await database.write(fill)
    await put(database, delivery(1, "sent", sent_at=old))
    assert await written(database, prune, START - KEPT) == Pruned(deliveries=1, inbox=1, receipts=1, files=0)
    assert await written(database, prune, START - KEPT) == Pruned(deliveries=0, inbox=0, receipts=0, files=0)
