"""Changes of a chat: it moves, a message is taken back, the bot is added."""

from typing import Any

import pytest

from channels.types import Chat, InboundEvent, Sender
from store.agents import Agent
from store.inputs import Input
from store.outbox import Delivery
from tests.support.front import Front

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def served(front: Front) -> None:
    front.set_rules("chatty", access="open", groups="all", allow_chats=frozenset({"old"}))


async def change(front: Front, kind: Any, chat: str, target: str = "") -> None:
    event = InboundEvent(
        event_key=f"{kind}-{chat}-{target}",
        chat=Chat(id=chat, type="group"),
        sender=Sender(id="platform"),
        text="",
        kind=kind,
        target=target,
    )
    await front.accept(event, "chatty")
    await front.drain()


async def say(front: Front, text: str, **more: Any) -> None:
    await front.say(text, "chatty", group=True, **more)
    await front.drain()


async def test_a_chat_that_moves_keeps_its_session_its_approval_and_its_numbers(front: Front) -> None:
    """Issue 3: a group becomes a supergroup; what waits to be sent goes to the new id, numbers go on."""
    await say(front, "/whoami", chat="old")
    await say(front, "before", chat="old")
    await change(front, "moved", "old", "new")
    await say(front, "after", chat="new")
    (first, _), (second, _) = await front.texts()
    assert first == second
    (waiting,) = await front.rows(Delivery)
    assert (waiting.chat_id, waiting.message["chat_id"]) == ("new", "new")
    await say(front, "/whoami", chat="new")
    assert len({row.seq for row in await front.rows(Delivery)}) == 2


async def test_a_message_taken_back_in_time_is_never_answered(front: Front) -> None:
    """Issue 5: recall cancels a queued input, and only that one."""
    await say(front, "oops", chat="old", message_id="m1")
    await say(front, "stays", chat="old", message_id="m2")
    await change(front, "recalled", "old", "m1")
    states = {row.text: row.state for row in await front.rows(Input)}
    assert states == {"oops": "cancelled", "stays": "pending"}


async def test_a_recall_of_something_unknown_changes_nothing(front: Front) -> None:
    """Taken up already, or never for us."""
    await say(front, "stays", chat="old", message_id="m2")
    await change(front, "recalled", "old", "m9")
    assert [row.state for row in await front.rows(Input)] == ["pending"]


async def test_the_welcome_is_said_where_the_team_may_speak(front: Front) -> None:
    """X1: an unknown group gets silence."""
    await front.change(Agent, "studio", welcome="Hello, I am the host.")
    await change(front, "joined", "elsewhere")
    assert await front.replies() == []
    await change(front, "joined", "old")
    assert await front.replies() == ["Hello, I am the host."]


async def test_lines_said_before_reach_the_host(front: Front) -> None:
    """Issue 4: the first mention inside an existing thread brings the thread so far as context."""
    await say(front, "and you?", chat="old", context=("Ann: hi", "Bob: hello"))
    (row,) = await front.rows(Input)
    assert row.data["context"] == ["Ann: hi", "Bob: hello"]


async def test_lines_said_before_reach_the_host_once(front: Front) -> None:
    """Issue 4, R2: of two who call it at the same instant the second brings what the first has said."""
    await say(front, "and you?", chat="old", context=("Ann: hi",))
    await say(front, "and me?", chat="old", context=("Ann: hi", "Ann: and you?"))
    first, second = await front.rows(Input)
    assert (first.data["context"], second.data["context"]) == (["Ann: hi"], [])


async def test_a_stranger_who_adds_the_bot_gets_silence(front: Front) -> None:
    """X1: closed by default, also for the welcome."""
    await front.change(Agent, "studio", welcome="Hello, I am the host.")
    for access, replies in (("pairing", []), ("open", ["Hello, I am the host."])):
        front.set_rules("chatty", access=access)
        event = InboundEvent(
            event_key=f"joined-{access}", chat=Chat(id="p1"), sender=Sender(id="eve"), text="", kind="joined"
        )
        await front.accept(event, "chatty")
        await front.drain()
        assert await front.replies() == replies
