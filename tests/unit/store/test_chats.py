"""Queries of chats, bindings, and the sessions of a place."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from store.chats import (
    Chat,
    add_chat,
    bind,
    chat_by_code,
    count_pending_chats,
    describe_chat,
    find_binding,
    find_chat,
    give_chat_code,
    hold_chat,
    latest_session,
    list_chats,
    release_expired_chats,
    serve_chat,
    sessions_of_principal,
    tell_chat_code,
)
from store.database import Database, Transaction
from store.sessions import Session, add_session
from tests.support.clock import START, FakeClock

pytestmark = pytest.mark.both_databases


async def add(database: Database, chat_id: str, channel_id: str = "hook") -> None:
    async def work(tx: Transaction) -> None:
        await add_chat(tx, Chat(channel_id=channel_id, id=chat_id, type="group", created_at=tx.now))

    await database.write(work)


async def give_code(database: Database, chat_id: str, code: str, channel_id: str = "hook") -> None:
    async def work(tx: Transaction) -> None:
        chat = await hold_chat(tx, channel_id, chat_id)
        assert chat is not None
        await give_chat_code(tx, chat, code, {"text": "first"})
        await tell_chat_code(tx, chat)

    await database.write(work)


async def open_session(database: Database, session_id: str, **more: Any) -> None:
    fields = {"kind": "room", "principal": "person:p1", "app_id": "hook", "session_key": "chat:hook:c1", **more}

    async def work(tx: Transaction) -> None:
        row = Session(
            id=session_id, agent_id="studio", owner_id="owner", created_at=tx.now, updated_at=tx.now, **fields
        )
        await add_session(tx, row)

    await database.write(work)


async def test_a_chat_is_found_by_channel_and_id(database: Database) -> None:
    await add(database, "c1")
    await add(database, "c1", "other")
    found = await database.read(partial(find_chat, channel_id="other", chat_id="c1"))
    assert found is not None
    assert (found.channel_id, found.served, found.seq) == ("other", False, 0)
    assert await database.read(partial(find_chat, channel_id="hook", chat_id="c2")) is None


async def test_chats_are_listed_newest_first(database: Database, clock: FakeClock) -> None:
    for chat_id in ("c1", "c2"):
        await add(database, chat_id)
        await clock.advance(1)
    await add(database, "c3", "other")
    assert [chat.id for chat in await database.read(partial(list_chats, channel_id="hook"))] == ["c2", "c1"]


async def test_a_served_chat_needs_no_code_and_hands_out_its_first_message(database: Database) -> None:
    await add(database, "c1")
    await give_code(database, "c1", "CODE")

    async def work(tx: Transaction) -> list[dict[str, Any] | None]:
        chat = await hold_chat(tx, "hook", "c1")
        assert chat is not None
        await describe_chat(tx, chat, kind="group", title="Tea room")
        return [await serve_chat(tx, chat), await serve_chat(tx, chat)]

    assert await database.write(work) == [{"text": "first"}, None]
    served = await database.read(partial(find_chat, channel_id="hook", chat_id="c1"))
    assert served is not None
    assert (served.served, served.pairing_code, served.title) == (True, None, "Tea room")


async def test_a_code_is_found_while_it_lives_in_its_channel(database: Database, clock: FakeClock) -> None:
    await add(database, "c1")
    await give_code(database, "c1", "CODE")

    async def find(code: str, channel_id: str | None, since: timedelta) -> Chat | None:
        work = partial(chat_by_code, code=code, made_after=clock.now() - since, channel_id=channel_id)
        return await database.write(work)

    hour = timedelta(hours=1)
    assert await find("CODE", None, hour) is not None
    assert await find("CODE", "other", hour) is None
    assert await find("CODE", "hook", timedelta(0)) is None


async def test_expired_groups_wait_no_longer(database: Database, clock: FakeClock) -> None:
    await add(database, "old")
    await give_code(database, "old", "OLD")
    await clock.advance(60)
    for chat_id, channel_id in (("young", "hook"), ("foreign", "other")):
        await add(database, chat_id, channel_id)
        await give_code(database, chat_id, chat_id, channel_id)
    await database.write(partial(release_expired_chats, channel_id="hook", made_before=START))
    assert await database.read(partial(count_pending_chats, channel_id="hook")) == 1
    assert await database.read(partial(count_pending_chats, channel_id="other")) == 1


async def test_a_place_is_bound_to_its_newest_session(database: Database, clock: FakeClock) -> None:
    bind_here = partial(bind, channel_id="hook", chat_id="c1")
    look_here = partial(find_binding, channel_id="hook", chat_id="c1")
    await database.write(partial(bind_here, thread="", session_id="s1"))
    await database.write(partial(bind_here, thread="t", session_id="s2"))
    await clock.advance(5)
    await database.write(partial(bind_here, thread="", session_id="s3"))
    top = await database.read(partial(look_here, thread=""))
    thread = await database.read(partial(look_here, thread="t"))
    assert top is not None
    assert thread is not None
    assert (top.session_id, top.bound_at, thread.session_id) == ("s3", clock.now(), "s2")


async def test_the_latest_session_is_the_newest_of_this_principal_and_key(database: Database, clock: FakeClock) -> None:
    for session_id, more in (
        ("s1", {}),
        ("s2", {"status": "ARCHIVED"}),
        ("s3", {"principal": "person:p2"}),
        ("s4", {"session_key": "chat:hook:c2"}),
        ("s5", {"kind": "side"}),
    ):
        await open_session(database, session_id, **more)
        await clock.advance(1)
    keys = ["chat:hook:c1", "dm:hook:c1"]
    found = await database.read(partial(latest_session, principal="person:p1", session_keys=keys))
    assert found is not None
    assert found.id == "s2"


async def test_sessions_of_a_principal_leave_out_what_is_not_to_be_seen(database: Database, clock: FakeClock) -> None:
    """X2, X3."""
    for session_id, more in (
        ("s1", {}),
        ("s2", {"status": "ARCHIVED"}),
        ("s3", {"principal": "person:p2"}),
        ("s4", {"app_id": "other"}),
        ("s5", {"kind": "side"}),
        ("s6", {"deleted_at": START}),
        ("s7", {}),
    ):
        await open_session(database, session_id, **more)
        await clock.advance(1)
    look = partial(sessions_of_principal, app_id="hook", principal="person:p1")
    assert [each.id for each in await database.read(partial(look, archived=False, limit=10))] == ["s7", "s1"]
    assert [each.id for each in await database.read(partial(look, archived=True, limit=2))] == ["s7", "s2"]
