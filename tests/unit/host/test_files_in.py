"""Files that came along inside the host: who waits for them, who is told of them, who is given them."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import pytest
from pydantic_ai.messages import BinaryContent, ModelRequest, UserPromptPart

from host.attachments import NAMED
from host.errors import UnknownFile
from host.quota import QUOTA_BYTES
from host.shelf import Kept
from host.values import Attached
from store.base import Origin
from store.database import Database
from store.files import File, files_of_input, find_files, inputs_with_waiting
from tests.support.clock import FakeClock
from tests.support.house import Ask, House, Say, open_house

pytestmark = pytest.mark.both_databases

PDF = Attached(name="a.pdf", url="https://example.com/a.pdf", mime="application/pdf")
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def answers(asked: Ask) -> Say:
    return Say(text=f"answer to {asked.prompt[:8]}")


async def keep(house: House, content: bytes) -> Kept:
    async def pieces() -> AsyncIterator[bytes]:
        yield content

    return await house.deps.shelf.put(pieces(), 1_000_000)


async def files(house: House, input_id: str) -> list[File]:
    return await house.database.read(partial(files_of_input, input_id=input_id))


async def comes(house: House, file: File, content: bytes = b"%PDF") -> None:
    kept = await keep(house, content)
    await house.database.write(partial(house.host.settle_file, file_id=file.id, fetched=kept))


async def fails(house: House, file: File, reason: str) -> None:
    await house.database.write(partial(house.host.settle_file, file_id=file.id, fetched=reason))


async def room(house: House, **member: object) -> str:
    for each in ("writer", "researcher"):
        await house.add_expert(each, instructions=f"I am {each}", **member)
    await house.add_team("studio", ["writer", "researcher"])
    return (await house.open("studio")).id


async def test_a_question_and_all_behind_it_wait_for_its_files(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Issue 8 item 4: order is kept in the session; other sessions do not notice."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here, there = (await house.open("solo")).id, (await house.open("solo")).id
        asked = await house.tell(here, "one", attachments=[PDF, PDF])
        await house.tell(here, "two")
        await house.tell(there, "three")
        await house.quiet()
        assert [each.prompt for each in house.models.asked] == ["three"]
        first, second = await files(house, asked)
        await comes(house, first)
        await house.quiet()
        assert len(house.models.asked) == 1
        await fails(house, second, "大于 25 MB")
        await house.quiet()
        one, two = house.models.asked[1:]
        assert two.prompt == "two"
        assert f"- [文件 a.pdf, 4 B] id：{first.id}\n- [文件 a (2).pdf: 没能取到（大于 25 MB）]" in one.prompt


async def test_the_event_tells_what_became_of_the_files(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """Issue 8 item 4: `data.attachments` with id, name, size and state."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here = (await house.open("solo")).id
        (file,) = await files(house, await house.tell(here, "one", attachments=[PDF]))

        async def told() -> object:
            return (await house.events(here))[0].data["attachments"]

        known = {"id": file.id, "name": "a.pdf"}
        assert await told() == [known | {"size": 0, "state": "waiting"}]
        await comes(house, file)
        assert await told() == [known | {"size": 4, "state": "stored"}]


async def test_a_message_that_is_taken_back_holds_up_nobody_and_its_file_is_gone(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here = (await house.open("solo")).id
        origin = _origin("m1")
        asked = await house.tell(here, "one", attachments=[PDF], origin=origin)
        await house.tell(here, "two")
        assert await house.database.write(partial(house.host.recall, session_id=here, message_id="m1"))
        await house.quiet()
        assert [each.prompt for each in house.models.asked] == ["two"]
        (file,) = await files(house, asked)
        await comes(house, file)
        assert (await files(house, asked))[0].state == "gone"


async def test_fetching_is_taken_up_again_after_a_restart(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R1."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here = (await house.open("solo")).id
        asked = await house.tell(here, "one", attachments=[PDF])
        assert await database.read(inputs_with_waiting) == [asked]
        assert f"files:{asked}" in (await database.read(house.host.open_work)).lanes


async def test_names_are_made_safe_and_only_ten_files_are_taken(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here = (await house.open("solo")).id
        many = [Attached(name="../../etc/passwd", url="https://example.com/x")] * 12
        found = await files(house, await house.tell(here, "one", attachments=[*many, Attached(name="no address")]))
        assert [each.name for each in found[:2]] == ["passwd", "passwd (2)"]
        assert [each.state for each in found] == ["waiting"] * 10 + ["failed"] * 3


@pytest.mark.parametrize("size", [3_000_000_000, 10**30, -5])
async def test_a_file_of_any_size_that_is_told_loses_no_message(
    database: Database, clock: FakeClock, tmp_path: Path, size: int
) -> None:
    """R1: a video of 3 GB did not fit into its column, and what was asked about it was lost."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        video = Attached(name="a.mp4", ref="r1", size=size)
        asked = await house.tell((await house.open("solo")).id, "what is it?", attachments=[video], origin=_origin("m"))
        (file,) = await files(house, asked)
        assert (file.state, file.source["size"]) == ("waiting", size)
        await fails(house, file, "大于 20 MB")
        await house.quiet()
        assert house.models.asked[0].prompt.startswith("what is it?")


async def test_thousands_of_files_in_one_message_hold_nobody_up(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """R4: finding a name for each of thousands of the same name took half a minute of everybody's time."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here = (await house.open("solo")).id
        found = await files(house, await house.tell(here, "one", attachments=[PDF] * 8000))
        assert len(found) == NAMED
        assert found[-1].reason == "一条消息最多收 10 个文件"


async def test_a_file_that_lies_in_the_session_may_come_along_again_and_nobody_elses(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """X3: an id of another session is unknown; nothing is written then."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here, there = (await house.open("solo")).id, (await house.open("solo")).id
        (file,) = await files(house, await house.tell(here, "one", attachments=[PDF]))
        with pytest.raises(UnknownFile):
            await house.tell(here, "too early", attachments=[Attached(file_id=file.id)])
        await comes(house, file)
        (double,) = await files(house, await house.tell(here, "again", attachments=[Attached(file_id=file.id)]))
        assert (double.state, double.name, double.size) == ("stored", "a.pdf", 4)
        assert double.id != file.id
        for strange in (file.id, "f0"):
            with pytest.raises(UnknownFile):
                await house.tell(there, "mine?", attachments=[Attached(file_id=strange)])
        await house.quiet()
        assert await house.said(there) == []


def host_that_hands_over(choose: Callable[[Ask], list[str]]) -> Callable[[Ask], Say]:
    """A host that asks the writer with these files, again with what it learned if that was refused, and concludes."""

    def script(asked: Ask) -> Say:
        if "agent_list" not in asked.tools:
            return Say(text="read")
        if "<member-result" in asked.prompt:
            return Say(text="done")
        call = {"agent_id": "writer", "message": "read it", "attachments": choose(asked)}
        return Say(calls=[("ask_agent", json.dumps(call))])

    return script


async def test_a_member_is_given_the_files_that_the_host_hands_over(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Issue 8 item 4, contract 7: the task sheet lists the path, and the file lies there."""
    chosen: list[str] = []
    async with open_house(database, clock, tmp_path, host_that_hands_over(lambda _: chosen)) as house:
        here = await room(house, tools=["file_read"])
        (file,) = await files(house, await house.tell(here, "look", attachments=[PDF]))
        chosen.append(file.id)
        await comes(house, file, b"%PDF-1")
        await house.quiet()
        (stored,) = await files(house, file.input_id or "")
        path = f"files/{stored.digest[:8]}/a.pdf"
        member = next(each for each in house.models.asked if "I am writer" in each.system)
        assert member.prompt == f"read it\n\n附件：\n- [文件 a.pdf, 6 B] id：{file.id}、在你的工作区：{path}"
        assert (tmp_path / "workspaces" / "writer" / "rooms" / here / path).read_bytes() == b"%PDF-1"


async def test_the_room_so_far_names_the_files_that_came_along(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T24: also of a message that had no words."""
    async with open_house(database, clock, tmp_path, host_that_hands_over(lambda _: [])) as house:
        here = await room(house)
        (file,) = await files(house, await house.tell(here, "", attachments=[PDF]))
        await comes(house, file)
        await house.quiet()
        member = next(each for each in house.models.asked if "I am writer" in each.system)
        assert "Ann：[文件 a.pdf, 4 B]" in member.system


async def test_a_member_without_tools_is_told_of_no_path(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    async with open_house(database, clock, tmp_path, host_that_hands_over(lambda _: ["a.pdf"])) as house:
        here = await room(house)
        (file,) = await files(house, await house.tell(here, "look", attachments=[PDF]))
        await comes(house, file)
        await house.quiet()
        member = next(each for each in house.models.asked if "I am writer" in each.system)
        assert member.prompt.endswith(f"- [文件 a.pdf, 4 B] id：{file.id}")
        assert not (tmp_path / "workspaces" / "writer").exists()


async def test_files_of_another_room_are_unknown_and_the_hosts_own_are_listed(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """X3: the refusal names the files that may be handed over; nothing was dispatched."""
    tried: list[str] = []
    refusals: list[str] = []

    def choose(asked: Ask) -> list[str]:
        told = str(asked.messages[-1])
        if "no such file" in told:
            refusals.append(told)
            return []
        return list(tried)

    async with open_house(database, clock, tmp_path, host_that_hands_over(choose)) as house:
        here = await room(house)
        other = (await house.open("studio")).id
        (secret,) = await files(house, await house.tell(other, "mine", attachments=[PDF]))
        (own,) = await files(house, await house.tell(here, "look", attachments=[Attached(name="b.txt", ref="r")]))
        tried.append(secret.id)
        await comes(house, own)
        async with asyncio.timeout(20):
            await house.until(lambda: bool(refusals))
        assert f"{own.id} (b.txt)" in refusals[0]
        assert "a.pdf" not in refusals[0]
        await house.quiet()
        assert ("member_message", "writer", "read") in await house.said(here)


async def test_an_expert_finds_its_file_in_its_workspace(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """Issue 8 item 4: for a lone expert the files are put there at claim."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo", tools=["file_read"])
        here = (await house.open("solo")).id
        (file,) = await files(house, await house.tell(here, "one", attachments=[PDF]))
        await comes(house, file, b"text")
        await house.quiet()
        (asked,) = house.models.asked
        path = asked.prompt.rpartition("在你的工作区：")[2]
        (placed,) = (tmp_path / "workspaces" / "solo").rglob("a.pdf")
        assert str(placed).endswith(path)
        assert placed.read_bytes() == b"text"


async def test_a_file_that_does_not_fit_into_the_workspace_is_not_promised(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Issue 8 item 1: the prompt named a path where nothing lay, for an expert and for a member."""

    def script(asked: Ask) -> Say:
        if "agent_list" in asked.tools and "look" in asked.prompt:
            call = {"agent_id": "writer", "message": "read it", "attachments": ["a.pdf"]}
            return Say(calls=[("ask_agent", json.dumps(call))])
        return Say(text="ok")

    async with open_house(database, clock, tmp_path, script) as house:
        there = await room(house, tools=["file_read"])
        await house.add_expert("solo", tools=["file_read"])
        here = (await house.open("solo")).id
        for session, folder in ((here, "solo"), (there, f"writer/rooms/{there}")):
            full = tmp_path / "workspaces" / folder / "full"
            full.parent.mkdir(parents=True)
            full.touch()
            os.truncate(full, QUOTA_BYTES)
            (file,) = await files(house, await house.tell(session, "look", attachments=[PDF]))
            await comes(house, file, b"text")
            await house.quiet()
        told = [each.prompt for each in house.models.asked if "读不到它" in each.prompt]
        assert len(told) == 2
        assert all("a.pdf 没能放进你的工作区（" in each and "the workspace is full" in each for each in told)


async def test_what_an_agent_made_of_its_file_outlives_a_crash(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """R1: a resume does not put the file back over the agent's changes."""
    held: asyncio.Future[Say] = asyncio.get_running_loop().create_future()

    def script(asked: Ask) -> "Say | asyncio.Future[Say]":
        first = not any("current_time" in str(each) for each in asked.messages)
        return Say(calls=[("current_time", "{}")]) if first else held

    async with open_house(database, clock, tmp_path, script) as house:
        await house.add_expert("solo", tools=["file_read"])
        here = (await house.open("solo")).id
        (file,) = await files(house, await house.tell(here, "one", attachments=[PDF]))
        await comes(house, file, b"text")
        await house.until(lambda: len(house.models.asked) == 2)
        (placed,) = (tmp_path / "workspaces").rglob("a.pdf")
        placed.write_bytes(b"changed")
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.quiet()
        assert placed.read_bytes() == b"changed"
        assert len(await house.said(here)) > 1


def shown(asked: Ask) -> list[object]:
    """What stands in the last user message besides its words."""
    part = next(
        part
        for message in reversed(asked.messages)
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    )
    return [] if isinstance(part.content, str) else list(part.content[1:])


async def test_a_model_with_eyes_is_shown_the_picture_and_another_one_words(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Issue 8 item 4; the picture is taken from the shelf for each request, and is missed without harm."""
    async with open_house(database, clock, tmp_path, answers) as house:
        await house.add_expert("solo")
        here = (await house.open("solo")).id
        photo = Attached(name="x.jpg", ref="p", mime="image/jpeg")
        (file,) = await files(house, await house.tell(here, "blind", attachments=[photo]))
        await comes(house, file, PNG)
        await house.quiet()
        assert shown(house.models.asked[-1]) == ["[The picture x.jpg is not shown to you.]"]
        house.models.with_eyes = ("main",)
        (file,) = await files(house, await house.tell(here, "seeing", attachments=[photo]))
        await comes(house, file, PNG)
        await house.quiet()
        (picture,) = shown(house.models.asked[-1])
        assert isinstance(picture, BinaryContent)
        assert (picture.data, picture.media_type) == (PNG, "image/png")
        (stored,) = await database.read(partial(find_files, ids=[file.id]))
        house.deps.shelf.path(stored.digest).unlink()
        await house.tell(here, "later")
        await house.quiet()
        assert "The picture x (2).jpg is not shown to you." in str(house.models.asked[-1].messages)


async def test_what_only_calls_itself_a_picture_is_a_file(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """A provider would refuse the whole conversation."""
    async with open_house(database, clock, tmp_path, answers) as house:
        house.models.with_eyes = ("main",)
        await house.add_expert("solo")
        here = (await house.open("solo")).id
        html = Attached(name="x.png", ref="p", mime="image/png")
        (file,) = await files(house, await house.tell(here, "look", attachments=[html]))
        await comes(house, file, b"<html>")
        await house.quiet()
        assert shown(house.models.asked[-1]) == []
        (stored,) = await files(house, file.input_id or "")
        assert stored.mime == ""


def _origin(message_id: str) -> Origin:
    return Origin(channel_id="tg", chat_id="1", message_id=message_id)
