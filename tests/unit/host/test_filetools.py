"""The tools of a workspace as models use them (X8, C3, T18), and `send_file` up to its row."""

import itertools
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from host import filetools, handingout
from host.agent import Tool, ToolCall
from host.errors import ToolFault
from host.filetools import FileTools
from host.shelf import Shelf
from host.toolbox import Bench
from host.workspace import Workspaces
from store.agents import Agent
from store.database import Database, Transaction
from store.errors import Lost
from store.files import File, files_of_turn
from store.inputs import Input, add_input
from store.sessions import Session, add_session
from store.turns import Turn, add_turn
from tests.support.clock import FakeClock

ALL = ("file_list", "file_read", "file_write")


class Desk:
    """An expert at work in a session of its owner."""

    def __init__(self, database: Database, folder: Path, bench: Bench) -> None:
        numbers = itertools.count()
        self.bench = bench
        self.shelf = Shelf(folder / "files")
        self.workspaces = Workspaces(folder / "workspaces")
        self.database = database
        self.source = FileTools(
            database=database, workspaces=self.workspaces, shelf=self.shelf, new_id=lambda: f"file-{next(numbers)}"
        )
        self.root = folder / "workspaces/ada"

    async def tools(self, *names: str) -> dict[str, Tool]:
        return {tool.name: tool for tool in await self.source.tools(names, self.bench)}

    async def use(self, name: str, call_id: str = "call00001", /, **arguments: Any) -> Any:
        call = ToolCall(id=call_id, number=int(call_id[-1]), position=0, name=name, arguments=arguments)
        return await (await self.tools(*ALL))[name].run(call)

    async def sent(self) -> list[File]:
        return await self.database.read(partial(files_of_turn, turn_id=self.bench.turn.id))


@pytest.fixture
async def desk(database: Database, clock: FakeClock, tmp_path: Path) -> Desk:
    now = clock.now()
    agent = Agent(id="ada", kind="expert", name="Ada", owner_id="ann", origin="api", created_at=now, updated_at=now)
    session = Session(
        id="s1",
        kind="direct",
        agent_id="ada",
        owner_id="ann",
        principal="user:ann",
        app_id="console",
        created_at=now,
        updated_at=now,
        workspace="ada",
    )

    async def begin(tx: Transaction) -> Turn:
        await add_session(tx, session)
        question = Input(id="i1", session_id="s1", kind="user", position=0, round_id="i1", created_at=now)
        await add_input(tx, question)
        return await add_turn(tx, _turn(now))

    turn = await database.write(begin)
    return Desk(database, tmp_path, Bench(agent=agent, session=session, turn=turn))


def _turn(now: Any) -> Turn:
    known: Mapping[str, Any] = {"kind": "user", "input_id": "i1", "round_id": "i1", "run": "run-1", "prompt": "x"}
    return Turn(id="t1", session_id="s1", agent_id="ada", started_at=now, rounds=["i1"], tool_calls=1, **known)


async def test_only_the_tools_that_were_asked_for(desk: Desk) -> None:
    """C3: who may write may send; a colleague inside of another run sends nothing."""
    assert list(await desk.tools("file_read")) == ["file_read"]
    assert list(await desk.tools("web_fetch")) == []
    assert list(await desk.tools(*ALL)) == [*ALL, "send_file"]
    desk.bench.session.kind = "peer"
    assert list(await desk.tools(*ALL)) == [*ALL]
    assert all(tool.safe for tool in (await desk.tools(*ALL)).values())


async def test_write_list_and_read(desk: Desk) -> None:
    text = "  # 计划\n\n一、二。\n"
    assert await desk.use("file_write", path="notes/plan.md", text=text) == {"path": "notes/plan.md", "size": 25}
    assert await desk.use("file_read", path="notes/plan.md") == text, "nothing is stripped"
    listed = await desk.use("file_list")
    assert [(each["name"], each["kind"]) for each in listed["entries"]] == [("notes", "folder")]
    listed = await desk.use("file_list", path="notes")
    assert [(each["name"], each["size"]) for each in listed["entries"]] == [("plan.md", 25)]
    assert await desk.use("file_write", path="empty.md", text="") == {"path": "empty.md", "size": 0}
    assert await desk.use("file_read", path="empty.md") == "[the file is empty]"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("file_read", {}),
        ("file_read", {"path": "nothing.md"}),
        ("file_read", {"path": "a", "offset": -1}),
        ("file_list", {"path": "../.."}),
        ("file_write", {"path": "a"}),
        ("file_write", {"path": "a", "text": "x", "mode": "insert"}),
        ("file_write", {"path": "/a", "text": "x"}),
        ("send_file", {"path": "nothing.md"}),
        ("send_file", {"path": "../secret.key"}),
    ],
)
async def test_faults_are_words_for_the_model(desk: Desk, name: str, arguments: Mapping[str, Any]) -> None:
    with pytest.raises(ToolFault):
        await desk.use(name, **arguments)
    assert await desk.sent() == []


async def test_a_long_file_is_read_in_pieces(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """No character is cut in two, nothing is lost and nothing comes twice."""
    monkeypatch.setattr(filetools, "READ_AT_ONCE", 100)
    text = "".join(f"第{number}行\n" for number in range(40))
    await desk.use("file_write", path="long.md", text=text)
    whole, offset = "", 0
    while True:
        answer = await desk.use("file_read", path="long.md", offset=offset)
        piece, _, note = answer.rpartition("\n[")
        whole += piece
        if note.endswith("the end]"):
            break
        offset = int(note.removesuffix("]").rsplit(" ", 1)[1])
    assert whole == text
    past = await desk.use("file_read", path="long.md", offset=10_000)
    assert past.endswith("the end]")


async def test_other_encodings_and_what_is_no_text(desk: Desk) -> None:
    """Texts of Windows are read; binary data is told apart."""
    desk.root.mkdir(parents=True)
    texts = {"gbk.txt": "表格，一二三".encode("gbk"), "utf16.txt": "表格".encode("utf-16"), "bom.txt": b"\xef\xbb\xbfx"}
    for name, data in {**texts, "a.png": b"\x89PNG\r\n\x1a\n\x00\x00", "odd.bin": b"\xff\xfe\xfd\x01"}.items():
        (desk.root / name).write_bytes(data)
    assert await desk.use("file_read", path="gbk.txt") == "表格，一二三"
    assert await desk.use("file_read", path="utf16.txt") == "表格"
    assert await desk.use("file_read", path="bom.txt") == "x"
    assert "no text but 10 B of binary" in await desk.use("file_read", path="a.png")


async def test_a_long_folder_is_listed_in_pieces(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filetools, "LISTED_AT_ONCE", 2)
    for name in ("a", "b", "c"):
        await desk.use("file_write", path=name, text="x")
    listed = await desk.use("file_list")
    assert [each["name"] for each in listed["entries"]] == ["a", "b"]
    assert (listed["more"], listed["next_offset"]) == (1, 2)
    listed = await desk.use("file_list", offset=2)
    assert [each["name"] for each in listed["entries"]] == ["c"]
    assert "more" not in listed


async def test_an_addition_that_is_repeated_is_there_once(desk: Desk) -> None:
    """R1: calls of a response that was cut run again, all of them in their order."""
    await desk.use("file_write", path="a", text="1")
    for _ in range(2):
        await desk.use("file_write", "call00002", path="a", text="2", mode="append")
        assert (await desk.use("file_write", "call00003", path="a", text="3", mode="append"))["size"] == 3
    assert await desk.use("file_read", path="a") == "123"


async def test_a_file_is_sent_as_it_is_now(desk: Desk) -> None:
    """One call is one file, whoever repeats it; what is written later is another content."""
    await desk.use("file_write", path="out/报告.md", text="one")
    first = await desk.use("send_file", path="out/报告.md")
    assert (first["name"], first["size"]) == ("报告.md", 3)
    await desk.use("file_write", path="out/报告.md", text="two two")
    assert await desk.use("send_file", path="out/报告.md") == first
    await desk.use("send_file", "call00002", path="out/报告.md")
    sent = await desk.sent()
    assert [(f.name, f.size, f.session_id, f.state) for f in sent] == [
        ("报告.md", 3, "s1", "stored"),
        ("报告.md", 7, "s1", "stored"),
    ]
    assert await desk.shelf.read(sent[0].digest) == b"one"


async def test_files_stand_in_the_order_of_their_calls(desk: Desk) -> None:
    """Calls of one response run together; whichever is read first."""
    for name in ("a", "b"):
        await desk.use("file_write", path=name, text=name)
    await desk.use("send_file", "call00002", path="b")
    await desk.use("send_file", "call00001", path="a")
    assert [file.name for file in await desk.sent()] == ["a", "b"]


async def test_not_too_many_and_not_too_large(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handingout, "MOST", 1)
    monkeypatch.setattr(handingout, "LARGEST", 3)
    await desk.use("file_write", path="a", text="1234")
    with pytest.raises(ToolFault, match="too large"):
        await desk.use("send_file", path="a")
    await desk.use("file_write", path="a", text="123")
    await desk.use("send_file", path="a")
    with pytest.raises(ToolFault, match="at most 1 files"):
        await desk.use("send_file", "call00002", path="a")


async def test_a_run_that_was_overtaken_sends_nothing(desk: Desk) -> None:
    """Section 6: every write checks the owner it was claimed with."""
    await desk.use("file_write", path="a", text="1")
    desk.bench.turn.run = "another"
    with pytest.raises(Lost):
        await desk.use("send_file", path="a")
    assert await desk.sent() == []
