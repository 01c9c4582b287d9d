"""Files that agents send, in Slack: shared in the thread, or the line that stands for them (issue 8, 4)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.casts import ASK, WRAP_UP, cast, planner
from tests.support.scribe import DONE, NAME, SCRIBES, STAND_IN, WHOLE, writes_a_report
from tests.support.slack.faults import Fault, refuse
from tests.support.slack.state import ALL_SCOPES, Message
from tests.support.slack.world import SlackWorld, slack_world

QUESTION = f"{ASK}，写份报告"


@asynccontextmanager
async def _opened(folder: Path, **channel: Any) -> AsyncIterator[SlackWorld]:
    async with slack_world(folder, start=False, **channel) as studio:
        studio.program.configure(studio.config | {"agents": list(SCRIBES)})
        await studio.program.start()
        studio.model.play = cast(planner("researcher", wrap_up=WRAP_UP), researcher=writes_a_report())
        yield studio


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[SlackWorld]:
    async with _opened(tmp_path_factory.mktemp("files")) as running:
        yield running


@pytest.fixture
def studio(office: SlackWorld) -> SlackWorld:
    assert not office.model.faults, office.model.faults
    office.slack.script.clear()
    return office


def _shared(studio: SlackWorld, heard: list[Message]) -> list[tuple[str, bytes]]:
    """Title and bytes of each file in the thread."""
    completed = studio.slack.of("files.completeUploadExternal")
    titles = {file["id"]: file["title"] for call in completed for file in call.args["files"]}
    return [(titles[f["id"]], studio.slack.contents[f["id"]]) for message in heard for f in message.files]


async def test_a_file_is_shared_in_the_thread(studio: SlackWorld) -> None:
    """In order, its own title and bytes, nothing above it (T34, T35); bytes go up without the token (X7)."""
    ann = studio.member("C21")
    ann.mention(QUESTION)
    heard = await ann.hears_end()
    assert [(message.shown, len(message.files)) for message in heard[-3:]] == [
        (DONE, 0),
        ("", 1),
        (f"【**主持人总结**】{WRAP_UP}", 0),
    ]
    assert _shared(studio, heard) == [(NAME, WHOLE)]
    assert heard[-2].thread_ts == heard[-3].thread_ts
    assert not studio.slack.leaked


async def test_without_the_right_the_file_is_told_in_words(studio: SlackWorld) -> None:
    """Contract 8: a missing optional permission loses that, not the answer."""
    studio.slack.script.add("files.getUploadURLExternal", refuse("missing_scope", needed="files:write"))
    ann = studio.member("C22")
    ann.mention(QUESTION)
    heard = await ann.hears_end()
    assert heard[-2].shown == STAND_IN
    assert _shared(studio, heard) == []
    assert "files:write" in ALL_SCOPES


async def test_a_refused_file_is_told_in_words(studio: SlackWorld) -> None:
    studio.slack.script.add("files.completeUploadExternal", refuse("file_type_not_allowed"))
    ann = studio.member("C23")
    ann.mention(QUESTION)
    assert (await ann.hears_end())[-2].shown == STAND_IN


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "files.completeUploadExternal"])
async def test_a_file_whose_outcome_is_unknown_comes_once(studio: SlackWorld, method: str) -> None:
    """Section 7: executed, then cut; it is looked for by its name in the thread."""
    studio.slack.script.add(method, Fault(kind="cut_after"))
    ann = studio.member(f"C24{method[6:9]}")
    ann.mention(QUESTION)
    heard = await ann.hears_end()
    assert _shared(studio, heard) == [(NAME, WHOLE)]


async def test_killed_between_the_file_and_its_record(tmp_path: Path) -> None:
    """R1: Slack has it and nobody here knows; it is found after the restart and not shared again."""
    async with _opened(tmp_path) as studio:
        hanging = Fault(kind="hang_after")
        studio.slack.script.add("files.completeUploadExternal", hanging)
        ann = studio.member("C1")
        ann.mention(QUESTION)
        await ann.hears(lambda heard: any(message.files for message in heard))
        await studio.program.kill()
        hanging.gate.set()
        await studio.program.start()
        assert _shared(studio, await ann.hears_end()) == [(NAME, WHOLE)]
