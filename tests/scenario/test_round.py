"""A whole team round over the signed webhook, seen at the callback, at the model and over HTTP."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.callback import Message
from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, dispatches, planner, round_of, sheet
from tests.support.gate import Gate
from tests.support.keys import API_KEY
from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request, mark
from tests.support.signing import fetch_messages
from tests.support.world import World, usual, world

QUESTION = f"{ASK}，绿茶市场怎么样？"
HOST_TOOLS = {"agent_list", "ask_agent", "memory_search", "memory_save", "current_time"}


def _shape(messages: list[Message]) -> list[tuple[str, str]]:
    return [message.brief() for message in messages]


async def test_a_round_is_six_messages_and_four_model_calls(studio: World) -> None:
    """T32, T31, T35: narration, a notice per member, each member's words under its name, one wrap-up; rising seq."""
    studio.model.play = round_of()
    guest = studio.guest()
    reply = await guest.say(QUESTION, message_id="m1")
    assert reply.status == 202
    assert reply.body["duplicate"] is False
    heard = await guest.hears_end()
    assert _shape(heard[:3]) == [("host", "studio"), ("notice", "studio"), ("notice", "studio")]
    assert sorted(_shape(heard[3:5])) == [("member", "researcher"), ("member", "writer")]
    assert _shape(heard[5:]) == [("wrapup", "studio")]
    assert [message.text for message in heard[:3]] == [
        NARRATION,
        "已请 研究员 处理，请稍候…",
        "已请 写手 处理，请稍候…",
    ]
    assert {message.display_text for message in heard[3:5]} == {
        "研究员：查到三份资料。",
        "写手：初稿写好了。",
    }
    assert {message.speaker: message.text for message in heard[3:5]} == dict(FINDINGS)
    assert (heard[5].text, heard[5].display_text) == (WRAP_UP, f"【主持人总结】{WRAP_UP}")
    assert heard[0].display_text == NARRATION
    assert [message.seq for message in heard] == sorted({message.seq for message in heard})
    assert {message.reply_to for message in heard} == {"m1"}
    assert {message.session_id for message in heard} == {reply.body["session_id"]}
    assert {message.role for message in heard[:3]} == {"host"}
    assert {message.role for message in heard[3:5]} == {"member"}
    assert [bool(message.job_id) for message in heard] == [False, True, True, True, True, False]
    assert len(studio.model.requests) == 4


async def test_the_shape_of_a_message_is_the_contracts(studio: World) -> None:
    """Contract 4, out: exactly these keys, RFC 3339 UTC times."""
    studio.model.play = round_of()
    guest = studio.guest(thread="t1")
    await guest.say(QUESTION)
    for message in await guest.hears_end():
        assert set(message.raw) >= {
            *("delivery_id", "channel_id", "chat", "thread", "session_id", "job_id", "seq", "kind", "speaker"),
            *("text", "display_text", "reply_to", "created_at"),
        }
        assert message.raw["chat"]["id"] == guest.chat_id
        assert message.thread == "t1"
        assert message.reply_to is None
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", message.raw["created_at"])


async def test_what_the_host_and_the_members_are_given(studio: World) -> None:
    """T23, T24: the host's five tools on every request; members get guidelines, the room so far and a task sheet."""
    studio.model.play = round_of()
    guest = studio.guest()
    await guest.say(QUESTION)
    await guest.hears_end()
    plan, conclude = studio.model.asked_by("studio")
    assert set(plan.tools) == set(conclude.tools) == HOST_TOOLS
    assert QUESTION in plan.last
    assert all(finding in conclude.last for finding in FINDINGS.values())
    for member in FINDINGS:
        (request,) = studio.model.asked_by(member)
        assert sheet(member) in request.last
        assert QUESTION not in request.last
        assert mark("team", "studio") in request.system
        assert QUESTION in request.system
        assert NARRATION in request.system
        assert {"ask_agent", "memory_search", "memory_save", "current_time"} <= set(request.tools)
        assert "agent_list" not in request.tools
    assert {request.authorization for request in studio.model.requests} == {f"Bearer {API_KEY}"}


async def test_the_background_of_a_member_is_bounded_and_not_piled_up(studio: World) -> None:
    """T24: at most 32,000 characters of the room, newest kept, long entries shortened, once per dispatch."""
    studio.model.play = round_of()
    guest = studio.guest()
    for number in range(4):
        await guest.say(f"{ASK} 第{number}问 " + "长" * 20_000, wait=20)
    background = studio.model.asked_by("researcher")[-1].system
    assert len(background) < 40_000
    assert "第3问" in background
    assert background.count("第3问") == 1


async def test_memory_of_the_room_reaches_members_of_this_room_only(studio: World) -> None:
    """T18, T24, T36: what the host saved is in the members' background, and in no other chat."""
    fact = "客户只喝冷泡"

    def host(request: Request) -> Reply:
        if request.answers_tools:
            return say("记住了。")
        return act(use("memory_save", text=fact)) if "记住" in request.last else planner(*FINDINGS)(request)

    studio.model.play = cast(host, **{member: always(text) for member, text in FINDINGS.items()})
    here, there = studio.guest(), studio.guest()
    await here.say("记住：我只喝冷泡", wait=20)
    await here.say(QUESTION, wait=20)
    await there.say(QUESTION, wait=20)
    first, second = studio.model.asked_by("researcher")
    assert fact in first.system
    assert fact not in second.whole()


async def test_narration_and_notices_go_out_before_any_member_answers(studio: World) -> None:
    """T31, T33: the host's words are a message of their own and the notices stand at dispatch."""
    gate = Gate()
    studio.model.play = cast(planner(*FINDINGS), researcher=lambda _: say(gate, "好"), writer=lambda _: say(gate, "好"))
    guest = studio.guest()
    await guest.say(QUESTION)
    assert _shape(await guest.hears(3)) == [("host", "studio"), ("notice", "studio"), ("notice", "studio")]
    gate.open()
    await guest.hears_end()


async def test_a_notice_does_not_wait_for_a_busy_member(studio: World) -> None:
    """T33, T25: the member is stuck elsewhere, the second chat sees its notice all the same."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda _: say(gate, FINDINGS["researcher"]))
    first, second = studio.guest(), studio.guest()
    await first.say(QUESTION)
    await gate.reached()
    await second.say(QUESTION)
    assert _shape(await second.hears(2)) == [("host", "studio"), ("notice", "studio")]
    assert len(studio.model.asked_by("researcher")) == 1
    gate.open()
    await first.hears_end()
    await second.hears_end()


async def test_the_speaker_is_shown_once_even_if_the_model_writes_it_too(studio: World) -> None:
    """T35."""
    findings = {"researcher": "研究员：查到三份资料。", "writer": "**写手**：初稿写好了。"}
    experts = {member: always(text) for member, text in findings.items()}
    studio.model.play = cast(planner(*findings, wrap_up=f"【主持人总结】{WRAP_UP}"), **experts)
    guest = studio.guest()
    await guest.say(QUESTION)
    shown = [message.display_text for message in await guest.hears_end()]
    assert sum(text.count("研究员：") for text in shown) == 1
    assert sum(text.replace("**", "").count("写手：") for text in shown) == 1
    assert shown[-1] == f"【主持人总结】{WRAP_UP}"


async def test_small_talk_is_answered_by_the_host_alone(studio: World) -> None:
    """T9: one model call, one message of kind host, no label."""
    studio.model.play = cast(always("你好，", "我在。"))
    guest = studio.guest()
    reply = await guest.say("在吗", message_id="hello", wait=20)
    assert reply.status == 200
    (heard,) = await guest.hears(1)
    assert (heard.kind, heard.speaker, heard.display_text, heard.reply_to) == (
        "host",
        "studio",
        "你好，我在。",
        "hello",
    )
    assert len(studio.model.requests) == 1


async def test_a_lone_expert_speaks_as_member_without_a_label(studio: World) -> None:
    """Contract 3 and 4: kind member, no label; T19: its own channel."""
    studio.model.play = cast(always("host?"), researcher=always("我是研究员。"))
    guest = studio.guest(channel="solo")
    await guest.say("在吗", wait=20)
    (heard,) = await guest.hears(1)
    assert (heard.kind, heard.speaker, heard.display_text, heard.job_id) == (
        "member",
        "researcher",
        "我是研究员。",
        None,
    )


async def test_prefer_wait_answers_with_the_messages_of_the_round(studio: World) -> None:
    """Contract 4: the same messages as at the callback; a duplicate of a finished round gets them again."""
    studio.model.play = round_of()
    guest = studio.guest()
    reply = await guest.say(QUESTION, message="wait-1", wait=20)
    assert reply.status == 200
    heard = await guest.hears_end()
    assert reply.body["messages"] == [message.raw for message in heard]
    again = await guest.say(QUESTION, message="wait-1", wait=20)
    assert (again.status, again.body["messages"]) == (200, reply.body["messages"])
    assert len(studio.model.requests) == 4


async def test_prefer_wait_ends_with_202_when_time_is_up(studio: World) -> None:
    """Contract 4: the round goes on and reaches the callback."""
    gate = Gate()
    studio.model.play = cast(planner("researcher"), researcher=lambda _: say(gate, "好"))
    guest = studio.guest()
    reply = await guest.say(QUESTION, wait=1)
    assert reply.status == 202
    assert reply.body["input_id"]
    gate.open()
    await guest.hears_end()


async def test_messages_are_kept_for_a_client_without_a_callback(studio: World) -> None:
    """Contract 4: GET /hooks/{channel}/messages, after a seq, of one chat, signed."""
    studio.model.play = round_of()
    guest = studio.guest(channel="kept")
    other = studio.guest(channel="kept")
    reply = await guest.say(QUESTION, wait=20)
    await other.say(QUESTION, wait=20)
    kept = await fetch_messages(studio.http, guest.hook, secret=guest.secret, chat=guest.chat_id)
    assert [message.raw for message in kept] == reply.body["messages"]
    rest = await fetch_messages(studio.http, guest.hook, secret=guest.secret, chat=guest.chat_id, after=kept[3].seq)
    assert rest == kept[4:]
    everybody = await fetch_messages(studio.http, guest.hook, secret=guest.secret)
    assert {message.chat_id for message in everybody} >= {guest.chat_id, other.chat_id}
    async with studio.http.get(f"{guest.hook}/messages") as unsigned:
        assert unsigned.status == 401


async def test_questions_in_a_row_are_answered_in_their_order(studio: World) -> None:
    """T12: the queue of a room is first in, first out; each answer belongs to its question."""
    studio.model.play = cast(lambda request: say(f"答：{request.last}"))
    guest = studio.guest()
    for number in range(5):
        await guest.say(f"第{number}句", message_id=f"m{number}")
    heard = await guest.hears(5)
    assert [message.reply_to for message in heard] == [f"m{number}" for number in range(5)]
    assert all(f"第{number}句" in message.text for number, message in enumerate(heard))


async def test_a_new_question_goes_to_the_host_while_members_work(studio: World) -> None:
    """T12: answered at once; the open round still gets its one wrap-up."""
    gate = Gate()

    def host(request: Request) -> Reply:
        return say("在的。") if "还在吗" in request.last else planner("researcher")(request)

    studio.model.play = cast(host, researcher=lambda _: say(gate, FINDINGS["researcher"]))
    guest = studio.guest()
    await guest.say(QUESTION, message_id="q1")
    await gate.reached()
    await guest.say("还在吗", message_id="q2", wait=20)
    heard = await guest.hears(3)
    assert (heard[2].kind, heard[2].text, heard[2].reply_to) == ("host", "在的。", "q2")
    gate.open()
    heard = await guest.hears_end()
    assert _shape(heard[3:]) == [("member", "researcher"), ("wrapup", "studio")]
    assert [message.reply_to for message in heard[3:]] == ["q1", "q1"]


async def test_a_member_asks_a_colleague_and_the_chat_sees_nothing_of_it(studio: World) -> None:
    """T13: synchronous, the answer comes back to the tool; no notice, no message of the colleague."""

    def researcher(request: Request) -> Reply:
        if request.answers_tools:
            return say(f"核对过：{request.tool_answers[0]}")
        return act("先核对一下。", use("ask_agent", agent_id="critic", message="请核对三份资料"))

    studio.model.play = cast(planner("researcher"), researcher=researcher, critic=always("三份都可靠"))
    guest = studio.guest()
    await guest.say(QUESTION)
    heard = await guest.hears_end()
    assert _shape(heard) == [
        ("host", "studio"),
        ("notice", "studio"),
        ("member", "researcher"),
        ("wrapup", "studio"),
    ]
    assert "三份都可靠" in heard[2].text
    assert "先核对" not in heard[2].text, "a member's message is the text of its last response"
    assert "请核对三份资料" in studio.model.asked_by("critic")[0].last


async def test_one_member_asked_twice_in_one_turn_does_both(studio: World) -> None:
    """T14, T25, T26a: two jobs, one after the other, two notices, one wrap-up; call ids that repeat do no harm."""
    sheets = ("任务甲", "任务乙")
    plan = act(NARRATION, *(use("ask_agent", "same", agent_id="researcher", message=text) for text in sheets))
    studio.model.play = cast(
        lambda request: plan if QUESTION in request.last and "完成" not in request.last else say(WRAP_UP),
        researcher=lambda request: say(f"完成了{[s for s in sheets if s in request.last][-1]}"),
    )
    guest = studio.guest()
    await guest.say(QUESTION)
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ["host", "notice", "notice", "member", "member", "wrapup"]
    assert [message.text for message in heard[3:5]] == ["完成了任务甲", "完成了任务乙"]


async def test_a_host_that_repeats_its_dispatches_in_a_second_wave_wraps_up_once(studio: World) -> None:
    """T11: the host judges that more is needed; the wrap-up comes when the last wave is over."""

    def host(request: Request) -> Reply:
        if FINDINGS["writer"] in request.last:
            return say(WRAP_UP)
        if FINDINGS["researcher"] in request.last:
            return act("资料有了，开始写。", *dispatches({"writer": sheet("writer")}))
        return act(NARRATION, *dispatches({"researcher": sheet("researcher")}))

    studio.model.play = cast(host, **{member: always(text) for member, text in FINDINGS.items()})
    guest = studio.guest()
    reply = await guest.say(QUESTION, wait=20)
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ["host", "notice", "member", "host", "notice", "member", "wrapup"]
    assert len(reply.body["messages"]) == 7, "a round ends with the last of its waves"


@pytest_asyncio.fixture(loop_scope="session")
async def english(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, lambda *around: usual(*around, locale="en")) as running:
        yield running


async def test_the_round_in_english(english: World) -> None:
    """Contract 3, the English column."""
    english.model.play = round_of(findings={"researcher": "Three sources.", "writer": "Draft done."}, wrap_up="Done.")
    guest = english.guest()
    await guest.say(QUESTION)
    shown = [message.display_text for message in await guest.hears_end()]
    assert shown[1:3] == [
        "Asked 研究员 to handle this — please wait…",
        "Asked 写手 to handle this — please wait…",
    ]
    assert set(shown[3:5]) == {"研究员: Three sources.", "写手: Draft done."}
    assert shown[5] == "[Host wrap-up] Done."


@pytest.mark.parametrize("chats", [8])
async def test_many_chats_at_once_keep_their_rounds_apart(studio: World, chats: int) -> None:
    """X3, T25: every chat gets its own six messages."""
    studio.model.play = round_of()
    guests = [studio.guest() for _ in range(chats)]
    await asyncio.gather(*(guest.say(QUESTION) for guest in guests))
    for guest in guests:
        heard = await guest.hears_end()
        assert sorted(message.kind for message in heard) == sorted(
            ["host", "notice", "notice", "member", "member", "wrapup"]
        )
