"""From a place to its session: who shares one, who never does, and when a new one begins (T36, X2, X3)."""

import asyncio
from typing import Any

import pytest

from store.agents import Agent
from store.chats import Chat
from store.people import Person
from store.sessions import Session
from tests.support.front import Front


async def session_of(front: Front, **more: Any) -> Session:
    """The session that a message of this kind goes to."""
    receipt = await front.say("hello", mentioned=True, **more)
    (found,) = [each for each in await front.rows(Session) if each.id == receipt.session_id]
    return found


async def test_a_private_chat_speaks_as_its_person(front: Front) -> None:
    """X2: never as the owner."""
    session = await session_of(front)
    person = await front.person("ann")
    assert (session.kind, session.agent_id, session.owner_id) == ("room", "studio", "owner")
    assert session.principal == f"person:{person.id}"
    assert (session.app_id, session.project_id) == ("hook", "hook")


async def test_a_group_speaks_as_itself_whoever_writes(front: Front) -> None:
    """Contract 3."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    ann = await session_of(front, chat="g1", group=True)
    bob = await session_of(front, chat="g1", group=True, sender="bob")
    assert ann.id == bob.id
    assert ann.principal == "chat:hook:g1"
    assert {person.state for person in await front.rows(Person)} == {"known"}


async def test_session_keys_name_the_place(front: Front) -> None:
    """T19: `dm:` for an expert's own chats."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    assert (await session_of(front)).session_key == "chat:hook:c1"
    assert (await session_of(front, thread="t")).session_key == "chat:hook:c1:t"
    front.set_rules("hook", agent_id="researcher")
    assert (await session_of(front, chat="c2")).session_key == "dm:hook:c2"
    assert (await session_of(front, chat="g1", group=True)).session_key == "chat:hook:g1"
    assert {(each.kind, each.agent_id) for each in await front.rows(Session)} == {
        ("room", "studio"),
        ("direct", "researcher"),
    }


async def test_the_same_place_keeps_its_session(front: Front) -> None:
    assert (await session_of(front)).id == (await session_of(front)).id


async def test_chats_threads_channels_and_people_never_share_a_session(front: Front) -> None:
    """T36, X3: the same agent everywhere."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    front.rules["hook2"] = front.rules["hook"].__class__(
        id="hook2", agent_id="studio", access="open", answers_inline=True
    )
    places = [
        await session_of(front),
        await session_of(front, thread="t1"),
        await session_of(front, thread="t2"),
        await session_of(front, chat="c2", sender="bob"),
        await session_of(front, chat="g1", group=True),
        await session_of(front, chat="g1", group=True, thread="t1"),
        await session_of(front, channel="hook2"),
    ]
    assert len({each.id for each in places}) == len(places)
    assert len({each.principal for each in places if each.principal.startswith("person:")}) == 3


@pytest.mark.both_databases
async def test_two_people_in_one_private_chat_keep_a_session_each(front: Front) -> None:
    """T36: a webhook may name its chats as it likes; history must not mix, and must not be lost either."""
    ann, bob = await session_of(front), await session_of(front, sender="bob")
    assert ann.id != bob.id
    assert (await session_of(front)).id == ann.id
    assert (await session_of(front, sender="bob")).id == bob.id
    await front.say("/new")
    fresh = await session_of(front)
    assert fresh.id not in (ann.id, bob.id)
    assert (await session_of(front, sender="bob")).id == bob.id
    assert (await session_of(front)).id == fresh.id


async def test_an_archived_session_is_followed_by_a_new_one(front: Front) -> None:
    """Contract 5: and never by an older one that is still active."""
    older = await session_of(front)
    await front.say("/new")
    archived = await session_of(front)
    await front.change(Session, archived.id, status="ARCHIVED")
    fresh = await session_of(front)
    assert fresh.id not in (older.id, archived.id)
    assert (await session_of(front)).id == fresh.id


async def test_an_archived_session_of_one_of_two_people_is_followed_by_a_new_one(front: Front) -> None:
    ann, _ = await session_of(front), await session_of(front, sender="bob")
    await front.change(Session, ann.id, status="ARCHIVED")
    assert (await session_of(front)).id != ann.id


async def test_a_deleted_session_is_followed_by_a_new_one(front: Front) -> None:
    first = await session_of(front)
    await front.change(Session, first.id, deleted_at=front.clock.now())
    assert (await session_of(front)).id != first.id


async def test_another_agent_on_the_channel_gets_a_session_of_its_own(front: Front) -> None:
    first = await session_of(front)
    front.set_rules("hook", agent_id="researcher")
    second = await session_of(front)
    assert (second.agent_id, second.kind) == ("researcher", "direct")
    assert second.id != first.id


async def test_an_agent_that_is_switched_off_later_keeps_its_sessions(front: Front) -> None:
    """The turn says why it fails; the message is not lost."""
    first = await session_of(front)
    await front.change(Agent, "studio", enabled=False)
    assert (await session_of(front)).id == first.id


@pytest.mark.both_databases
async def test_first_messages_of_a_chat_at_the_same_instant_share_its_session(front: Front) -> None:
    receipts = await asyncio.gather(*(front.say(f"{n}") for n in range(5)))
    assert len({receipt.session_id for receipt in receipts}) == 1
    assert len(await front.rows(Session)) == len(await front.rows(Person)) == 1


async def test_names_and_titles_are_kept_up_to_date(front: Front) -> None:
    front.set_rules("hook", allow_chats=frozenset("*"))
    await session_of(front, chat="g1", group=True, title="Old", name="Ann")
    await session_of(front, chat="g1", group=True, title="New", name="Ann B.")
    await session_of(front, chat="g1", group=True)
    (chat,) = await front.rows(Chat)
    assert (chat.title, chat.type, (await front.person("ann")).name) == ("New", "group", "Ann B.")
