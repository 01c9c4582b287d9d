"""Codes: what they look like, how long they live, how many there may be, and what an approval does (X1, X3)."""

from functools import partial

import pytest

from bridge.pairing import ALPHABET, MOST_PENDING, Approvals, Asked, make_code
from channels.errors import Forbidden, PairingRequired
from store.chats import Chat, find_chat
from store.database import Transaction
from store.errors import NotFound
from store.inbox import InboxEvent
from store.people import Person, find_person
from tests.support.front import Front

DAY = 24 * 3600


@pytest.fixture(autouse=True)
def closed_doors(front: Front) -> None:
    front.set_rules("hook", access="pairing")


async def code_of(front: Front, sender: str = "ann") -> str:
    with pytest.raises(PairingRequired) as refused:
        await front.say("hello", sender=sender, chat=sender)
    return refused.value.code


async def ask_chat(front: Front, tx: Transaction, chat_id: str) -> Asked | None:
    event = front.event("hello", chat=chat_id, group=True)
    return await front.pairing.ask_chat(tx, await find_chat(tx, "hook", chat_id), "hook", event, keep=False)


def test_a_code_has_no_letters_that_look_alike() -> None:
    """Contract 3."""
    codes = {make_code() for _ in range(500)}
    assert len(codes) == 500
    assert all(len(code) == 8 and set(code) <= set(ALPHABET) for code in codes)
    assert not set("0O1IL") & set(ALPHABET)
    assert set("".join(codes)) == set(ALPHABET)


async def test_a_code_lives_a_day(front: Front) -> None:
    """Contract 8."""
    code = await code_of(front)
    await front.clock.advance(DAY - 1)
    assert await code_of(front) == code
    await front.clock.advance(1)
    assert await front.write(front.pairing.approve_code, code=code) is None
    assert await code_of(front) != code


async def test_everybody_has_a_code_of_their_own(front: Front) -> None:
    codes = {await code_of(front, sender) for sender in ("ann", "bob", "cid")}
    assert len(codes) == 3


async def test_a_code_approves_whoever_has_it_and_nobody_else(front: Front) -> None:
    """X1: typed in any case; used up."""
    code, _ = await code_of(front), await code_of(front, "bob")
    approved = await front.write(front.pairing.approve_code, code=f" {code.lower()} ")
    assert approved is not None
    assert (approved.name, approved.channel_id, approved.is_group) == ("ann", "hook", False)
    assert [(await front.person(each)).state for each in ("ann", "bob")] == ["approved", "pending"]
    assert await front.write(front.pairing.approve_code, code=code) is None


async def test_a_code_of_another_channel_is_unknown_here(front: Front) -> None:
    """X3."""
    code = await code_of(front)
    assert await front.write(front.pairing.approve_code, code=code, channel_id="chatty") is None
    assert await front.write(front.pairing.approve_code, code=code, channel_id="hook") is not None


async def test_a_blocked_person_is_not_approved_by_an_old_code(front: Front) -> None:
    code = await code_of(front)
    await front.write(front.pairing.block_person, person_id=(await front.person("ann")).id)
    assert await front.write(front.pairing.approve_code, code=code) is None
    with pytest.raises(Forbidden):
        await front.say("hello")


async def test_a_known_person_becomes_pending_in_private(front: Front) -> None:
    """Who spoke in a served group is a stranger in private all the same (X1)."""
    front.set_rules("hook", allow_chats=frozenset("*"))
    await front.say("hello", chat="g1", group=True, mentioned=True)
    assert (await front.person("ann")).state == "known"
    await code_of(front)
    assert (await front.person("ann")).state == "pending"
    assert (await front.say("hello", chat="g1", group=True, mentioned=True)).input_id


@pytest.mark.both_databases
async def test_at_most_two_hundred_people_are_pending(front: Front) -> None:
    """Contract 8: beyond it a refusal without a row; those who have a code keep it; a day later there is room again."""
    first = await code_of(front, "s0")
    for n in range(1, MOST_PENDING):
        await code_of(front, f"s{n}")
    with pytest.raises(Forbidden):
        await front.say("hello", sender="late", chat="late")
    assert len(await front.rows(Person)) == MOST_PENDING
    assert await code_of(front, "s0") == first
    await front.clock.advance(DAY)
    await code_of(front, "late")
    states = [person.state for person in await front.rows(Person)]
    assert (states.count("pending"), states.count("known")) == (1, MOST_PENDING)


async def test_one_channels_pending_people_fill_no_other(front: Front) -> None:
    for n in range(MOST_PENDING):
        await code_of(front, f"s{n}")
    await front.say("hello", "chatty")
    await front.drain()
    assert (await front.person("ann", "chatty")).state == "pending"


async def test_at_most_two_hundred_groups_are_pending(front: Front) -> None:
    for n in range(MOST_PENDING):
        assert await front.database.write(partial(_ask_chat, front, f"g{n}")) is not None
    assert await front.database.write(partial(_ask_chat, front, "late")) is None
    assert len(await front.rows(Chat)) == MOST_PENDING
    await front.clock.advance(DAY)
    assert await front.database.write(partial(_ask_chat, front, "late")) is not None


async def _ask_chat(front: Front, chat_id: str, tx: Transaction) -> Asked | None:
    return await ask_chat(front, tx, chat_id)


async def test_a_code_is_told_once_an_hour(front: Front) -> None:
    async def ask(tx: Transaction) -> Asked | None:
        found = await find_person(tx, "chatty", "ann")
        return await front.pairing.ask_person(tx, found, "chatty", front.event(), keep=True)

    told = []
    for _ in range(4):
        asked = await front.database.write(ask)
        assert asked is not None
        told.append(asked.tell)
        await front.clock.advance(1800)
    assert told == [True, False, True, False]


async def test_nothing_waits_for_approval_where_the_sender_repeats_itself(front: Front) -> None:
    """Inline platforms get a refusal: the sender sends the same id again."""
    await code_of(front)
    assert not (await front.person("ann")).first_message
    await front.write(front.pairing.approve_person, person_id=(await front.person("ann")).id)
    assert await front.rows(InboxEvent) == []


async def test_approvals_answer_with_the_person(front: Front) -> None:
    """Contract 5: approve and block."""
    approvals = Approvals(front.database, front.pairing)
    code = await code_of(front)
    person_id = (await front.person("ann")).id
    assert (await approvals.approve(person_id)).state == "approved"
    assert (await approvals.block(person_id)).state == "blocked"
    assert (await approvals.approve(person_id)).state == "approved"
    assert await approvals.approve_code(code) is None
    for decide in (approvals.approve, approvals.block):
        with pytest.raises(NotFound):
            await decide("nobody")


async def test_an_unknown_group_cannot_be_approved_by_id(front: Front) -> None:
    with pytest.raises(NotFound):
        await front.write(front.pairing.approve_chat, channel_id="hook", chat_id="nowhere")
