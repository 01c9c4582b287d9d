"""Nothing of one room reaches another (X3, T36)."""

from tests.support.casts import ASK, FINDINGS, always, cast, planner, round_of
from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request
from tests.support.world import World

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def test_two_chats_share_nothing(studio: World) -> None:
    """X3, T36: not a word of one chat is in any request of the other, for host and members."""
    studio.model.play = round_of()
    here, there = studio.guest(), studio.guest(sender="u2")
    first = await here.say(f"{ASK} 秘密代号白鹭", wait=20)
    studio.model.forget()
    second = await there.say(f"{ASK} 别的事情", wait=20)
    assert all("白鹭" not in request.whole() for request in studio.model.requests)
    sessions = {message["session_id"] for reply in (first, second) for message in reply.body["messages"]}
    assert len(sessions) == 2


async def test_the_same_chat_id_on_two_channels_is_two_chats(studio: World) -> None:
    """T36: the same agent, the same chat id and sender id, two channels."""
    studio.model.play = round_of()
    here, there = studio.guest(chat_id="same"), studio.guest(chat_id="same", channel="second")
    await here.say(f"{ASK} 秘密代号白鹭", wait=20)
    studio.model.forget()
    await there.say(f"{ASK} 别的事情", wait=20)
    assert all("白鹭" not in request.whole() for request in studio.model.requests)
    assert [message.seq for message in await here.hears(6)] == [message.seq for message in await there.hears(6)]


async def test_threads_are_sessions_of_their_own(studio: World) -> None:
    """T34, contract 4: every message of a round goes to its thread; seq counts the chat with all its threads."""
    studio.model.play = round_of()
    chat_id = studio.guest().chat_id
    flat = studio.guest(chat_id=chat_id)
    threads = [studio.guest(chat_id=chat_id, thread=name) for name in ("t1", "t2")]
    sessions = set()
    for guest in (flat, *threads, threads[0]):
        reply = await guest.say(f"{QUESTION} {guest.thread}", wait=20)
        messages = reply.body["messages"]
        assert {message["thread"] for message in messages} == {guest.thread}
        sessions.add(messages[0]["session_id"])
    assert len(sessions) == 3
    heard = await flat.hears(24)
    assert [message.seq for message in heard] == sorted({message.seq for message in heard})


async def test_memory_stays_in_its_room(studio: World) -> None:
    """T36: what is saved in one chat is not found from another, and is found again in its own."""

    def host(request: Request) -> Reply:
        if request.answers_tools:
            return say(f"查到：{request.tool_answers[0]}")
        if "记住" in request.last:
            return act(use("memory_save", text="代号白鹭"))
        return act(use("memory_search", query="代号"))

    studio.model.play = cast(host)
    here, there = studio.guest(), studio.guest()
    await here.say("记住：代号白鹭", wait=20)
    found = await here.say("代号是什么", wait=20)
    assert "白鹭" in found.body["messages"][-1]["text"]
    missed = await there.say("代号是什么", wait=20)
    assert "白鹭" not in missed.body["messages"][-1]["text"]


async def test_a_members_private_chat_is_apart_from_its_team_work(studio: World) -> None:
    """T1, T17, T36: the expert alone knows nothing of the room, and the room nothing of its private chat."""
    studio.model.play = cast(planner("researcher"), researcher=always(FINDINGS["researcher"]))
    alone, room = studio.guest(channel="solo"), studio.guest()
    await alone.say("私下说：代号苍鹰", wait=20)
    await room.say(f"{ASK} 代号白鹭", wait=20)
    studio.model.forget()
    await alone.say("我们聊过什么", wait=20)
    (request,) = studio.model.requests
    assert "苍鹰" in request.whole()
    assert "白鹭" not in request.whole()
    studio.model.forget()
    await room.say(f"{ASK} 再来", wait=20)
    (request,) = studio.model.asked_by("researcher")
    assert "苍鹰" not in request.whole()


async def test_a_member_remembers_its_work_for_this_room_only(studio: World) -> None:
    """T17: its side session belongs to the room."""
    studio.model.play = cast(planner("researcher"), researcher=always("查到白鹭的资料。"))
    here, there = studio.guest(), studio.guest()
    await here.say(f"{ASK} 一", wait=20)
    await there.say(f"{ASK} 二", wait=20)
    first, second = studio.model.asked_by("researcher")
    assert "白鹭" not in second.whole()
    await here.say(f"{ASK} 三", wait=20)
    third = studio.model.asked_by("researcher")[-1]
    assert "查到白鹭的资料。" in third.whole()
    assert len(first.messages) < len(third.messages)
