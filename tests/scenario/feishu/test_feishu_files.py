"""Files that agents send, in Feishu chats: files, pictures, or the line that stands for them (issue 8, 4)."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.casts import ASK, WRAP_UP, cast, planner
from tests.support.feishu.answers import Refusal
from tests.support.feishu.faults import Fault, refuse
from tests.support.feishu.state import Seen
from tests.support.feishu.world import FeishuWorld, feishu_world
from tests.support.model_reply import act, say, use
from tests.support.scribe import DONE, NAME, SCRIBES, STAND_IN, WHOLE, in_steps, writes_a_report

QUESTION = f"{ASK}，写份报告"
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A picture of one point."""


@asynccontextmanager
async def _opened(folder: Path, **channel: Any) -> AsyncIterator[FeishuWorld]:
    def change(config: dict[str, Any]) -> None:
        config["agents"] = list(SCRIBES)

    async with feishu_world(folder, change=change, **channel) as lark:
        lark.model.play = cast(planner("researcher", wrap_up=WRAP_UP), researcher=writes_a_report())
        yield lark


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[FeishuWorld]:
    async with _opened(tmp_path_factory.mktemp("files")) as running:
        yield running


@pytest.fixture
def lark(office: FeishuWorld) -> FeishuWorld:
    assert not office.model.faults, office.model.faults
    office.feishu.script.clear()
    office.model.play = cast(planner("researcher", wrap_up=WRAP_UP), researcher=writes_a_report())
    return office


def _files(heard: list[Seen]) -> list[tuple[str, bytes]]:
    return [(seen.name, seen.data) for seen in heard if seen.kind == "file"]


async def test_a_file_is_a_message_of_its_own(lark: FeishuWorld) -> None:
    """In order, its own name and bytes; the words close the live card (contract 8)."""
    ann = lark.person()
    await ann.say(QUESTION)
    heard = await ann.hears_end()
    assert [(seen.kind, seen.title) for seen in heard[-3:]] == [
        ("interactive", "研究员"),
        ("file", ""),
        ("interactive", "【主持人总结】"),
    ]
    assert heard[-3].text == DONE
    assert _files(heard) == [(NAME, WHOLE)]


async def test_a_file_stays_in_its_topic(lark: FeishuWorld) -> None:
    """T34."""
    group = lark.group("topic")
    await group.say(QUESTION, at_bot=True)
    heard = await group.hears_end()
    assert _files(heard) == [(NAME, WHOLE)]
    assert len({seen.thread for seen in heard}) == 1


async def test_a_picture_is_shown_as_one(lark: FeishuWorld) -> None:
    """One that the platform does not take for a picture goes as a file."""
    shared = lark.program.folder / "data/workspaces/researcher/shared"
    await asyncio.to_thread(_put, shared, {"dot.png": DOT, "odd.gif": b"GIF8 but refused"})
    second = Fault(kind="refuse", refusal=Refusal(234011, "can't recognize image format"), skip=1)
    lark.feishu.script.add("upload_image", second)
    sends = act(use("send_file", path="shared/dot.png"), use("send_file", path="shared/odd.gif"))
    lark.model.play = cast(planner("researcher"), researcher=in_steps(sends, say("图在这里")))
    ann = lark.person()
    await ann.say(QUESTION)
    heard = await ann.hears_end()
    assert [(seen.kind, seen.name, seen.data) for seen in heard if seen.data] == [
        ("image", "", DOT),
        ("file", "odd.gif", b"GIF8 but refused"),
    ]


def _put(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


@pytest.mark.parametrize(
    "fault", [refuse(234006, "too large"), refuse(99991672, "Access denied: im:resource", status=403)]
)
async def test_a_file_that_is_not_taken_is_told_in_words(lark: FeishuWorld, fault: Fault) -> None:
    """Contract 8: refused, or the app may not."""
    lark.feishu.script.add("upload", fault)
    ann = lark.person()
    await ann.say(QUESTION)
    heard = await ann.hears_end()
    assert (heard[-2].title, heard[-2].text) == ("研究员", STAND_IN)
    assert _files(heard) == []


async def test_a_file_whose_outcome_is_unknown_comes_once(lark: FeishuWorld) -> None:
    """Section 7: executed, then cut; the same uuid is one message."""
    ann = lark.person()
    lark.feishu.script.add("upload", Fault(kind="cut_after"))
    await ann.say(QUESTION)
    assert _files(await ann.hears_end()) == [(NAME, WHOLE)]


async def test_killed_while_a_file_goes_up(tmp_path: Path) -> None:
    """R1."""
    async with _opened(tmp_path) as lark:
        hanging = Fault(kind="hang_after")
        lark.feishu.script.add("upload", hanging)
        ann = lark.person()
        await ann.say(QUESTION)
        await lark.feishu.until(lambda server: bool(server.of("upload")))
        await lark.program.kill()
        hanging.gate.set()
        await lark.program.start()
        heard = await ann.hears_end()
        assert _files(heard) == [(NAME, WHOLE)]
        assert heard[-1].text == WRAP_UP
