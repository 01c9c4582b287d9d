"""Chat commands, in both languages (contract 3)."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.callback import Message
from tests.support.casts import ASK, FINDINGS, WRAP_UP, always, cast, planner
from tests.support.gate import Gate
from tests.support.guest import Guest
from tests.support.model_reply import say
from tests.support.model_server import Play
from tests.support.program import Nursery
from tests.support.world import World, usual, world

QUESTION = f"{ASK}，绿茶市场怎么样？"


async def _told(guest: Guest, command: str) -> str:
    """Send a command and read the bridge's reply to it."""
    before = len([message for message in guest.heard if message.kind == "reply"])
    reply = await guest.say(command)
    assert reply.status == 202
    assert reply.body["input_id"] is None
    assert reply.body["command"] == command.split(maxsplit=1)[0].removeprefix("/")

    def answered(messages: list[Message]) -> bool:
        return len([message for message in messages if message.kind == "reply"]) > before

    message = [message for message in await guest.hears(answered) if message.kind == "reply"][-1]
    assert (message.speaker, message.role) == ("system", "system")
    return message.display_text


def _busy(gate: Gate) -> Play:
    """A host that plans for two members who both wait at the gate."""

    def expert(text: str) -> Play:
        return lambda request: say(gate, text)

    return cast(planner(*FINDINGS), **{member: expert(text) for member, text in FINDINGS.items()})


async def _at_work(studio: World, gate: Gate, guest: Guest) -> None:
    await guest.say(QUESTION, message_id="q")
    await studio.model.until(lambda model: gate.waiting == 2)
    await guest.hears(3)


async def test_help_names_every_command(studio: World) -> None:
    text = await _told(studio.guest(), "/help")
    assert all(
        f"/{word}" in text for word in ("new", "stop", "cancel", "status", "team", "agents", "whoami", "sessions")
    )


async def test_whoami_tells_the_sender_and_the_chat(studio: World) -> None:
    guest = studio.guest(sender="u-whoami")
    text = await _told(guest, "/whoami")
    assert "u-whoami" in text
    assert guest.chat_id in text


async def test_team_lists_the_members_without_the_host(studio: World) -> None:
    text = await _told(studio.guest(), "/team")
    assert all(name in text for name in ("研究员", "写手", "评审"))


async def test_agents_knows_only_what_a_person_of_the_channel_may_use(studio: World) -> None:
    """C1, S1: the channel's own agent and what the owner shared, nothing private."""
    text = await _told(studio.guest(), "/agents")
    assert "内容工作室" in text
    assert "写手" not in text


async def test_commands_are_no_questions(studio: World) -> None:
    """Nothing of a command reaches the model; an unknown command is ordinary text (contract 3)."""
    studio.model.play = cast(always("跳舞吧。"))
    guest = studio.guest()
    await _told(guest, "/status")
    assert studio.model.requests == []
    reply = await guest.say("/dance now", wait=20)
    assert reply.body["messages"][0]["text"] == "跳舞吧。"
    assert "/dance now" in studio.model.requests[0].last


async def test_a_command_answers_the_message_it_came_in(studio: World) -> None:
    guest = studio.guest(thread="t9")
    await guest.say("/whoami", message_id="m-7")
    (message,) = await guest.hears(1)
    assert (message.reply_to, message.thread) == ("m-7", "t9")


async def test_stop_finds_nothing(studio: World) -> None:
    assert await _told(studio.guest(), "/stop") == "当前没有进行中的生成。"


async def test_stop_ends_the_hosts_turn_and_keeps_what_was_visible(studio: World) -> None:
    """T16: the visible text stays, the model is not read on, the queue is not paused."""
    gate = Gate()
    studio.model.play = cast(
        lambda request: say("说到一半", gate, "没说完") if QUESTION in request.last else say("在。")
    )
    guest = studio.guest()
    accepted = await guest.say(QUESTION, message_id="q")
    async with studio.api.live(accepted.body["session_id"]) as live:
        await live.until(lambda frames: any(frame["type"] == "delta" for frame in frames))
    assert await _told(guest, "/stop") == "已停止。"
    await studio.model.until(lambda model: len(model.dropped) == 1)
    heard = await guest.hears(2)
    (partial,) = [message for message in heard if message.kind == "host"]
    assert partial.text == "说到一半"
    reply = await guest.say("在吗", wait=20)
    assert [message["text"] for message in reply.body["messages"]] == ["在。"]
    events = await studio.api.events(accepted.body["session_id"])
    assert [event["data"]["status"] for event in events if event["kind"] == "turn_ended"] == ["stopped", "completed"]


async def test_stop_leaves_members_at_work(studio: World) -> None:
    """T16: it names them; they finish and the wrap-up comes."""
    gate = Gate()
    studio.model.play = _busy(gate)
    guest = studio.guest()
    await _at_work(studio, gate, guest)
    text = await _told(guest, "/stop")
    assert text in (
        "主持人没有在生成；研究员、写手 仍在处理，可用 /cancel 取消。",
        "主持人没有在生成；写手、研究员 仍在处理，可用 /cancel 取消。",
    )
    gate.open()
    await guest.hears_end()


async def test_status_tells_who_works_since_when(studio: World) -> None:
    gate = Gate()
    studio.model.play = _busy(gate)
    guest = studio.guest()
    await _at_work(studio, gate, guest)
    text = await _told(guest, "/status")
    assert "研究员" in text
    assert "写手" in text
    assert "评审" not in text
    assert re.search(r"\d", text), "it says since when"
    gate.open()
    await guest.hears_end()
    assert "研究员" not in await _told(guest, "/status")


async def test_cancel_closes_every_open_job_and_the_host_is_told(studio: World) -> None:
    """T28, T29: each is shown once with its reason; one wrap-up follows."""
    gate = Gate()
    studio.model.play = _busy(gate)
    guest = studio.guest()
    await _at_work(studio, gate, guest)
    await _told(guest, "/cancel")
    heard = await guest.hears_end()
    failures = {message.speaker: message for message in heard if message.kind == "failure"}
    assert set(failures) == set(FINDINGS)
    assert failures["writer"].display_text == "写手 没能完成：已被取消"
    assert failures["writer"].text == "已被取消"
    assert len([message for message in heard if message.kind == "failure"]) == 2
    assert heard[-1].text == WRAP_UP
    assert gate.waiting == 0, "the members' model requests were given up"


@pytest.mark.parametrize("who", ["researcher", "研究员"])
async def test_cancel_of_one_member_leaves_the_other(studio: World, who: str) -> None:
    """T29: by id or by name."""
    gate = Gate()
    studio.model.play = cast(
        lambda request: say("继续等。") if "已被取消" in request.last and FINDINGS["writer"] not in request.last
        else planner(*FINDINGS)(request),
        researcher=lambda request: say(gate, FINDINGS["researcher"]),
        writer=lambda request: say(gate, FINDINGS["writer"]),
    )  # fmt: skip
    guest = studio.guest()
    await _at_work(studio, gate, guest)
    await _told(guest, f"/cancel {who}")
    heard = await guest.hears(lambda messages: any(message.text == "继续等。" for message in messages))
    assert [message.brief() for message in heard if message.kind == "failure"] == [("failure", "researcher")]
    gate.open()
    heard = await guest.hears_end()
    assert [message.brief() for message in heard[-2:]] == [("member", "writer"), ("wrapup", "studio")]


async def test_new_starts_afresh_and_the_old_round_ends_in_the_chat(studio: World) -> None:
    """R0: /new during open jobs loses nothing and mixes nothing."""
    gate = Gate()
    studio.model.play = _busy(gate)
    guest = studio.guest()
    await _at_work(studio, gate, guest)
    old = guest.heard[0].session_id
    await _told(guest, "/new")
    studio.model.play = cast(lambda request: say("新的开始。") if "换个话题" in request.last else say(WRAP_UP))
    reply = await guest.say("换个话题", message_id="fresh", wait=20)
    (message,) = reply.body["messages"]
    assert message["session_id"] != old
    assert QUESTION not in studio.model.requests[-1].whole()
    gate.open()
    heard = await guest.hears_end()
    assert {one.session_id for one in heard if one.reply_to == "q"} == {old}
    assert heard[-1].brief() == ("wrapup", "studio")
    assert [message.kind for message in heard if message.session_id == old and message.kind != "reply"] == [
        *("host", "notice", "notice", "member", "member", "wrapup"),
    ]


async def test_sessions_lists_what_this_chat_had(studio: World) -> None:
    studio.model.play = cast(always("好。"))
    guest = studio.guest()
    await guest.say("第一个话题", wait=20)
    await _told(guest, "/new")
    await guest.say("第二个话题", wait=20)
    lines = (await _told(guest, "/sessions")).strip().splitlines()
    assert len([line for line in lines if line.strip()]) >= 2


@pytest.mark.parametrize("command", ["/new", "/cancel", "/pair ABCDEFGH"])
async def test_admin_commands_in_a_group_need_an_admin(studio: World, command: str) -> None:
    """X2, contract 3: refused with a sentence, nothing changes; an admin may."""
    studio.model.play = cast(always("好。"))
    group = studio.guest(chat_type="group", sender="anybody")
    first = await group.say("在吗", wait=20)
    refusal = await _told(group, command)
    second = await group.say("还在吗", wait=20)
    assert second.body["messages"][0]["session_id"] == first.body["messages"][0]["session_id"]
    boss = studio.guest(chat_type="group", sender="boss", chat_id=group.chat_id)
    if command in ("/new", "/cancel"):
        assert await _told(boss, command) != refusal


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def english(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("english")
    async with world(folder, lambda *around: usual(*around, locale="en"), launcher=nursery) as running:
        yield running


async def test_commands_in_english(english: World) -> None:
    """Contract 3, the English column; no Chinese in what the bridge says."""
    gate = Gate()
    english.model.play = _busy(gate)
    guest = english.guest()
    assert await _told(guest, "/stop") == "Nothing is being generated."
    for command in ("/help", "/new", "/status", "/sessions", "/cancel"):
        told = (await _told(guest, command)).replace("内容工作室", "the team")
        assert not re.search(r"[\u4e00-\u9fff]", told), (command, told)
    await guest.say(QUESTION, message_id="q")
    await english.model.until(lambda model: gate.waiting == 2)
    assert re.fullmatch(
        r"The host is not generating; (研究员, 写手|写手, 研究员) are still working, /cancel cancels them\.",
        await _told(guest, "/stop"),
    )
    await _told(guest, "/cancel")
    heard = await guest.hears_end()
    shown = [message.display_text for message in heard]
    assert "写手 could not finish: it was cancelled" in shown
