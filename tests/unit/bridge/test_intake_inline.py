"""Intake for platforms that answer inline: one transaction, one outcome, whatever is repeated (R2, contract 4)."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from bridge import intake as intake_module
from bridge.arrivals import find_copy
from channels.base import Receipt
from channels.errors import Conflict, Forbidden, PairingRequired, RateLimited
from channels.types import Attachment, InboundEvent
from store.agents import Agent
from store.base import Origin
from store.chats import Binding, Chat
from store.database import Transaction
from store.errors import StoreUnavailable
from store.files import File
from store.inbox import InboxEvent
from store.inputs import Input
from store.outbox import Delivery
from store.people import Person
from store.sessions import Session
from tests.support.front import Front


def ids(receipt: Receipt) -> tuple[str | None, str | None, str | None, str | None]:
    return receipt.session_id, receipt.input_id, receipt.command, receipt.ignored


@pytest.mark.both_databases
async def test_a_message_becomes_an_input_with_its_sender_and_its_origin(front: Front) -> None:
    receipt = await front.say("hello", name="Ann", thread="t1", message_id="m1")
    (stored,) = await front.rows(Input)
    person = await front.person("ann")
    assert (receipt.session_id, receipt.input_id, receipt.duplicate) == (stored.session_id, stored.id, False)
    assert stored.text == "hello"
    assert stored.sender is not None
    assert (stored.sender.id, stored.sender.name, stored.sender.role) == (person.id, "Ann", "user")
    assert stored.origin == Origin(channel_id="hook", chat_id="c1", thread="t1", message_id="m1")
    assert front.counted == [("hook", "accepted")]


async def test_the_room_is_woken_and_the_inbox_row_is_finished(front: Front) -> None:
    receipt = await front.say()
    (row,) = await front.rows(InboxEvent)
    assert row.state == "done"
    assert row.outcome == {"session_id": receipt.session_id, "input_id": receipt.input_id}
    assert f"room:{receipt.session_id}" in front.lanes.waiting


async def test_attachments_come_along(front: Front) -> None:
    await front.say("", attachments=(Attachment(name="a.pdf", url="https://example.com/a.pdf"),))
    (stored,), (file,) = await front.rows(Input), await front.rows(File)
    assert stored.data["files"] == [file.id]
    assert (file.name, file.state, file.source["url"]) == ("a.pdf", "waiting", "https://example.com/a.pdf")
    assert f"files:{stored.id}" in front.lanes.waiting


async def test_the_same_event_gets_the_same_outcome(front: Front) -> None:
    """R2: also for a command and for what is not for the bot."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    for event in (
        front.event("hello"),
        front.event("/whoami"),
        front.event("chatter", group=True, chat="g1"),
    ):
        first, again = await front.accept(event), await front.accept(event)
        assert (first.duplicate, again.duplicate) == (False, True)
        assert ids(first) == ids(again)
    assert len(await front.rows(Input)) == len(await front.rows(Delivery)) == 1


async def test_a_copy_days_later_is_still_a_copy(front: Front) -> None:
    """R2: 6 hours, a new session, a closed door: the outcome is the first one's."""
    event = front.event("hello")
    first = await front.accept(event)
    await front.say("/new")
    await front.clock.advance(6 * 3600)
    front.set_rules("hook", access="allowlist")
    assert ids(await front.accept(event)) == ids(first)


async def test_the_same_event_with_another_body_is_a_conflict(front: Front) -> None:
    """Contract 4: 409, and the first one stands."""
    event = front.event("hello", digest="one")
    first = await front.accept(event)
    with pytest.raises(Conflict):
        await front.accept(replace(event, text="other", digest="two"))
    assert ids(await front.accept(event)) == ids(first)
    assert len(await front.rows(Input)) == 1
    assert front.counted[1] == ("hook", "conflict")


@pytest.mark.both_databases
async def test_the_same_message_under_another_event_is_the_same_message(front: Front) -> None:
    """R2: within its chat; in another chat or channel the id means another message."""
    first = await front.say("hello", message_id="m1", digest="one")
    again = await front.say("hello again", message_id="m1", digest="two")
    elsewhere = await front.say("hello", message_id="m1", chat="c2")
    assert (again.duplicate, ids(again)) == (True, ids(first))
    assert elsewhere.duplicate is False
    assert elsewhere.input_id != first.input_id


async def test_messages_without_an_id_are_never_copies_of_each_other(front: Front) -> None:
    first, second = await front.say("hello"), await front.say("hello")
    assert not second.duplicate
    assert first.input_id != second.input_id


@pytest.mark.both_databases
async def test_copies_at_the_same_instant_are_one(front: Front) -> None:
    """R2."""
    event = front.event("hello", message_id="m1")
    copies = [event, event, replace(event, event_key="other"), event]
    receipts = await asyncio.gather(*(front.accept(copy) for copy in copies))
    assert sorted(receipt.duplicate for receipt in receipts) == [False, True, True, True]
    assert len({ids(receipt) for receipt in receipts}) == 1
    assert len(await front.rows(Input)) == 1


@pytest.mark.both_databases
async def test_a_copy_stored_between_our_look_and_our_write_wins(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """R2: two machines at once; the loser's unique key fails, its second look finds the winner."""
    event = front.event("hello")
    winner = await front.accept(event)
    looks: list[None] = [None]

    async def blind_once(tx: Transaction, channel_id: str, copy: InboundEvent) -> InboxEvent | None:
        return looks.pop() if looks else await find_copy(tx, channel_id, copy)

    monkeypatch.setattr(intake_module, "find_copy", blind_once)
    loser = await front.accept(event)
    assert (loser.duplicate, ids(loser)) == (True, ids(winner))
    assert len(await front.rows(Input)) == 1


async def test_a_clash_that_never_ends_is_not_acknowledged(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    event = front.event("hello")
    await front.accept(event)

    async def blind(tx: Transaction, channel_id: str, copy: InboundEvent) -> None:
        return None

    monkeypatch.setattr(intake_module, "find_copy", blind)
    with pytest.raises(IntegrityError):
        await front.accept(event)


@pytest.mark.both_databases
async def test_a_stranger_is_refused_with_a_code_and_only_the_pending_person_is_stored(front: Front) -> None:
    """X1, contract 4: the same id sent after the approval is a first delivery."""
    front.set_rules("hook", access="pairing")
    event = front.event("hello")
    with pytest.raises(PairingRequired) as first:
        await front.accept(event)
    with pytest.raises(PairingRequired) as second:
        await front.accept(event)
    person = await front.person("ann")
    assert first.value.code == second.value.code == person.pairing_code
    assert person.state == "pending"
    for table in (InboxEvent, Input, Session, Chat, Binding, Delivery):
        assert await front.rows(table) == []
    await front.write(front.pairing.approve_person, person_id=person.id)
    receipt = await front.accept(event)
    assert receipt.input_id is not None
    assert not receipt.duplicate
    assert [text for _, text in await front.texts()] == ["hello"]


async def test_a_refused_sender_leaves_nothing(front: Front) -> None:
    front.set_rules("hook", access="allowlist")
    with pytest.raises(Forbidden):
        await front.say("hello")
    for table in (InboxEvent, Input, Session, Chat, Person, Delivery):
        assert await front.rows(table) == []
    assert front.counted == [("hook", "forbidden")]


async def test_too_many_messages_are_refused_and_copies_do_not_count(front: Front) -> None:
    """Contract 2 and 4: 429 after gate and duplicate check; nothing of it is stored."""
    front.set_rules("hook", rate_limit=2)
    events = [front.event(f"{n}") for n in range(3)]
    for event in (events[0], events[0], events[0], events[1]):
        await front.accept(event)
    with pytest.raises(RateLimited) as refused:
        await front.accept(events[2])
    assert refused.value.retry_after == 60
    assert len(await front.rows(InboxEvent)) == 2
    assert (await front.accept(events[0])).duplicate
    await front.clock.advance(60)
    assert not (await front.accept(events[2])).duplicate


async def test_the_statuses_are_checked_in_the_order_of_the_contract(front: Front) -> None:
    """Contract 4: duplicate, then gate, then rate limit."""
    front.set_rules("hook", rate_limit=1)
    event = front.event("hello", digest="one")
    await front.accept(event)
    with pytest.raises(RateLimited):
        await front.say("more")
    front.set_rules("hook", access="pairing")
    with pytest.raises(PairingRequired):
        await front.say("more")
    with pytest.raises(Conflict):
        await front.accept(replace(event, digest="two"))
    assert (await front.accept(event)).duplicate


async def test_chatter_of_groups_does_not_use_up_the_limit(front: Front) -> None:
    front.set_rules("hook", rate_limit=1, allow_chats=frozenset("*"))
    for _ in range(5):
        assert (await front.say("chatter", group=True, chat="g1")).ignored == "not_mentioned"
    assert (await front.say("hello", group=True, chat="g1", mentioned=True)).input_id


async def test_an_unknown_group_gets_one_line_an_hour(front: Front) -> None:
    """X1: silence; when mentioned one line with the code, in the chat itself."""
    assert (await front.say("chatter", group=True, chat="g1")).ignored == "chat_not_served"
    assert await front.replies() == []
    for _ in range(3):
        receipt = await front.say("hello", group=True, chat="g1", mentioned=True, message_id="")
        assert ids(receipt) == (None, None, None, "chat_not_served")
    (line,) = await front.replies()
    (chat,) = await front.rows(Chat)
    assert str(chat.pairing_code) in line
    await front.clock.advance(3600)
    await front.say("hello", group=True, chat="g1", mentioned=True)
    assert len(await front.replies()) == 2
    assert await front.rows(Person) == []


async def test_an_approved_group_is_served_for_everybody(front: Front) -> None:
    front.set_rules("hook", access="allowlist")
    await front.say("hello", group=True, chat="g1", mentioned=True)
    (chat,) = await front.rows(Chat)
    assert "approved" in await front.reply(f"/pair {chat.pairing_code}", sender="boss", chat="boss")
    assert (await front.say("hello", group=True, chat="g1", mentioned=True, sender="bob")).input_id
    assert (await front.person("bob")).state == "known"
    with pytest.raises(Forbidden):
        await front.say("hello", sender="bob", chat="bob")


async def test_a_blocked_person_is_refused_in_groups_too(front: Front) -> None:
    """Contract 2."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    await front.say("hello")
    await front.write(front.pairing.block_person, person_id=(await front.person("ann")).id)
    with pytest.raises(Forbidden):
        await front.say("hello")
    with pytest.raises(Forbidden):
        await front.say("hello", group=True, chat="g1", mentioned=True)


async def test_the_round_can_be_waited_for_also_by_a_copy(front: Front) -> None:
    """Contract 4, `Prefer: wait`: never for a command."""
    event = front.event("hello")
    for receipt in (await front.accept(event), await front.accept(event)):
        assert receipt.messages is not None
        assert await receipt.messages(30) is None
        assert front.watched[-1] == (receipt.session_id, receipt.input_id, 30)
    assert (await front.say("/help")).messages is None


async def test_a_channel_whose_agent_is_switched_off_refuses_and_stores_nothing(front: Front) -> None:
    await front.change(Agent, "studio", enabled=False)
    event = front.event("hello")
    with pytest.raises(Forbidden):
        await front.accept(event)
    assert await front.rows(InboxEvent) == []
    await front.change(Agent, "studio", enabled=True)
    assert not (await front.accept(event)).duplicate


async def test_a_store_that_is_away_is_told_to_the_caller(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue: refuse before acknowledging, never lose what was acknowledged."""
    monkeypatch.setattr(front.database, "write", _away)
    with pytest.raises(StoreUnavailable):
        await front.say("hello")


async def _away(work: object, **_: object) -> None:
    raise StoreUnavailable("disk full")
