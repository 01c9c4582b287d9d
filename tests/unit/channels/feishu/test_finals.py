"""Messages that must arrive: where they go, in which form, and only once."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from channels.types import Action, OutboundMessage, Outcome, Rejected, Retryable, Sent, Speaker
from tests.support.feishu import faults
from tests.support.feishu.people import Person
from tests.support.feishu.state import Seen
from tests.unit.channels.feishu.conftest import Bench
from tests.unit.channels.samples import message

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


def _to(person: Person, text: str = "好。", **more: Any) -> OutboundMessage:
    return replace(message(channel_id="fs", chat_id=person.room.id, text=text, display_text=f"研究员：{text}"), **more)


async def _sent(bench: Bench, person: Person, sent: OutboundMessage) -> list[Seen]:
    assert isinstance(await _send(bench, sent), Sent)
    return person.heard


async def _send(bench: Bench, sent: OutboundMessage) -> Outcome:
    """With the time that the chat's limit needs."""
    sending = asyncio.ensure_future(bench.channel.send(sent))
    await bench.advance_until(0.1, sending.done)
    return sending.result()


async def test_in_a_private_chat_nothing_is_quoted(bench: Bench) -> None:
    """The kind of chat is asked once, if no event has told it."""
    await bench.start()
    ann = bench.person()
    question = bench.server.state.write(ann.room, "text", {"text": "?"}, ann.open_id)
    for number in range(3):
        await _sent(bench, ann, _to(ann, delivery_id=f"d{number}", reply_to=question.id))
    assert [seen.answers for seen in ann.heard] == ["", "", ""]
    assert len(bench.server.of("chat")) == 1


async def test_in_a_group_the_question_is_quoted(bench: Bench) -> None:
    await bench.start()
    room = bench.server.state.room("oc_group", "group")
    ann = Person(bench.server, room=room)
    question = bench.server.state.write(room, "text", {"text": "?"}, ann.open_id)
    (seen,) = await _sent(bench, ann, _to(ann, reply_to=question.id))
    assert (seen.answers, seen.thread) == (question.id, "")


async def test_a_topic_without_a_question_is_answered_at_its_end(bench: Bench) -> None:
    """T34: a button or a restart leaves no message to reply to."""
    await bench.start()
    room = bench.server.state.room("oc_group", "group")
    ann = Person(bench.server, room=room)
    bench.server.state.write(room, "text", {"text": "?"}, ann.open_id, thread_id="omt_1")
    (seen,) = await _sent(bench, ann, _to(ann, thread="omt_1", reply_to=None))
    assert seen.thread == "omt_1"


async def test_a_group_without_topics_is_answered_all_the_same(bench: Bench) -> None:
    """230071."""
    await bench.start()
    room = bench.server.state.room("oc_group", "group")
    ann = Person(bench.server, room=room)
    question = bench.server.state.write(room, "text", {"text": "?"}, ann.open_id, thread_id="omt_1")
    bench.server.script.add("reply", faults.refuse(230071, "no threads"))
    (seen,) = await _sent(bench, ann, _to(ann, thread="omt_1", reply_to=question.id))
    assert seen.answers == question.id


async def test_a_person_is_written_to_by_their_id(bench: Bench) -> None:
    """Who pressed an entry of the menu has no chat id yet; the answer tells it."""
    await bench.start()
    ann = bench.person()
    await _sent(bench, ann, _to(ann, chat_id=ann.open_id))
    await ann.choose("status")
    assert bench.intake.events[-1].chat.id == ann.room.id


async def test_sending_twice_shows_one_however_many_cards_it_takes(bench: Bench) -> None:
    """R1: each card has an id of its own that stays the same."""
    await bench.start()
    ann = bench.person()
    long = _to(ann, text="\n\n".join([TABLE] * 9))
    bench.server.script.add("send", faults.Fault(kind="cut_after"))
    assert isinstance(await _send(bench, long), Retryable)
    await _sent(bench, ann, long)
    await _sent(bench, ann, long)
    assert [seen.title for seen in ann.heard] == ["研究员 (1/2)", "研究员 (2/2)"]


async def test_a_document_comes_as_a_file_with_its_beginning(bench: Bench) -> None:
    """Whole; where files are not taken, in as many cards as it needs."""
    await bench.start()
    ann = bench.person()
    text = "字" * 50_000
    excerpt, whole = await _sent(bench, ann, _to(ann, text=text))
    assert (excerpt.title, excerpt.text.endswith("…")) == ("研究员", True)
    assert (whole.kind, whole.text) == ("file", text)
    bob = bench.person()
    bench.server.script.add("upload", faults.refuse(99991672, "im:resource"))
    await _sent(bench, bob, _to(bob, text=text, delivery_id="d2"))
    assert "".join(seen.text for seen in bob.heard).replace("\n", "") == text


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(230002, Rejected), (230053, Rejected), (230006, Retryable), (230027, Retryable), (230020, Retryable)],
)
async def test_what_a_refused_chat_means_for_the_delivery(bench: Bench, code: int, outcome: type) -> None:
    """The owner can give a permission; nobody can speak where the bot was thrown out."""
    await bench.start()
    ann = bench.person()
    bench.server.script.add("send", faults.refuse(code))
    assert isinstance(await bench.channel.send(_to(ann)), outcome)
    assert ann.heard == []


async def test_the_pause_of_the_app_holds_for_every_chat(bench: Bench) -> None:
    """R3: during it nothing is called."""
    await bench.start()
    ann, bob = bench.person(), bench.person()
    bench.server.script.add("send", faults.busy(30))
    assert await bench.channel.send(_to(ann)) == Retryable(reason="too many calls (code 99991400)", retry_after=30.0)
    spent = len(bench.server.calls)
    assert await bench.channel.send(_to(bob)) == Retryable(reason="the platform asked for a pause", retry_after=30.0)
    assert len(bench.server.calls) == spent
    await bench.clock.advance(30)
    await _sent(bench, bob, _to(bob))


async def test_twenty_messages_at_once_keep_the_chats_limit(bench: Bench) -> None:
    """230020: five a second in a chat."""
    await bench.start()
    ann = bench.person()
    sending = asyncio.gather(*(bench.channel.send(_to(ann, delivery_id=f"d{number}")) for number in range(20)))
    await bench.advance_until(0.1, sending.done)
    assert len(ann.heard) == 20
    assert bench.server.state.rate_refused == []
    assert bench.clock.monotonic() >= 4


async def test_buttons_stand_under_the_message(bench: Bench) -> None:
    await bench.start()
    ann = bench.person()
    system = Speaker(id="system", name="系统", role="system")
    sent = _to(ann, kind="reply", label="", speaker=system, actions=(Action(label="批准", command="/pair AB"),))
    (seen,) = await _sent(bench, ann, sent)
    assert (seen.title, seen.buttons) == ("", (("批准", "/pair AB"),))
    await ann.press(seen, "/pair AB")
    event = bench.intake.events[-1]
    assert (event.text, event.chat.id, event.chat.type, event.sender.id) == (
        "/pair AB",
        ann.room.id,
        "private",
        ann.open_id,
    )


async def test_a_button_in_a_chat_of_unknown_kind_is_not_guessed(bench: Bench) -> None:
    """T36: a private chat and a group have different principals; the person is told to try again."""
    await bench.start()
    ann = bench.person()
    bench.server.state.room("oc_hidden", "group")
    bench.server.script.add("chat", faults.refuse(99991672, "im:chat:read"))
    room = bench.server.state.rooms["oc_hidden"]
    (seen,) = await _sent(
        bench,
        Person(bench.server, room=room),
        _to(ann, chat_id="oc_hidden", actions=(Action(label="x", command="/stop"),)),
    )
    answer = await Person(bench.server, room=room, open_id=ann.open_id).press(seen, "/stop")
    assert answer.get("toast", {}).get("type") != "info"
    assert bench.intake.events == []
