"""Bringing in what came along: from a channel or an address, with patience and limits; then the session goes on."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from bridge.files import AT_ONCE, LIMIT, OF_ONE_SESSION, PATIENCE, PAUSES, Porter
from bridge.notices import Notices
from channels.base import Channel
from channels.errors import ChannelError, FileTooLarge
from channels.types import Attachment
from host.values import Attached
from store.base import Origin
from store.database import Database
from store.files import File, files_of_input
from tests.support.clock import FakeClock
from tests.support.house import Ask, House, Say, open_house

PLACE = Origin(channel_id="tg", chat_id="1", message_id="m")
PDF = Attached(name="a.pdf", ref="r1", mime="application/pdf", size=4)


class Shelves:
    """A channel whose files are what the test puts here: bytes, or faults in the order in which they come."""

    def __init__(self) -> None:
        self.plays: list[bytes | Exception | asyncio.Event] = []
        self.asked: list[Attachment] = []

    async def fetch(self, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
        self.asked.append(attachment)
        play = self.plays.pop(0) if len(self.plays) > 1 else self.plays[0]
        if isinstance(play, Exception):
            raise play
        if isinstance(play, asyncio.Event):
            play.set()
            await asyncio.Event().wait()
            return
        yield play


@pytest_asyncio.fixture
async def house(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[House]:
    def answers(asked: Ask) -> Say:
        return Say(text="ok")

    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        yield house


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


@pytest.fixture
def porter(house: House, shelves: Shelves, clock: FakeClock) -> Porter:
    known: dict[str, Channel] = {"tg": shelves}  # type: ignore[dict-item]
    return Porter(
        database=house.database,
        host=house.host,
        shelf=house.deps.shelf,
        find=known.get,
        say=Notices("en").say,
        clock=clock,
    )


async def ask(house: House, *attachments: Attached) -> str:
    session = (await house.open("solo")).id
    return await house.tell(session, "look", attachments=attachments, origin=PLACE)


async def files(house: House, input_id: str) -> list[File]:
    return await house.database.read(partial(files_of_input, input_id=input_id))


async def drained(porter: Porter, input_id: str, clock: FakeClock) -> None:
    """Drain, and let every pause pass."""
    work = asyncio.ensure_future(porter.drain(input_id))
    pauses = iter(PAUSES)
    async with asyncio.timeout(20):
        while not work.done():
            await asyncio.wait([work], timeout=0.01)
            if clock.sleepers > 1:  # besides the bell of its patience it waits for its next try
                await clock.advance(next(pauses))
    await work


async def test_a_file_is_fetched_and_the_question_is_answered(house: House, porter: Porter, shelves: Shelves) -> None:
    """Issue 8 item 4."""
    shelves.plays = [b"%PDF"]
    asked = await ask(house, PDF)
    await porter.drain(asked)
    (file,) = await files(house, asked)
    assert (file.state, file.size, file.mime, file.attempts) == ("stored", 4, "application/pdf", 1)
    assert await house.deps.shelf.read(file.digest) == b"%PDF"
    assert shelves.asked == [Attachment(name="a.pdf", ref="r1", mime="application/pdf", size=4)]
    await house.quiet()
    assert "[文件 a.pdf, 4 B]" in house.models.asked[0].prompt


async def test_a_passing_fault_is_tried_again(house: House, porter: Porter, shelves: Shelves, clock: FakeClock) -> None:
    """R3."""
    shelves.plays = [ChannelError("503"), ChannelError("503"), b"here"]
    asked = await ask(house, PDF)
    await drained(porter, asked, clock)
    (file,) = await files(house, asked)
    assert (file.state, file.attempts) == ("stored", 3)


async def test_what_does_not_come_is_said_and_the_question_is_answered_anyway(
    house: House, porter: Porter, shelves: Shelves, clock: FakeClock
) -> None:
    """Issue 8 item 4."""
    shelves.plays = [ChannelError("Telegram answered 404")]
    asked = await ask(house, PDF)
    await drained(porter, asked, clock)
    (file,) = await files(house, asked)
    assert (file.state, file.reason, file.attempts) == ("failed", "the platform did not give it", 5)
    await house.quiet()
    assert "[文件 a.pdf: 没能取到（the platform did not give it）]" in house.models.asked[0].prompt


async def test_a_file_that_is_too_large_is_not_asked_for_again(house: House, porter: Porter, shelves: Shelves) -> None:
    """X7: whether the channel says so, or the bytes do."""
    shelves.plays = [FileTooLarge("it has 30 MB", LIMIT), b"x" * (LIMIT + 1)]
    asked = await ask(house, PDF, PDF)
    await porter.drain(asked)
    for file in await files(house, asked):
        assert (file.state, file.reason, file.attempts) == ("failed", "it is larger than 25 MB", 1)


async def test_a_file_that_hangs_is_waited_for_a_minute(
    house: House, porter: Porter, shelves: Shelves, clock: FakeClock
) -> None:
    """R4: the other files of the message came meanwhile."""
    hangs = asyncio.Event()
    shelves.plays = [hangs, b"here"]
    asked = await ask(house, PDF, PDF)
    work = asyncio.ensure_future(porter.drain(asked))
    await hangs.wait()
    async with asyncio.timeout(20):
        while sorted(each.state for each in await files(house, asked)) != ["stored", "waiting"]:
            await asyncio.wait([work], timeout=0.01)
    await clock.advance(PATIENCE)
    await work
    lost = [each.reason for each in await files(house, asked) if each.state == "failed"]
    assert lost == ["it did not come within 60 seconds"]


async def test_files_of_one_chat_that_never_come_hold_up_nobody_elses(
    house: House, porter: Porter, shelves: Shelves, clock: FakeClock
) -> None:
    """R4: one chat takes a few places; and who waits for one is answered after the minute as well."""
    session = (await house.open("solo")).id
    hanging = [
        await house.tell(session, "look", attachments=[replace(PDF, ref="hangs")] * 10, origin=PLACE)
        for _ in range(AT_ONCE // 10 + 1)
    ]
    shelves.plays = [asyncio.Event()]
    works = [asyncio.ensure_future(porter.drain(each)) for each in hanging]
    async with asyncio.timeout(20):
        while len(shelves.asked) < OF_ONE_SESSION or clock.sleepers < 10 * len(hanging):
            await asyncio.wait(works, timeout=0.01)
        shelves.plays = [b"here"]
        asked = await ask(house, PDF)
        await porter.drain(asked)
        assert [each.state for each in await files(house, asked)] == ["stored"]
        assert len(shelves.asked) == OF_ONE_SESSION + 1
        shelves.plays = [asyncio.Event()]
        await clock.advance(PATIENCE)
        await asyncio.gather(*works)
    lost = {each.reason for asked in hanging for each in await files(house, asked)}
    assert lost == {"it did not come within 60 seconds"}


async def test_a_file_that_killed_the_program_again_and_again_is_given_up(
    house: House, porter: Porter, shelves: Shelves, clock: FakeClock
) -> None:
    """R1: attempts are counted before they are made."""
    asked = await ask(house, PDF)
    for _ in range(5):
        hangs = asyncio.Event()
        shelves.plays = [hangs]
        work = asyncio.ensure_future(porter.drain(asked))
        await hangs.wait()
        work.cancel()
        await asyncio.wait([work])
    async with asyncio.timeout(5):
        await porter.drain(asked)
    (file,) = await files(house, asked)
    assert (file.state, file.reason) == ("failed", "fetching it was interrupted several times")
    assert len(shelves.asked) == 5


async def test_a_channel_that_is_not_running_yet_is_waited_for(
    house: House, porter: Porter, shelves: Shelves, clock: FakeClock
) -> None:
    """After a start the lanes work before the channels do."""
    shelves.plays = [b"here"]
    asked = await ask(house, PDF)
    tries: list[str] = []

    def find(channel_id: str) -> Channel | None:
        tries.append(channel_id)
        return shelves if len(tries) > 2 else None  # type: ignore[return-value]

    porter.find = find
    await drained(porter, asked, clock)
    assert [each.state for each in await files(house, asked)] == ["stored"]
    assert tries == ["tg"] * 3


async def test_an_address_inside_is_refused(house: House, porter: Porter) -> None:
    """X7: addresses that arrive in messages may not be private or loopback."""
    asked = await ask(house, Attached(name="a", url="http://127.0.0.1:9/a"), Attached(name="b", url="http://[::1]/"))
    async with asyncio.timeout(5):
        await porter.drain(asked)
    for file in await files(house, asked):
        assert (file.state, file.reason, file.attempts) == ("failed", "this address may not be fetched from", 1)


async def test_a_file_behind_an_address_comes_and_one_that_is_not_there_does_not(house: House, porter: Porter) -> None:
    async def answer(request: web.Request) -> web.Response:
        if request.path == "/a.pdf":
            return web.Response(body=b"%PDF-2")
        raise web.HTTPNotFound

    app = web.Application()
    app.router.add_get("/{path}", answer)
    async with TestServer(app) as server:
        porter.allowed = lambda address: True
        there, missing = (Attached(name=name, url=str(server.make_url(f"/{name}"))) for name in ("a.pdf", "b.pdf"))
        asked = await ask(house, there, missing)
        await porter.drain(asked)
    came, lost = await files(house, asked)
    assert (came.state, came.size) == ("stored", 6)
    assert (lost.state, lost.reason, lost.attempts) == ("failed", "this address could not be reached", 1)


async def test_two_copies_of_the_same_content_are_stored_once(
    house: House, porter: Porter, shelves: Shelves, tmp_path: Path
) -> None:
    shelves.plays = [b"same"]
    asked = await ask(house, PDF, PDF)
    await porter.drain(asked)
    first, second = await files(house, asked)
    assert first.digest == second.digest
    assert len([each for each in (tmp_path / "files").rglob("*") if each.is_file()]) == 1
