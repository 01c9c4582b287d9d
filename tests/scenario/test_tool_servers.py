"""Tool servers of the configuration, used by members and experts of the real program."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.callback import Receiver
from tests.support.casts import ASK, cast, dispatches, is_question, sheet
from tests.support.mcp_server import command, is_alive, noted
from tests.support.mcp_web import McpWeb
from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request
from tests.support.model_server import ModelServer
from tests.support.program import Nursery
from tests.support.settings import expert, settings, webhook
from tests.support.world import World, world

QUESTION = f"{ASK}，查一下"
ALWAYS = {"memory_search", "memory_save", "current_time"}


def _servers(diary: Path, url: str) -> dict[str, Any]:
    env = {"DIARY": str(diary)}
    return {
        "docs": {"command": command("parent"), "env": env},
        "web": {"url": url, "headers": {"Authorization": "Bearer tok-1234567"}},
        "broken": {"command": [*command("dead")], "env": {"DIARY": os.devnull}},
        "hidden": {"command": ["/nowhere/at/all"]},
    }


def _configuration(diary: Path, url: str, model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    agents = [
        expert("researcher", "研究员", tools=["docs", "broken"], cooperation=False),
        expert("writer", "写手", tools=["web"], cooperation=False),
        expert("critic", "评审", cooperation=False),
    ]
    channels = [webhook("hook", "studio", callback.url("hook")), webhook("solo", "researcher", callback.url("solo"))]
    servers = _servers(diary, url)
    return settings(model_url=model.base_url, port=port, channels=channels, agents=agents) | {"mcp": servers}


def _opened(folder: Path, url: str, nursery: Nursery) -> AbstractAsyncContextManager[World]:
    return world(folder, partial(_configuration, folder / "diary", url), launcher=nursery)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def web(program_store: str) -> AsyncIterator[McpWeb]:
    async with McpWeb() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shop(
    tmp_path_factory: pytest.TempPathFactory, web: McpWeb, nursery: Nursery, program_store: str
) -> AsyncIterator[World]:
    async with _opened(tmp_path_factory.mktemp("shop"), web.url, nursery) as running:
        yield running


@pytest.fixture
def tools(shop: World) -> World:
    shop.reset()
    return shop


def _diary(of: World) -> list[int]:
    return list(noted(of.program.folder / "diary"))


def _member(name: str, **arguments: Any) -> Any:
    """Calls one tool, then says what came of it."""

    def play(request: Request) -> Reply:
        return say(f"得到：{request.tool_answers[-1]}") if request.answers_tools else act(use(name, **arguments))

    return play


def _host(request: Request) -> Reply:
    if is_question(request):
        return act("我来安排。", *dispatches({"researcher": sheet("researcher"), "writer": sheet("writer")}))
    return say("完成。")


def _lines(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["text"], event["data"]["status"]) for event in events if event["kind"] == "tool"]


async def test_members_use_their_servers_and_a_broken_one_costs_only_itself(tools: World) -> None:
    """Issue 8: each agent has its own servers' tools on the request that reaches the model; the round goes on without
    the broken one, a notice in the member's session says so, and nothing of it appears in the chat."""
    tools.model.play = cast(
        _host,
        researcher=_member("docs__echo", text="甲"),
        writer=_member("web__echo", text="乙"),
    )
    guest = tools.guest()
    await guest.say(QUESTION)
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ["host", "notice", "notice", "member", "member", "wrapup"]
    assert {message.text for message in heard if message.kind == "member"} == {"得到：echo 甲", "得到：echo 乙"}

    offered = {agent: set(tools.model.asked_by(agent)[0].tools) - ALWAYS for agent in ("researcher", "writer")}
    assert {name.partition("__")[0] for name in offered["researcher"]} == {"docs", "ask_agent"}
    assert {name.partition("__")[0] for name in offered["writer"]} == {"web", "ask_agent"}
    assert set(tools.model.asked_by("studio")[0].tools) == {"agent_list", "ask_agent", *ALWAYS}

    room = heard[0].session_id
    side = await tools.api.events(f"{room}~researcher")
    assert _lines(side) == [("调用了 docs 的 echo", "running"), ("调用了 docs 的 echo", "completed")]
    [notice] = [event for event in side if event["kind"] == "notice"]
    assert notice["text"] == "工具服务 broken 暂时不可用，本轮没有它的工具。"
    [_, settled] = [event["data"] for event in side if event["kind"] == "tool"]
    assert (settled["size"], settled["count"]) == (len("echo 甲".encode()), None)
    assert "甲" not in str([event["data"] for event in side if event["kind"] == "tool"])


async def test_the_next_question_finds_the_same_server(tools: World) -> None:
    """Issue 8: kept open and shared."""
    tools.model.play = cast(_host, researcher=_member("docs__peek"))
    for _ in range(2):
        guest = tools.guest(channel="solo")
        await guest.say("看看")
        [heard] = await guest.hears(1)
        assert heard.text == "得到：peeked"
    assert len([pid for pid in _diary(tools) if is_alive(pid)]) == 2  # the server and its child


async def test_a_server_that_dies_in_a_call_is_told_to_the_model_and_started_again(tools: World) -> None:
    """Architecture 8: reported as interrupted, not repeated; the line says so, and the next call works."""
    tools.model.play = cast(_host, researcher=_member("docs__die"))
    guest = tools.guest(channel="solo")
    await guest.say("看看")
    [heard] = await guest.hears(1)
    assert "unknown whether the call took effect" in heard.text
    events = await tools.api.events(heard.session_id)
    assert _lines(events)[-1] == ("调用了 docs 的 die", "interrupted")
    tools.model.play = cast(_host, researcher=_member("docs__echo", text="again"))
    await guest.say("再看看")
    assert (await guest.hears(2))[-1].text == "得到：echo again"


async def test_stopping_ends_the_servers_with_all_they_started(tools: World) -> None:
    """R7: exit 0 within 10 s, and no process is left; the next start begins none before it is needed."""
    tools.model.play = cast(_host, researcher=_member("docs__hang"))
    guest = tools.guest(channel="solo")
    await guest.say("看看")
    await _eventually((tools.program.folder / "diary.hangs").exists)
    pids = [pid for pid in _diary(tools) if is_alive(pid)]
    assert len(pids) == 2
    started = asyncio.get_running_loop().time()
    await tools.program.terminate()
    assert asyncio.get_running_loop().time() - started < 10
    assert [pid for pid in pids if is_alive(pid)] == []
    before = len(_diary(tools))
    await tools.again()
    tools.model.play = cast(_host, researcher=lambda request: say(f"得到：{request.tool_answers[-1]}"))
    [heard] = await guest.hears(1)
    assert "It was not repeated" in heard.text
    assert len(_diary(tools)) == before + 2


async def test_a_killed_program_leaves_no_server_behind(tools: World) -> None:
    """R1: kill -9; the server's input closes with us."""
    tools.model.play = cast(_host, researcher=_member("docs__peek"))
    guest = tools.guest(channel="solo")
    await guest.say("看看")
    await guest.hears(1)
    leader = next(pid for pid in _diary(tools) if is_alive(pid))
    await tools.program.kill()
    await _eventually(lambda: not is_alive(leader))
    for pid in _diary(tools):  # what it has started ignores everything but this
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
    await tools.again()


async def _eventually(holds: Callable[[], bool]) -> None:
    """Wait for what happens in a process that is not ours."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
