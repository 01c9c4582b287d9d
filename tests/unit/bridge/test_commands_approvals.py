"""/approve and /deny: which question is meant, and who may answer it (C12, X2)."""

from datetime import timedelta

import pytest

from store.approvals import Approval, Grant, add_approval
from store.base import Origin, Speaker
from store.sessions import Session
from store.turns import Turn
from tests.support.front import Front

WRITER = Speaker(id="writer", name="写手", role="member")


async def ask(front: Front, code: str, *, channel: str = "hook", thread: str = "", **chat: object) -> str:
    """A question in the chat's session; the session's id."""
    place = {"thread": thread} if thread else {}
    session_id = str((await front.say("hi", channel, **place, **chat)).session_id)
    known = {turn.session_id for turn in await front.rows(Turn)}
    if session_id not in known:
        await front.start_turn(session_id, turn_id=f"turn of {session_id}")
        await front.change(Turn, f"turn of {session_id}", waiting_for="approval")
    asked_at = front.clock.now()
    approval = Approval(
        id=code,
        session_id=session_id,
        room_id=session_id,
        turn_id=f"turn of {session_id}",
        call_id=code,
        tool="mail",
        asked_at=asked_at,
        due_at=asked_at + timedelta(hours=1),
        state="open",
        speaker=WRITER,
        origin=Origin(channel_id=channel, chat_id="c1", thread=thread),
    )
    await front.write(add_approval, approval=approval)
    return session_id


async def state(front: Front, code: str) -> str:
    (found,) = [each for each in await front.rows(Approval) if each.id == code]
    return found.state


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/approve", "once"),
        ("/approve QUESTION", "once"),
        ("/approve question SESSION", "session"),
        ("/approve session", "session"),
        ("/approve 会话", "session"),
        ("/deny", "denied"),
        ("/deny question please", "denied"),
    ],
)
async def test_how_it_is_answered(front: Front, command: str, expected: str) -> None:
    """The last answer lets the turn go on; "session" is kept as a grant."""
    session_id = await ask(front, "QUESTION")
    assert "写手" in await front.reply(command)
    assert await state(front, "QUESTION") == expected
    assert [grant.session_id for grant in await front.rows(Grant)] == ([session_id] if expected == "session" else [])
    (turn,) = await front.rows(Turn)
    assert turn.waiting_for == "decided"


async def test_who_asked_in_a_group_is_not_sent_to_who_asked(front: Front) -> None:
    """C12: there only admins decide, and the sentence named the person who was being refused."""
    front.set_rules("hook", groups="all", allow_chats=frozenset({"*"}))
    await ask(front, "QUESTION", group=True)
    assert await front.reply("/approve", group=True) == (
        "In a group only an admin can decide this; please ask one. The owner can decide it in the console too."
    )
    assert await state(front, "QUESTION") == "open"


async def test_without_a_code_the_question_of_the_thread_is_meant(front: Front) -> None:
    """Of several in a chat the one of this thread; at the top, where none stands, it must be named."""
    await ask(front, "FIRST", thread="t1")
    await ask(front, "SECOND", thread="t2")
    assert "FIRST, SECOND" in await front.reply("/approve")
    await front.reply("/approve", thread="t2")
    assert [await state(front, code) for code in ("FIRST", "SECOND")] == ["open", "once"]
    await front.reply("/deny")
    assert await state(front, "FIRST") == "denied"


async def test_another_channels_question_is_not_known(front: Front) -> None:
    """X3: not even to an admin there."""
    await ask(front, "QUESTION")
    assert "There is no request" in await front.reply("/approve QUESTION", "chatty", sender="boss")
    assert await front.reply("/approve", "chatty", sender="boss") == "Nothing waits for approval here."
    assert await state(front, "QUESTION") == "open"


async def test_somebody_else_in_the_same_chat_is_told_politely(front: Front) -> None:
    """X2, T36: the session is another person's."""
    await ask(front, "QUESTION")
    assert "Only an admin" in await front.reply("/approve QUESTION", sender="bob")
    assert await state(front, "QUESTION") == "open"
    assert "may use" in await front.reply("/approve QUESTION", sender="boss")


async def test_a_question_whose_session_was_deleted_is_not_known(front: Front) -> None:
    session_id = await ask(front, "QUESTION")
    await front.change(Session, session_id, deleted_at=front.clock.now())
    assert "There is no request" in await front.reply("/approve QUESTION")
