"""Threads that go on without a mention where the bot takes part, and the button that approves a group."""

import pytest

from store.inbox import InboxEvent
from store.outbox import Delivery
from tests.support.front import Front


@pytest.fixture(autouse=True)
def open_doors(front: Front) -> None:
    front.set_rules("chatty", access="open", allow_chats=frozenset({"g1"}))


async def _said(front: Front, text: str, **more: object) -> None:
    await front.say(text, "chatty", chat="g1", group=True, **more)
    await front.drain()


async def test_a_thread_that_the_bot_was_called_into_goes_on_without_a_mention(front: Front) -> None:
    """Issue 4, 2; contract 8: any message of a thread the bot takes part in counts as a mention."""
    await _said(front, "come in", thread="t1", mentioned=True)
    await _said(front, "and now?", thread="t1", continues=True)
    (first, one), (second, two) = await front.texts()
    assert (one, two) == ("come in", "and now?")
    assert first == second


async def test_a_thread_of_others_stays_their_own(front: Front) -> None:
    """Contract 2: neither another thread nor a topic of another platform is answered without a mention."""
    await _said(front, "come in", thread="t1", mentioned=True)
    await _said(front, "not for you", thread="t2", continues=True)
    await _said(front, "nor this", thread="t1")
    assert [text for _, text in await front.texts()] == ["come in"]
    assert [row.outcome.get("ignored") for row in await front.rows(InboxEvent)][1:] == ["not_mentioned"] * 2


async def test_an_unknown_group_gets_its_code_with_a_button(front: Front) -> None:
    """Issue 4, 6: pressing it says /pair with the code, which only an admin may."""
    await front.say("hello", "chatty", chat="g2", group=True, mentioned=True)
    await front.drain()
    (told,) = await front.rows(Delivery)
    (button,) = told.message["actions"]
    assert button["label"] == "Approve"
    assert button["command"].startswith("/pair ")
    assert button["command"].split()[1] in told.message["text"]
