"""Files that agents send, in Telegram chats: documents, or the line that stands for them (issue 8, 4)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.casts import ASK, WRAP_UP, cast, planner
from tests.support.scribe import DONE, NAME, SCRIBES, STAND_IN, WHOLE, writes_a_report
from tests.support.telegram.faults import Fault, refuse
from tests.support.telegram.state import Shown
from tests.support.telegram.world import TelegramWorld, telegram_world

QUESTION = f"{ASK}，写份报告"
MARK = "↻"


@asynccontextmanager
async def _opened(folder: Path, **channel: Any) -> AsyncIterator[TelegramWorld]:
    async with telegram_world(folder, start=False, **channel) as bot:
        bot.program.configure(bot.config | {"agents": list(SCRIBES)})
        await bot.program.start()
        bot.model.play = cast(planner("researcher", wrap_up=WRAP_UP), researcher=writes_a_report())
        yield bot


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[TelegramWorld]:
    async with _opened(tmp_path_factory.mktemp("files")) as running:
        yield running


@pytest.fixture
def bot(office: TelegramWorld) -> TelegramWorld:
    assert not office.model.faults, office.model.faults
    office.telegram.script.clear()
    office.model.play = cast(planner("researcher", wrap_up=WRAP_UP), researcher=writes_a_report())
    return office


def _documents(heard: list[Shown]) -> list[Shown]:
    return [message for message in heard if message.document is not None]


async def test_a_file_is_a_document_behind_the_words(bot: TelegramWorld) -> None:
    """In order, its own name and bytes, no caption: who speaks stands above (T35)."""
    ann = bot.person()
    ann.say(QUESTION)
    heard = await ann.hears_end()
    assert [message.text for message in heard[-3:]] == [f"研究员：{DONE}", "", f"【主持人总结】{WRAP_UP}"]
    [document] = _documents(heard)
    assert (document.file_name, document.document, document.buttons) == (NAME, WHOLE, [])


async def test_a_live_message_closes_with_the_words(bot: TelegramWorld) -> None:
    """Contract 8: what grew in a group becomes the words; the file is a message of its own."""
    group = bot.group(-8201)
    group.say(f"@sim_bot {QUESTION}")
    heard = await group.hears_end()
    assert len([message for message in heard if DONE in message.text]) == 1
    [document] = _documents(heard)
    assert heard.index(document) > next(at for at, message in enumerate(heard) if DONE in message.text)


async def test_a_file_that_is_refused_is_told_in_words(bot: TelegramWorld) -> None:
    """Section 7: what a platform rejects arrives otherwise."""
    bot.telegram.script.add("sendDocument", refuse(400, "Bad Request: file must be non-empty"))
    ann = bot.person()
    ann.say(QUESTION)
    heard = await ann.hears_end()
    assert f"研究员：{STAND_IN}" in [message.text for message in heard]
    assert _documents(heard) == []


async def test_a_file_that_is_too_large_for_a_server_is_told_in_words(bot: TelegramWorld) -> None:
    bot.telegram.script.add("sendDocument", Fault(kind="status", code=413))
    ann = bot.person()
    ann.say(QUESTION)
    assert f"研究员：{STAND_IN}" in [message.text for message in await ann.hears_end()]


async def test_a_file_whose_outcome_is_unknown_comes_again_marked(bot: TelegramWorld) -> None:
    """Section 7: executed, then cut; the second one says so."""
    bot.telegram.script.add("sendDocument", Fault(kind="cut_after"))
    ann = bot.person()
    ann.say(QUESTION)
    documents = _documents(await ann.hears_end())
    assert [(one.text, one.document) for one in documents] == [("", WHOLE), (MARK, WHOLE)]


async def test_killed_while_a_file_goes_up(tmp_path: Path) -> None:
    """R1: nobody knows whether it arrived; it comes again, marked, and what stands behind it follows."""
    async with _opened(tmp_path) as bot:
        hanging = Fault(kind="hang_after")
        bot.telegram.script.add("sendDocument", hanging)
        ann = bot.person()
        ann.say(QUESTION)
        await ann.hears(lambda heard: bool(_documents(heard)))
        await bot.program.kill()
        hanging.gate.set()
        await bot.program.start()
        heard = await ann.hears_end()
        assert [(one.text, one.document) for one in _documents(heard)] == [("", WHOLE), (MARK, WHOLE)]
        assert WRAP_UP in heard[-1].text
