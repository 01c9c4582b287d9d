"""Queries of the inbox."""

from functools import partial
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from store.database import Database, Transaction
from store.inbox import (
    InboxEvent,
    add_event,
    find_copies,
    find_pending,
    finish_event,
    message_key,
    next_pending,
    places_with_pending,
    poison_event,
    prune_inbox,
)
from tests.support.clock import FakeClock

pytestmark = pytest.mark.both_databases


async def put(database: Database, key: str, *, chat: str = "c1", message: str = "", channel: str = "hook") -> int:
    async def work(tx: Transaction) -> int:
        row = InboxEvent(
            channel_id=channel,
            chat_id=chat,
            event_key=key,
            message_key=message_key(chat, message),
            event={"text": key},
            received_at=tx.now,
        )
        return (await add_event(tx, row)).number

    return await database.write(work)


async def finish(database: Database, number: int, outcome: dict[str, Any]) -> None:
    async def work(tx: Transaction) -> None:
        row = await find_pending(tx, number)
        assert row is not None
        await finish_event(tx, row, outcome)

    await database.write(work)


async def copies(
    database: Database, key: str, *, chat: str = "c1", message: str = "", channel: str = "hook"
) -> set[str]:
    look = partial(find_copies, channel_id=channel, event_key=key, message=message_key(chat, message))
    return {row.event_key for row in await database.read(look)}


async def upcoming(database: Database, chat: str = "c1") -> str | None:
    row = await database.read(partial(next_pending, channel_id="hook", chat_id=chat))
    return None if row is None else row.event_key


async def test_copies_are_found_by_event_and_by_message(database: Database) -> None:
    """R2: the message counts within its chat, everything within its channel."""
    await put(database, "e1", message="m1")
    await put(database, "e2", message="m2")
    assert await copies(database, "e1", message="m1") == {"e1"}
    assert await copies(database, "e3", message="m1") == {"e1"}
    assert await copies(database, "e1", message="m2") == {"e1", "e2"}
    assert await copies(database, "e3", message="m1", chat="c2") == set()
    assert await copies(database, "e1", message="m1", channel="other") == set()
    assert await copies(database, "e3") == set()


@pytest.mark.parametrize(("key", "message"), [("e1", ""), ("e2", "m1")])
async def test_two_rows_of_one_event_or_message_cannot_be(database: Database, key: str, message: str) -> None:
    """R2: whatever a look before says."""
    await put(database, "e1", message="m1")
    with pytest.raises(IntegrityError):
        await put(database, key, message=message)


async def test_messages_without_an_id_do_not_clash(database: Database) -> None:
    assert await put(database, "e1") < await put(database, "e2")


async def test_the_next_event_is_the_chats_oldest_pending_one(database: Database) -> None:
    first, _, _ = [await put(database, key, chat=chat) for key, chat in (("e1", "c1"), ("e2", "c2"), ("e3", "c1"))]
    assert (await upcoming(database), await upcoming(database, "c2")) == ("e1", "e2")
    await finish(database, first, {"input_id": "i"})
    assert await upcoming(database) == "e3"
    assert await database.read(partial(find_pending, number=first)) is None


async def test_poison_is_kept_with_its_reason_and_only_what_is_pending_becomes_poison(
    database: Database, clock: FakeClock
) -> None:
    """R4."""
    bad, done = await put(database, "e1"), await put(database, "e2")
    await finish(database, done, {"command": "help"})
    for number in (bad, done):
        await database.write(partial(poison_event, number=number, reason="ValueError: no"))
    rows = [await database.read(partial(_row, number)) for number in (bad, done)]
    assert [(row.state, row.reason, row.finished_at) for row in rows] == [
        ("poison", "ValueError: no", clock.now()),
        ("done", "", clock.now()),
    ]
    assert await upcoming(database) is None


async def test_places_with_pending_events_are_listed_once(database: Database) -> None:
    """R1: for the start."""
    for key, chat in (("e1", "c1"), ("e2", "c1"), ("e3", "c2")):
        await put(database, key, chat=chat)
    await finish(database, await put(database, "e4", chat="c3"), {})
    assert sorted(await database.read(places_with_pending)) == [("hook", "c1"), ("hook", "c2")]


async def test_only_what_is_done_for_long_is_pruned(database: Database, clock: FakeClock) -> None:
    """Architecture 7: dead letters never."""
    for key in ("done", "poison", "pending"):
        number = await put(database, key)
        if key == "done":
            await finish(database, number, {})
        elif key == "poison":
            await database.write(partial(poison_event, number=number, reason="no"))
    await clock.advance(1)
    await finish(database, await put(database, "young"), {})
    assert await database.write(partial(prune_inbox, before=clock.now())) == 1
    assert [await copies(database, key) for key in ("done", "poison", "pending", "young")] == [
        set(),
        {"poison"},
        {"pending"},
        {"young"},
    ]


async def _row(number: int, tx: Transaction) -> InboxEvent:
    return await tx.orm.get_one(InboxEvent, number)
