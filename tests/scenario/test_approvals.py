"""Tools that ask, in chats and through the API: decided once, by whoever may, and never run twice (C12)."""

import asyncio
import contextlib
import re
import sqlite3
import sys
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio
from aiohttp import ClientError

from tests.support.callback import Message, Receiver
from tests.support.casts import cast
from tests.support.guest import Guest
from tests.support.keys import ADMIN_TOKEN
from tests.support.letters import LETTER, TOOLS, letters_of, writes_letters
from tests.support.model_server import ModelServer
from tests.support.postbox import letters, server
from tests.support.program import ROOT, Fuse, Launcher, Nursery
from tests.support.settings import expert
from tests.support.world import World, usual, world

EXPERTS = (expert("researcher", "研究员", **TOOLS), expert("writer", "写手", **TOOLS), expert("critic", "评审"))
MOST_COMMITS = 40
"""More than a decision and what follows has."""


def with_letters(folder: Path, launcher: Launcher):  # type: ignore[no-untyped-def]
    def configure(model: ModelServer, callback: Receiver, port: int) -> dict[str, object]:
        config = usual(model, callback, port, agents=EXPERTS, mcp=server(folder))
        for channel in config["channels"]:
            channel["notices"] = False  # a question is no notice that one can do without
        return config

    return world(folder, configure, launcher=launcher)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def postal(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[World]:
    async with with_letters(tmp_path_factory.mktemp("postal"), nursery) as running:
        running.model.play = letters_of("writer", "bob")
        guest, code = await asked_at_last(running)
        await answer(guest, f"/deny {code}")
        await guest.hears_end()
        yield running


@pytest.fixture
def office(postal: World) -> World:
    """A team with a member that wants to send one letter."""
    postal.reset()
    postal.model.play = letters_of("writer", "bob")
    (postal.program.folder / "postbox").unlink(missing_ok=True)
    return postal


async def asked(guest: Guest, number: int = 1, text: str = LETTER) -> list[str]:
    """The codes of the questions that the chat is asked, once there are so many."""
    await guest.say(text, message_id="q")
    heard = await guest.hears(lambda messages: len(codes(messages)) >= number)
    return codes(heard)


async def asked_at_last(office: World) -> tuple[Guest, str]:
    """Somebody who is asked, and the code. A tool server that opens too slowly is missing from the first turns."""
    while True:
        guest = office.guest()
        await guest.say(LETTER, message_id="q")
        heard = await guest.hears(
            lambda messages: bool(codes(messages)) or any(each.kind == "wrapup" for each in messages)
        )
        if found := codes(heard):
            return guest, found[0]


def codes(messages: list[Message]) -> list[str]:
    return [found[1] for each in messages if (found := re.search(r"/approve ([A-Z0-9]{8}) 允许一次", each.text))]


def replies(messages: list[Message]) -> list[str]:
    return [each.text for each in messages if each.kind == "reply"]


async def answer(guest: Guest, command: str) -> str:
    """What a command is answered with."""
    before = len(replies(guest.heard))
    await guest.say(command)
    return replies(await guest.hears(lambda messages: len(replies(messages)) > before))[-1]


async def test_the_person_allows_it_and_the_member_goes_on(office: World) -> None:
    """C12: asked in the chat although the channel wants no notices; nothing ran before; then the round ends as ever."""
    guest = office.guest()
    (code,) = await asked(guest)
    question = guest.heard[-1]
    assert (question.kind, question.speaker, question.role, question.reply_to) == ("notice", "studio", "host", "q")
    assert question.text.startswith("写手 想使用工具 post 的 mail，需要批准：\n\n```\nto: bob\n```")
    assert letters(office.program.folder) == []
    assert re.fullmatch(r"• 写手 在等待批准（已 \d+ 秒）：post 的 mail，.*", await answer(guest, "/status"))
    assert await answer(guest, f"/approve {code.lower()}") == "已允许 写手 使用 post 的 mail（这一次）。"
    heard = await guest.hears_end()
    assert letters(office.program.folder) == ["bob"]
    assert [each.kind for each in heard if each.kind != "reply"] == ["host", "notice", "member", "wrapup"]
    assert heard[-2].text == "结果：sent"


async def test_refused_the_model_is_told(office: World) -> None:
    """C12: a bare /deny is enough where one thing waits."""
    guest = office.guest()
    await asked(guest)
    assert await answer(guest, "/deny") == "已拒绝 写手 使用 post 的 mail。"
    heard = await guest.hears_end()
    assert "A person refused this call" in heard[-2].text
    assert letters(office.program.folder) == []


async def test_pressed_twice_the_first_counts(office: World) -> None:
    """C12: the second is told what was decided."""
    guest = office.guest()
    (code,) = await asked(guest)
    await answer(guest, f"/deny {code}")
    assert await answer(guest, f"/approve {code}") == "这个请求已经处理过：已拒绝 写手 使用 post 的 mail。"
    await guest.hears_end()
    assert letters(office.program.folder) == []
    assert await answer(guest, "/approve") == "这里没有等待批准的请求。"
    assert await answer(guest, "/approve ABCD2345") == "这里没有编号为 ABCD2345 的批准请求。"


async def test_in_a_group_only_an_admin_decides(office: World) -> None:
    """X2: anybody else gets one polite sentence; another chat does not even know the code."""
    group = office.guest(chat_type="group", sender="anybody")
    (code,) = await asked(group)
    assert "只有管理员" in await answer(group, f"/approve {code}")
    assert "只有管理员" in await answer(group, "/deny")
    assert "没有编号" in await answer(office.guest(), f"/approve {code}")
    assert letters(office.program.folder) == []
    boss = office.guest(chat_type="group", sender="boss", chat_id=group.chat_id)
    assert "已允许" in await answer(boss, f"/approve {code}")
    await group.hears_end()
    assert letters(office.program.folder) == ["bob"]


async def test_an_admin_may_decide_from_elsewhere_and_the_chat_hears_of_it(office: World) -> None:
    """The question's chat is told, since the answer went to another one."""
    group = office.guest(chat_type="group", sender="anybody")
    (code,) = await asked(group)
    assert "已允许" in await answer(office.guest(sender="boss"), f"/approve {code}")
    heard = await group.hears_end()
    assert "已允许 写手 使用 post 的 mail（这一次）。" in [each.text for each in heard if each.kind == "notice"]


async def test_allowed_for_the_session_the_next_round_does_not_ask(office: World) -> None:
    """C12: of several that wait each has a code; a grant answers all of its tool."""
    office.model.play = letters_of("writer", "bob", "eve")
    guest = office.guest()
    first, second = await asked(guest, 2)
    assert await answer(guest, "/approve") == f"有多个请求在等待批准，请写明编号：{first}、{second}"
    assert await answer(guest, f"/approve {first} session") == "已允许 写手 在本会话中使用 post 的 mail，不再询问。"
    await guest.hears_end()
    assert sorted(letters(office.program.folder)) == ["bob", "eve"]
    await guest.say(f"再{LETTER}", message_id="q2")
    await guest.hears_end(2)
    assert len(letters(office.program.folder)) == 4
    assert len(codes(guest.heard)) == 2


async def test_a_lone_expert_asks_in_its_own_chat(office: World) -> None:
    """C12, T19: the person it talks to decides; what is said meanwhile waits in the queue."""
    office.model.play = cast(writes_letters(), researcher=writes_letters("ann"))
    guest = office.guest(channel="solo")
    (code,) = await asked(guest)
    await guest.say("在吗")
    assert "已允许" in await answer(guest, f"/approve {code}")
    heard = await guest.hears(lambda messages: any(each.text == "在。" for each in messages))
    assert [each.text for each in heard if each.kind == "member"] == ["结果：sent", "在。"]


async def test_stopped_the_question_is_void(office: World) -> None:
    """T16: /stop in an expert's chat ends the turn that waits; the button comes too late."""
    office.model.play = cast(writes_letters(), researcher=writes_letters("ann"))
    guest = office.guest(channel="solo")
    (code,) = await asked(guest)
    assert await answer(guest, "/stop") == "已停止。"
    assert "已经结束" in await answer(guest, f"/approve {code}")
    assert letters(office.program.folder) == []
    assert "没有人在处理" in await answer(guest, "/status")


async def test_decided_through_the_api_the_chat_is_told(office: World) -> None:
    """Contract 5: listed and decided there, by the owner."""
    guest = office.guest()
    await asked(guest)
    room = guest.heard[-1].session_id
    assert (await office.api.ok(f"/api/sessions/{room}"))["waiting_for"] == "approval"
    (waiting,) = (await office.api.ok(f"/api/sessions/{room}/approvals"))["items"]
    assert (await office.api.ok(f"/api/sessions/{waiting['session_id']}"))["phase"] == "WAITING_APPROVAL"
    reply = await office.api.post(f"/api/sessions/{room}/approvals/{waiting['id']}", {"decision": "once"})
    assert (reply.status, reply.body["state"]) == (200, "once")
    heard = await guest.hears_end()
    assert [each.text for each in heard if each.kind == "notice"][-1] == "已允许 写手 使用 post 的 mail（这一次）。"
    assert letters(office.program.folder) == ["bob"]


async def test_answered_in_the_terminal(office: World) -> None:
    """`teambridge chat`: /approve there means what waits in its session."""
    office.model.play = cast(writes_letters(), researcher=writes_letters("ann"))
    words = ("-m", "bridge", "chat", "--url", office.program.url, "--token", ADMIN_TOKEN, "--agent", "researcher")
    pipe = asyncio.subprocess.PIPE
    chat = await asyncio.create_subprocess_exec(sys.executable, *words, cwd=ROOT, stdin=pipe, stdout=pipe)
    assert chat.stdin is not None
    assert chat.stdout is not None
    async with asyncio.timeout(60):
        chat.stdin.write(f"/approve\n{LETTER}\n".encode())
        before = await chat.stdout.readuntil("想使用工具".encode())
        chat.stdin.write(b"/approve session\n")
        chat.stdin.close()
        said = before + await chat.stdout.read()
        assert await chat.wait() == 0
    assert ("这里没有等待批准的请求" in said.decode()) or ("Nothing waits for approval" in said.decode())
    assert "结果：sent" in said.decode()
    assert letters(office.program.folder) == ["ann"]


async def test_an_hour_passes_while_the_program_is_down(tmp_path: Path, nursery: Nursery) -> None:
    """C12: the question survives the restart, its time does too; then it counts as refused."""
    async with with_letters(tmp_path, nursery) as office:
        office.model.play = letters_of("writer", "bob")
        guest, code = await asked_at_last(office)
        await office.program.kill()
        await office.program.start()
        assert "写手 在等待批准" in await answer(guest, "/status")
        await office.program.kill()
        an_hour_passes(office)
        await office.program.start()
        heard = await guest.hears_end()
        assert "一小时内没有人批准，写手 没有使用 post 的 mail。" in [each.text for each in heard]
        assert "Nobody approved this call in time" in heard[-2].text
        assert "一小时内没有人批准" in await answer(guest, f"/approve {code}")
        assert letters(tmp_path) == []


def an_hour_passes(office: World) -> None:
    earlier = "UPDATE approvals SET due_at = due_at - 3600000000"
    config = tomllib.loads(office.program.config_file.read_text(encoding="utf-8"))
    if "store" in config:
        with psycopg.connect(config["store"]["url"]) as connection:
            connection.execute(earlier)
        return
    (file,) = (office.program.folder / "data").glob("*.db")
    with contextlib.closing(sqlite3.connect(file)) as store, store:
        store.execute(earlier)


async def test_killed_at_every_commit_from_the_decision_on(tmp_path: Path, nursery: Nursery) -> None:
    """R1: a decision that was acknowledged is never lost, and no letter goes out twice."""
    fuse = Fuse(nursery)
    async with with_letters(tmp_path, fuse) as office:
        office.model.play = letters_of("writer", "bob")
        for at in range(1, MOST_COMMITS):
            fuse.burn(at=at, when="after")
            await office.program.kill()
            await office.program.start()
            (tmp_path / "postbox").unlink(missing_ok=True)
            guest, code = await asked_at_last(office)
            office.program.arm()
            if not await _dies_of(office, guest, f"/approve {code}"):
                break
            fuse.burn(at=0, when="never")
            await office.program.start()
            await guest.say(f"/approve {code}")
            heard = await guest.hears_end()
            assert [each.kind for each in heard if each.kind != "reply"][-2:] == ["member", "wrapup"], at
            sent = letters(tmp_path)
            is_told = "Interrupted" in heard[-2].text or "There is no tool" in heard[-2].text
            assert len(sent) <= 1, at
            assert sent == ["bob"] or is_told, at
        assert at > 3, "the fuse burned at commits of the round"


async def _dies_of(office: World, guest: Guest, command: str) -> bool:
    """Whether the process died before the round was over."""
    over = asyncio.ensure_future(office.program.wait(within=60))
    try:
        await guest.send(command)
    except ClientError:
        await over
        return True
    ended = asyncio.ensure_future(guest.hears_end(within=60))
    done, rest = await asyncio.wait({over, ended}, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    return over in done
