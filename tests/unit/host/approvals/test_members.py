"""C12 in a room: a member's question stands in the room, and holds up nobody else."""

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from host.approvals.words import MODEL_READS
from store.base import Origin
from store.database import Database
from store.jobs import Job, jobs_of_room
from store.turns import live_turn
from tests.support.asked import decide, states, waiting
from tests.support.clock import FakeClock
from tests.support.errands import NAMES, Errands
from tests.support.house import Ask, House, Say, open_house

pytestmark = pytest.mark.both_databases

HERE = Origin(channel_id="hook", chat_id="c1", message_id="m1")


def script(asked: Ask) -> Say:
    """The host hands each message on; the writer mails what says so, once."""
    if "agent_list" in asked.tools:
        if "<member-result" in asked.prompt:
            return Say(text="All done.")
        return Say(
            text="Let me ask.", calls=[("ask_agent", json.dumps({"agent_id": "writer", "message": asked.prompt}))]
        )
    has_returned = "ToolReturnPart" in str(asked.messages[-1])
    if "mail" in asked.prompt and not has_returned:
        return Say(calls=[("mail", '{"to": "bob"}'), ("count", "{}")])
    return Say(text="Written.")


@pytest.fixture
def errands() -> Errands:
    return Errands()


async def furnish(house: House) -> None:
    for each in ("writer", "reader"):
        await house.add_expert(each, tools=list(NAMES))
    await house.add_team("studio", ["writer", "reader"])


@pytest.fixture
async def house(database: Database, clock: FakeClock, tmp_path: Path, errands: Errands) -> AsyncIterator[House]:
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as opened:
        await furnish(opened)
        yield opened


async def ask(house: House, text: str, room: str = "") -> str:
    """A room that was told this; everything that can happen has happened."""
    own = room or (await house.open("studio")).id
    await house.tell(own, text, origin=HERE)
    await house.quiet()
    return own


async def jobs(house: House, room: str) -> list[Job]:
    return await house.database.read(partial(jobs_of_room, room_id=room))


async def test_a_member_asks_in_the_room_and_goes_on_in_the_same_turn(house: House, errands: Errands) -> None:
    """C12: with the origin of its job, spoken by the host; the wrap-up comes after it."""
    room = await ask(house, "mail it")
    [question] = [event for event in await house.events(room) if "approval" in event.data]
    assert (question.kind, question.speaker.id, question.speaker.role, question.origin, question.job_id) == (
        "notice",
        "studio",
        "host",
        HERE,
        None,
    )
    assert question.data["approval"]["name"] == "Writer"
    [asked] = await waiting(house, room)
    await decide(house, asked, "once")
    await house.quiet()
    assert sorted(tool for tool, _, _ in errands.done) == ["count", "mail"]
    assert [kind for kind, _, _ in await house.said(room)][-2:] == ["member_message", "wrapup"]
    assert [job.state for job in await jobs(house, room)] == ["done"]


async def test_while_it_waits_its_other_rooms_go_on(house: House) -> None:
    """R4, T25: the lane is free for another room's job; the next job of the same room waits its turn."""
    room = await ask(house, "mail it")
    await ask(house, "more", room)
    other = await ask(house, "elsewhere")
    assert [job.state for job in await jobs(house, other)] == ["done"]
    assert [job.state for job in await jobs(house, room)] == ["queued", "running"]
    [asked] = await waiting(house, room)
    await decide(house, asked, "deny")
    await house.quiet()
    assert [job.state for job in await jobs(house, room)] == ["done", "done"]


async def test_a_cancelled_job_drops_its_question(house: House, errands: Errands) -> None:
    """T28: the job says why, the question is closed without another line in the chat."""
    room = await ask(house, "mail it")
    [asked] = await waiting(house, room)
    await house.database.write(partial(house.host.cancel_jobs, room_id=room))
    await house.quiet()
    assert (await waiting(house, room), await states(house, room)) == ([], ["open", "dropped"])
    late = await decide(house, asked, "once")
    assert (late.is_new, late.approval.state, errands.done) == (False, "dropped", [])
    [dropped] = [each for each in await house.events(room) if each.data.get("approval", {}).get("state") == "dropped"]
    assert dropped.data["quiet"] is True
    await ask(house, "again", room)
    assert MODEL_READS["dropped"] in str(house.models.asked[-2].messages)


async def test_a_question_survives_a_restart(
    database: Database, clock: FakeClock, tmp_path: Path, errands: Errands
) -> None:
    """C12, T30: the next process waits on, and so does its hour."""
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as house:
        await furnish(house)
        rooms = [await ask(house, "mail it") for _ in range(3)]
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as house:
        await house.quiet()
        assert [len(await waiting(house, room)) for room in rooms] == [1, 1, 1]
        assert errands.done == []
        await decide(house, (await waiting(house, rooms[0]))[0], "once")
        await house.quiet()
        assert len(errands.done) == 2
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as house:
        await clock.advance(3600)
        await house.quiet()
        assert await states(house, rooms[1]) == ["open", "timed_out"]
        assert [job.state for room in rooms for job in await jobs(house, room)] == ["done"] * 3


async def test_a_restart_between_decision_and_resume_runs_the_tool_once(
    database: Database, clock: FakeClock, tmp_path: Path, errands: Errands
) -> None:
    """R1: the decision is durable, and none of the tools had begun: even one that is not safe runs."""
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as house:
        await furnish(house)
        room = await ask(house, "mail it")
        [asked] = await waiting(house, room)
        side = asked.session_id
    await decide(house, asked, "once")  # its lanes do not run any more: as if the process died right after it
    turn = await database.read(partial(live_turn, session_id=side))
    assert turn is not None
    assert turn.waiting_for == "decided"
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as house:
        await house.quiet()
        assert sorted(tool for tool, _, _ in errands.done) == ["count", "mail"]
        assert [job.state for job in await jobs(house, room)] == ["done"]


async def test_after_the_tools_began_a_restart_repeats_none_that_is_not_safe(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """The rule of every other call: what a crash may have cut is not repeated, a refusal stays one."""
    errands = Errands(stuck=True)
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as house:
        await furnish(house)
        room = await ask(house, "mail it")
        await decide(house, (await waiting(house, room))[0], "once")
        await errands.begun.wait()
    calm = Errands()
    async with open_house(database, clock, tmp_path, script, tools=[calm]) as house:
        await house.quiet()
        assert [tool for tool, _, _ in calm.done] == ["count"]
        assert "it is unknown whether this call took effect" in str(house.models.asked[-2].messages)
        assert [job.state for job in await jobs(house, room)] == ["done"]


async def test_a_refusal_stays_one_after_a_restart_in_the_middle_of_the_tools(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """What was refused did not run, and the model reads so, not that it is unknown."""
    errands = Errands(stuck=True)
    async with open_house(database, clock, tmp_path, script, tools=[errands]) as house:
        await furnish(house)
        room = await ask(house, "mail it")
        await decide(house, (await waiting(house, room))[0], "deny")
        await errands.begun.wait()
    async with open_house(database, clock, tmp_path, script, tools=[Errands()]) as house:
        await house.quiet()
        told = str(house.models.asked[-2].messages)
        assert MODEL_READS["denied"] in told
        assert "it is unknown whether this call took effect" not in told
