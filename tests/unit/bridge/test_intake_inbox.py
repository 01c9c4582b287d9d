"""Intake for chat platforms: stored and acknowledged first, then handled chat by chat, in order (R1, R2, R4)."""

import asyncio
import re
from typing import Any

import pytest

from bridge.arrivals import inbox_lane, place_of
from bridge.intake import PAUSES
from channels.types import Attachment
from store.agents import Agent
from store.database import Transaction
from store.errors import StoreUnavailable
from store.files import File
from store.inbox import InboxEvent
from store.inputs import Input
from store.outbox import Delivery
from store.people import Person
from tests.support.clock import settle
from tests.support.front import Front

CODE = re.compile(r"\b[A-HJKMNP-Z2-9]{8}\b")


@pytest.fixture(autouse=True)
def open_doors(front: Front) -> None:
    front.set_rules("chatty", access="open")


async def chat(front: Front, text: str = "hello", **more: Any) -> None:
    """One message on the chat platform, handled to its end."""
    await front.say(text, "chatty", **more)
    await front.drain()


async def outcomes(front: Front) -> list[Any]:
    return [row.outcome.get("ignored") or row.state for row in await front.rows(InboxEvent)]


async def test_an_event_is_acknowledged_before_it_is_handled(front: Front) -> None:
    """R1: stored, its lane woken, nothing else."""
    receipt = await front.say("hello", "chatty")
    assert (receipt.session_id, receipt.input_id, receipt.duplicate) == (None, None, False)
    (row,) = await front.rows(InboxEvent)
    assert (row.state, row.received_at) == ("pending", front.clock.now())
    assert front.lanes.waiting == {"inbox:chatty:c1"}
    assert await front.rows(Input) == []


@pytest.mark.both_databases
async def test_events_of_a_chat_are_handled_in_order(front: Front) -> None:
    """Contract 3: what was sent before /new goes to the old session."""
    for text in ("one", "two", "/new", "three"):
        await front.say(text, "chatty")
    await front.drain()
    (first, one), (second, two), (third, three) = await front.texts()
    assert (one, two, three) == ("one", "two", "three")
    assert first == second != third


async def test_everything_of_an_event_survives_the_inbox(front: Front) -> None:
    files = (Attachment(name="a.pdf", ref="r1", mime="application/pdf", size=3),)
    event = front.event("hello", name="Ann", thread="t", mentioned=True, message_id="m", attachments=files)
    await front.accept(event, "chatty")
    await front.drain()
    (stored,), (file,) = await front.rows(Input), await front.rows(File)
    assert stored.origin is not None
    assert (stored.origin.thread, stored.origin.message_id) == ("t", "m")
    assert stored.data["files"] == [file.id]
    assert (file.name, file.mime, file.size) == ("a.pdf", "application/pdf", 3)
    assert file.source == {"channel_id": "chatty", "ref": "r1", "url": "", "size": 3}


async def test_copies_are_acknowledged_and_nothing_else(front: Front) -> None:
    """R2: before, while and after the first one is handled; also by message id."""
    event = front.event("hello", message_id="m1")
    first = await front.accept(event, "chatty")
    again = await front.accept(event, "chatty")
    await front.drain()
    late = await front.say("hello", "chatty", message_id="m1")
    await front.drain()
    assert [first.duplicate, again.duplicate, late.duplicate] == [False, True, True]
    assert len(await front.rows(Input)) == len(await front.rows(InboxEvent)) == 1
    assert front.counted == [("chatty", "duplicate"), ("chatty", "accepted"), ("chatty", "duplicate")]


@pytest.mark.both_databases
async def test_copies_at_the_same_instant_are_one(front: Front) -> None:
    """R2."""
    event = front.event("hello")
    receipts = await asyncio.gather(*(front.accept(event, "chatty") for _ in range(4)))
    assert sorted(receipt.duplicate for receipt in receipts) == [False, True, True, True]
    await front.drain()
    assert len(await front.rows(Input)) == 1


async def test_after_a_restart_pending_events_are_handled(front: Front) -> None:
    """R1: a kill between the acknowledgement and the handling."""
    await front.say("hello", "chatty", chat="a:b:c")
    front.lanes._ready.clear()
    await front.intake.recover()
    assert front.lanes.waiting == {"inbox:chatty:a:b:c"}
    await front.drain()
    assert [text for _, text in await front.texts()] == ["hello"]


def test_a_lane_names_its_place_also_where_the_chat_id_has_colons() -> None:
    assert place_of(inbox_lane("chatty", "a:b:c")) == ("chatty", "a:b:c")


async def test_events_of_a_channel_that_is_gone_wait(front: Front) -> None:
    await front.say("hello", "chatty")
    rules = front.rules.pop("chatty")
    await front.drain()
    assert await outcomes(front) == ["pending"]
    front.rules["chatty"] = rules
    await front.intake.recover()
    await front.drain()
    assert await outcomes(front) == ["done"]


async def test_a_poison_event_is_tried_three_times_and_stops_nobody(front: Front) -> None:
    """R4: marked with its reason, counted; the next events of the same chat are handled."""
    await front.say("bad", "chatty")
    await front.say("good", "chatty")
    (bad, _) = await front.rows(InboxEvent)
    await front.change(InboxEvent, bad.number, event={"nonsense": True})
    draining = asyncio.create_task(front.drain())
    while not draining.done():
        await settle()
        if front.clock.sleepers:
            await front.clock.advance(max(PAUSES))
    bad, good = await front.rows(InboxEvent)
    assert (bad.state, good.state) == ("poison", "done")
    assert "ValidationError" in bad.reason
    assert bad.finished_at is not None
    assert front.counted == [("chatty", "poison"), ("chatty", "accepted")]


async def test_a_slow_poison_event_holds_up_no_other_chat(front: Front) -> None:
    """R4."""
    await front.say("bad", "chatty")
    (bad,) = await front.rows(InboxEvent)
    await front.change(InboxEvent, bad.number, event={})
    stuck = asyncio.create_task(front.intake.drain("inbox:chatty:c1"))
    await front.say("good", "chatty", chat="c2")
    await front.intake.drain("inbox:chatty:c2")
    assert [text for _, text in await front.texts()] == ["good"]
    stuck.cancel()
    await asyncio.wait([stuck])


async def test_a_fault_that_passes_costs_nothing(front: Front) -> None:
    """R4: a second try succeeds; the first one left nothing."""
    await front.say("hello", "chatty")
    submit = front.host.submit
    faults = [RuntimeError("a hiccup")]

    async def hiccup(tx: Transaction, submission: Any) -> Any:
        submitted = await submit(tx, submission)
        if faults:
            raise faults.pop()
        return submitted

    front.host.submit = hiccup  # type: ignore[method-assign]
    draining = asyncio.create_task(front.drain())
    while not draining.done():
        await settle()
        if front.clock.sleepers:
            await front.clock.advance(PAUSES[0])
    assert [text for _, text in await front.texts()] == ["hello"]
    assert front.counted == [("chatty", "accepted")]


async def test_a_store_that_is_away_makes_no_poison(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """R1: the lane is tried again later, the event stays pending."""
    await front.say("hello", "chatty")

    async def away(work: object, **_: object) -> None:
        raise StoreUnavailable("locked")

    with monkeypatch.context() as patch:
        patch.setattr(front.database, "write", away)
        with pytest.raises(StoreUnavailable):
            async with asyncio.timeout(20):
                await front.intake.drain("inbox:chatty:c1")
    assert await outcomes(front) == ["pending"]
    await front.drain()
    assert await outcomes(front) == ["done"]


async def test_a_stranger_is_told_the_code_once_an_hour(front: Front) -> None:
    """X1: and nothing else happens."""
    front.set_rules("chatty", access="pairing")
    for _ in range(3):
        await chat(front)
    (line,) = await front.replies()
    assert (await front.person("ann", "chatty")).pairing_code in CODE.findall(line)
    assert await front.rows(Input) == []
    assert await outcomes(front) == ["pairing_required"] * 3
    await front.clock.advance(3600)
    await chat(front)
    assert len(await front.replies()) == 2


async def test_the_first_message_is_answered_after_the_approval(front: Front) -> None:
    """Contract 8: the first one, once, also when an admin says /pair."""
    front.set_rules("chatty", access="pairing")
    event = front.event("first", message_id="m1")
    await front.accept(event, "chatty")
    await front.drain()
    await chat(front, "second")
    code = (await front.person("ann", "chatty")).pairing_code
    assert "Ann" not in await front.reply(f"/pair {code}", "chatty", sender="boss", chat="boss")
    assert [text for _, text in await front.texts()] == ["first"]
    assert (await front.accept(event, "chatty")).duplicate
    await front.write(front.pairing.approve_person, person_id=(await front.person("ann", "chatty")).id)
    await front.drain()
    assert [text for _, text in await front.texts()] == ["first"]


async def test_the_first_message_of_a_group_is_answered_after_the_approval(front: Front) -> None:
    await chat(front, "first", chat="g1", group=True, mentioned=True)
    await front.write(front.pairing.approve_chat, channel_id="chatty", chat_id="g1")
    await front.drain()
    assert [text for _, text in await front.texts()] == ["first"]


async def test_a_long_first_message_is_not_kept(front: Front) -> None:
    """Contract 8: at most 4 kB."""
    front.set_rules("chatty", access="pairing")
    await chat(front, "好" * 1366)
    await chat(front, "x" * 4096, sender="bob", chat="c2")
    for sender in ("ann", "bob"):
        await front.write(front.pairing.approve_person, person_id=(await front.person(sender, "chatty")).id)
    await front.drain()
    assert [text for _, text in await front.texts()] == ["x" * 4096]


async def test_too_many_messages_are_told_once_a_minute(front: Front) -> None:
    """Contract 2: one polite sentence; the dropped ones are not answered later."""
    front.set_rules("chatty", rate_limit=1)
    for n in range(4):
        await front.say(f"{n}", "chatty")
    await front.drain()
    assert [text for _, text in await front.texts()] == ["0"]
    (line,) = await front.replies()
    assert "60 seconds" in line
    assert await outcomes(front) == ["done"] + ["rate_limited"] * 3
    await front.clock.advance(60)
    await chat(front, "later")
    assert [text for _, text in await front.texts()] == ["0", "later"]


async def test_a_backlog_counts_when_it_came_in(front: Front) -> None:
    """R1: what was acknowledged slowly is not refused because it is handled at once."""
    front.set_rules("chatty", rate_limit=1)
    for n in range(3):
        await front.say(f"{n}", "chatty")
        await front.clock.advance(61)
    await front.drain()
    assert [text for _, text in await front.texts()] == ["0", "1", "2"]


async def test_refused_senders_and_chatter_meet_silence(front: Front) -> None:
    front.set_rules("chatty", access="allowlist")
    await chat(front, "hello")
    await chat(front, "chatter", chat="g1", group=True)
    assert await front.replies() == []
    assert await outcomes(front) == ["forbidden", "chat_not_served"]
    assert await front.rows(Person) == []


async def test_a_switched_off_agent_is_said_politely(front: Front) -> None:
    await front.change(Agent, "studio", enabled=False)
    await chat(front)
    (line,) = await front.replies()
    assert "switched off" in line
    assert await outcomes(front) == ["agent_unavailable"]


async def test_replies_go_to_the_thread_and_name_the_message(front: Front) -> None:
    """T34 for commands."""
    await chat(front, "/whoami", thread="t1", message_id="m1")
    (row,) = await front.rows(Delivery)
    assert (row.message["thread"], row.message["reply_to"], row.message["kind"]) == ("t1", "m1", "reply")
    assert row.message["speaker"]["role"] == row.message["speaker"]["id"] == "system"
