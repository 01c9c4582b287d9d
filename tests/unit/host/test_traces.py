"""Every tool call is one line of its session's transcript, in words, without arguments and results (issue 8 item 6)."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.notices import Notices
from host.errors import Interrupted, ToolFault
from host.messages import ToolCall, tool_returns
from host.model import Tool
from host.toolbox import Bench
from host.traces import begun, settled
from store.database import Database
from tests.support.clock import FakeClock
from tests.support.house import Ask, Say, open_house

SAY = Notices("en").say
CHINESE = Notices("zh-CN").say


def calls(*names: str, **arguments: object) -> list[ToolCall]:
    return [
        ToolCall(id=f"c{place}", number=1, position=place, name=name, arguments=arguments)
        for place, name in enumerate(names)
    ]


def line(name: str, result: object, **arguments: object) -> dict[str, Any]:
    [call] = calls(name, **arguments)
    [data] = settled(tool_returns([call], {call.id: result}), SAY)
    return data


@pytest.mark.parametrize(
    ("name", "english", "chinese"),
    [
        ("file_read", "Read a file", "读取了文件"),
        ("file_write", "Wrote a file", "写入了文件"),
        ("file_list", "Listed files", "查看了文件列表"),
        ("send_file", "Sent a file", "发送了文件"),
        ("web_fetch", "Read a web page", "读取了网页"),
        ("memory_search", "Searched the memory", "查阅了记忆"),
        ("memory_save", "Saved to the memory", "记下了一条记忆"),
        ("current_time", "Looked at the time", "查看了时间"),
        ("ask_agent", "Asked a colleague", "请教了同事"),
        ("agent_list", "Viewed agents", "查看智能体"),
        ("docs__fs_read", "Used fs_read of docs", "调用了 docs 的 fs_read"),
        ("made_up", "Used the tool made_up", "调用了工具 made_up"),
    ],
)
def test_a_line_says_in_words_what_was_done(name: str, english: str, chinese: str) -> None:
    assert [next(begun(calls(name), say))["title"] for say in (SAY, CHINESE)] == [english, chinese]


def test_nothing_of_arguments_and_results_is_told() -> None:
    """Only the path of a file."""
    name, title = "docs__search", "Used search of docs"
    [began] = begun(calls(name, query="secret", path="secret"), SAY)
    assert began == {"name": name, "title": title, "count": None, "status": "running", "call": "c0"}
    assert line("docs__search", '{"path": "secret", "agents": [1]}') == began | {"status": "completed", "size": 33}
    [began] = begun(calls("file_write", path="notes/a.md", text="secret"), SAY)
    assert began["path"] == "notes/a.md"
    assert "secret" not in str(began)


@pytest.mark.parametrize(
    ("name", "result", "facts"),
    [
        ("file_list", {"path": "notes", "entries": [{}, {}]}, {"count": 2, "path": "notes"}),
        ("file_write", {"path": "a.md", "size": 12}, {"count": None, "path": "a.md", "size": 12}),
        ("file_read", "四个字节", {"count": None, "size": 12}),
        ("file_read", '{"agents": [1, 2], "path": "x"}', {"count": None, "size": 31}),
        ("web_fetch", "page", {"count": None, "size": 4}),
        ("memory_search", {"memories": [{}], "found": 1}, {"count": 1}),
        ("agent_list", [{}, {}, {}], {"count": 3}),
        ("ask_agent", '{"members": [1]}', {"count": None}),
        ("current_time", {"time": "now"}, {"count": None}),
    ],
)
def test_a_line_says_how_much_there_was(name: str, result: object, facts: dict[str, object]) -> None:
    told = line(name, result)
    assert {key: told[key] for key in told if key not in ("name", "title", "call", "status")} == facts


def test_a_line_says_how_it_ended() -> None:
    assert line("docs__x", ToolFault("no"))["status"] == "failed"
    assert line("docs__x", Interrupted("who knows"))["status"] == "interrupted"
    [call] = calls("docs__x")
    assert next(settled(tool_returns([call], {}), SAY))["status"] == "interrupted"


def test_a_name_that_a_model_makes_up_is_not_endless() -> None:
    [began] = begun(calls("x" * 5_000), SAY)
    assert max(len(str(value)) for value in began.values()) < 250


class _Source:
    """With two tools: one answers, one never does."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def tools(self, names: Sequence[str], bench: Bench) -> list[Tool]:
        schema = {"type": "object"}
        return [
            Tool(name="docs__echo", description="", schema=schema, run=self._echo),
            Tool(name="docs__hang", description="", schema=schema, run=self._hang),
        ]

    async def _echo(self, call: ToolCall) -> object:
        return "echoed"

    async def _hang(self, call: ToolCall) -> object:
        self.begun.set()
        await asyncio.Event().wait()
        return ""


def _lines(house_events: Sequence[Any]) -> list[tuple[str, str]]:
    return [(event.text, event.data["status"]) for event in house_events if event.kind == "tool"]


def _script(asked: Ask) -> Say:
    if asked.prompt.endswith("hang"):
        return Say(calls=[("docs__hang", "{}")])
    if len(asked.messages) > 1:
        return Say(text="done")
    return Say(calls=[("docs__echo", "{}"), ("current_time", "{}")])


async def test_a_host_has_lines_too_but_none_for_what_it_hands_out(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T32: the notices say it; nothing of the lines is posted to the chat."""

    def script(asked: Ask) -> Say:
        if "任务" in asked.prompt or len(asked.messages) > 3:
            return Say(text="fertig")
        if len(asked.messages) == 1:
            return Say(calls=[("agent_list", "{}"), ("memory_search", "{}")])
        return Say(calls=[("ask_agent", '{"agent_id": "ada", "message": "任务"}')])

    async with open_house(database, clock, tmp_path, script) as house:
        await house.add_expert("ada")
        await house.add_expert("bob")
        await house.add_team("team", ["ada", "bob"])
        room = (await house.open("team")).id
        await house.tell(room, "go")
        await house.quiet()
        events = await house.events(room)
        assert _lines(events) == [
            ("查看智能体", "running"),
            ("查阅了记忆", "running"),
            ("查看智能体", "completed"),
            ("查阅了记忆", "completed"),
        ]
        assert {event.origin for event in events if event.kind == "tool"} == {None}
        assert [event.kind for event in events if event.kind == "job_dispatched"]


async def test_what_is_cut_is_settled_as_interrupted(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """D4: a stopped turn leaves no line that says it is running."""
    source = _Source()
    async with open_house(database, clock, tmp_path, _script, tools=(source,)) as house:
        await house.add_expert("ada", tools=["docs"])
        session = await house.open("ada")
        await house.tell(session.id, "hang")
        await source.begun.wait()
        await house.database.write(lambda tx: house.host.stop(tx, session.id))
        await house.quiet()
        assert _lines(await house.events(session.id)) == [
            ("调用了 docs 的 hang", "running"),
            ("调用了 docs 的 hang", "interrupted"),
        ]


async def test_every_tool_of_an_expert_has_its_line(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    async with open_house(database, clock, tmp_path, _script, tools=(_Source(),)) as house:
        await house.add_expert("ada", tools=["docs"])
        session = await house.open("ada")
        await house.tell(session.id, "go")
        await house.quiet()
        assert _lines(await house.events(session.id)) == [
            ("调用了 docs 的 echo", "running"),
            ("查看了时间", "running"),
            ("调用了 docs 的 echo", "completed"),
            ("查看了时间", "completed"),
        ]
