"""A team's round inside the host: who says what, in which order, how often the model is asked, what survives."""

import asyncio
import json
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from store.database import Database, Transaction
from store.jobs import jobs_of_room
from store.sessions import delete_session, lock_session
from tests.support.clock import FakeClock, settle
from tests.support.house import Ask, House, Say, Script, open_house

pytestmark = pytest.mark.both_databases

Gate = dict[str, "asyncio.Future[Say]"]


def ask(*members: str) -> Say:
    calls = [("ask_agent", json.dumps({"agent_id": each, "message": f"sheet for {each}"})) for each in members]
    return Say(text="Let me ask.", calls=calls)


def cast(plan: Say, conclusion: Say | None = None, members: Gate | None = None) -> Script:
    """A host that plans once and concludes whenever results are there; members answer, at once or when told."""

    def script(asked: Ask) -> "Say | asyncio.Future[Say]":
        if "agent_list" in asked.tools:
            return (conclusion or Say(text="All done.")) if "<member-result" in asked.prompt else plan
        who = next(each for each in ("writer", "researcher", "critic") if f"I am {each}" in asked.system)
        return (members or {}).get(who) or Say(text=f"result of {who}")

    return script


async def furnish(house: House, *members: str, **team: object) -> str:
    for each in members:
        await house.add_expert(each, instructions=f"I am {each}")
    await house.add_team("studio", members, **team)
    return (await house.open("studio")).id


async def test_a_two_member_round_is_narration_notices_members_and_one_wrap_up(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T11, T14, T26a, T32, T33: six messages, four model calls, one wrap-up."""
    async with open_house(database, clock, tmp_path, cast(ask("writer", "researcher"))) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "please write about tea")
        await house.quiet()
        said = await house.said(room)
        assert said[:4] == [
            ("user_message", "ann", "please write about tea"),
            ("host_message", "studio", "Let me ask."),
            ("job_dispatched", "studio", "已请 Writer 处理，请稍候…"),
            ("job_dispatched", "studio", "已请 Researcher 处理，请稍候…"),
        ]
        assert sorted(said[4:6]) == [
            ("member_message", "researcher", "result of researcher"),
            ("member_message", "writer", "result of writer"),
        ]
        assert said[6:] == [("wrapup", "studio", "All done.")]
        assert len(house.models.asked) == 4


async def test_the_hosts_tools_are_exactly_the_allow_list(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T23: checked on the request that reaches the model; T13: a member's ask_agent is its own."""
    async with open_house(database, clock, tmp_path, cast(ask("writer"))) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "hello")
        await house.quiet()
        host, member = house.models.asked[0], house.models.asked[1]
        assert set(host.tools) == {"agent_list", "ask_agent", "memory_search", "memory_save", "current_time"}
        assert "agent_list" not in member.tools


async def test_a_member_gets_the_background_and_the_hosts_sheet(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T24: system background with guidelines and the room so far; the human message is the host's sheet."""
    async with open_house(database, clock, tmp_path, cast(ask("writer"))) as house:
        room = await furnish(house, "writer", "researcher")
        house.rosters.set_guidelines("studio", "Always cite sources.")
        await house.tell(room, "please write about tea")
        await house.quiet()
        member = house.models.asked[1]
        assert "Always cite sources." in member.system
        assert "please write about tea" in member.system
        assert member.prompt == "sheet for writer"


async def test_a_side_session_shows_the_members_own_part(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T17, T20: `{room}~{member}`, with the task sheet, the turn and the answer; the room has the host's turns only."""
    async with open_house(database, clock, tmp_path, cast(ask("writer"))) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "hello")
        await house.quiet()
        side = await house.events(f"{room}~writer")
        assert [event.kind for event in side] == ["user_message", "turn_started", "member_message", "turn_ended"]
        turns = [event for event in await house.events(room) if event.kind.startswith("turn_")]
        assert {event.speaker.id for event in turns} == {"studio"}


async def test_a_member_that_is_not_running_fails_at_once_and_the_host_is_told(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T15, T28: no notice, one failure line, the others' results are not hidden, one wrap-up at the end."""
    async with open_house(database, clock, tmp_path, cast(ask("writer", "researcher"))) as house:
        await house.add_expert("writer", instructions="I am writer", enabled=False)
        await house.add_expert("researcher", instructions="I am researcher")
        await house.add_team("studio", ["writer", "researcher"])
        room = (await house.open("studio")).id
        await house.tell(room, "hello")
        await house.quiet()
        kinds = [(kind, who) for kind, who, _ in await house.said(room)]
        assert kinds.count(("job_failed", "writer")) == 1
        assert ("member_message", "researcher") in kinds
        assert [kind for kind, _ in kinds].count("job_dispatched") == 1
        assert [kind for kind, _ in kinds].count("wrapup") == 1
        assert kinds[-1] == ("wrapup", "studio")


async def test_an_unknown_target_is_a_tool_error_and_the_host_corrects_it(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T27: the error lists the valid ids; nothing is dispatched by a suffix."""
    answers = iter([ask("riter"), Say(text="Sorry, nobody."), Say(text="x")])
    async with open_house(database, clock, tmp_path, lambda _: next(answers)) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "hello")
        await house.quiet()
        said = await house.said(room)
        assert [kind for kind, _, _ in said] == ["user_message", "host_message", "host_message"]
        assert "writer, researcher" in str(house.models.asked[1].messages)


async def test_a_new_message_goes_to_the_host_while_members_talk(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T12: first in, first answered; the members' round still ends in one wrap-up."""
    slow: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    script = cast(ask("writer"), members={"writer": slow})

    def chatty(asked: Ask) -> "Say | asyncio.Future[Say]":
        if "agent_list" in asked.tools and "how are you" in asked.prompt:
            return Say(text="Fine.")
        return script(asked)  # type: ignore[return-value]

    async with open_house(database, clock, tmp_path, chatty) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
        await house.tell(room, "how are you")
        await house.until(lambda: any(event.text == "Fine." for event in house.audience.events))
        slow.set_result(Say(text="result of writer"))
        await house.quiet()
        said = [(kind, text) for kind, _, text in await house.said(room)]
        assert said.index(("host_message", "Fine.")) < said.index(("member_message", "result of writer"))
        assert [kind for kind, _ in said].count("wrapup") == 1


async def test_stop_ends_only_the_hosts_turn(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T16: members finish and still wake the host; the queue is not paused."""
    thinking: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    slow: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    script = cast(ask("writer"), members={"writer": slow})

    def pondering(asked: Ask) -> "Say | asyncio.Future[Say]":
        if "agent_list" in asked.tools and "ponder" in asked.prompt:
            return thinking
        return script(asked)  # type: ignore[return-value]

    async with open_house(database, clock, tmp_path, pondering) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
        await house.tell(room, "ponder")
        await house.until(lambda: len(house.models.asked) == 3)
        stopped = await house.database.write(lambda tx: house.host.stop(tx, room))
        assert stopped.stopped
        await house.until(lambda: ("studio", "stopped") in house.tally.turns)
        again = await house.database.write(lambda tx: house.host.stop(tx, room))
        assert not again.stopped
        assert again.at_work == ("Writer",)
        slow.set_result(Say(text="result of writer"))
        await house.quiet()
        kinds = [kind for kind, _, _ in await house.said(room)]
        assert kinds[-2:] == ["member_message", "wrapup"]


async def test_policy_each_wakes_for_every_job_and_still_wraps_up_once(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T11: with "each" the host speaks after the first result, but concludes only after the last."""
    slow: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    script = cast(ask("writer", "researcher"), Say(text="Heard."), members={"researcher": slow})
    async with open_house(database, clock, tmp_path, script) as house:
        room = await furnish(house, "writer", "researcher", wake="each")
        await house.tell(room, "work")
        await house.until(lambda: house.tally.turns.count(("studio", "completed")) == 2)
        slow.set_result(Say(text="result of researcher"))
        await house.quiet()
        kinds = [kind for kind, _, text in await house.said(room) if text == "Heard."]
        assert kinds == ["host_message", "wrapup"]


async def test_a_wave_does_not_wait_for_ever_for_its_last_member(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T11: after wave_timeout the host hears of what is there."""
    slow: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    script = cast(ask("writer", "researcher"), Say(text="Heard."), members={"researcher": slow})
    async with open_house(database, clock, tmp_path, script) as house:
        room = await furnish(house, "writer", "researcher", wave_timeout=60.0)
        await house.tell(room, "work")
        await house.until(lambda: ("writer", "completed") in house.tally.turns)
        assert house.tally.turns.count(("studio", "completed")) == 1
        await settle()
        await clock.advance(61)
        await house.until(lambda: house.tally.turns.count(("studio", "completed")) == 2)
        slow.set_result(Say(text="result of researcher"))
        await house.quiet()
        kinds = [kind for kind, _, text in await house.said(room) if text == "Heard."]
        assert kinds == ["host_message", "wrapup"]


async def test_a_member_has_its_time_and_no_more(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T28: a stuck member times out with its reason, and the host is woken about it."""
    stuck: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    async with open_house(database, clock, tmp_path, cast(ask("writer"), members={"writer": stuck})) as house:
        room = await furnish(house, "writer", "researcher", member_timeout=300.0)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
        await clock.advance(301)
        await house.quiet()
        said = await house.said(room)
        assert ("job_failed", "writer", "处理超过了 5 分钟") in said
        assert said[-1][0] == "wrapup"


async def test_cancelling_closes_the_jobs_and_tells_the_host(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T29: running and queued work of the room, in one transaction."""
    stuck: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    script = cast(ask("writer", "writer"), members={"writer": stuck})
    async with open_house(database, clock, tmp_path, script) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
        closed = await house.database.write(lambda tx: house.host.cancel_jobs(tx, room))
        assert len(closed) == 2
        await house.quiet()
        said = await house.said(room)
        assert said.count(("job_failed", "writer", "已被取消")) == 2
        assert [kind for kind, _, _ in said].count("wrapup") == 1
        assert {job.state for job in await database.read(lambda tx: jobs_of_room(tx, room))} == {"cancelled"}


async def test_parked_work_goes_on_at_the_next_start(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R7, T30: stopped in the middle of a member's work; the next start finishes the round, nothing twice."""
    never: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    async with open_house(database, clock, tmp_path, cast(ask("writer"), members={"writer": never})) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
    async with open_house(database, clock, tmp_path, cast(ask("writer"))) as again:
        await again.quiet()
        kinds = [kind for kind, _, _ in await again.said(room)]
        assert kinds == ["user_message", "host_message", "job_dispatched", "member_message", "wrapup"]
        assert len(again.models.asked) == 2


async def test_ten_jobs_of_one_member_delay_nobody_else(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T25: serial for one member across rooms, parallel across members."""
    stuck: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    script = cast(ask(*["writer"] * 10, "researcher"), members={"writer": stuck})
    async with open_house(database, clock, tmp_path, script) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "work")
        await house.until(lambda: any(event.text == "result of researcher" for event in house.audience.events))
        assert sum("I am writer" in asked.system for asked in house.models.asked) == 1


async def test_the_host_that_says_nothing_sends_nothing(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """Contract 3: an empty answer after a wake-up is legal, no error, no message."""
    async with open_house(database, clock, tmp_path, cast(ask("writer"), Say())) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "work")
        await house.quiet()
        assert [kind for kind, _, _ in await house.said(room)][-1] == "member_message"
        assert len(house.models.asked) == 3


async def test_a_model_that_fails_ends_in_one_sentence(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T28: the person gets a sentence with a short id; the room stays usable."""
    answers: list[Say | Exception] = [ModelHTTPError(401, "main", "boom")]
    async with open_house(
        database, clock, tmp_path, lambda _: answers.pop() if answers else Say(text="Hello.")
    ) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "hello")
        await house.quiet()
        ended = (await house.events(room))[-1]
        assert (ended.kind, ended.data["status"]) == ("turn_ended", "failed")
        assert ended.data["error_id"] in ended.text
        assert "boom" not in ended.text
        await house.tell(room, "hello again")
        await house.quiet()
        assert (await house.said(room))[-1] == ("host_message", "studio", "Hello.")


async def test_a_host_that_goes_in_circles_is_ended_and_not_heard_in_circles(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Issue 2, bad input: the person gets a sentence, not sixty times the same line; the room stays usable."""
    looping = Say(text="One moment.", calls=[("current_time", "{}")])
    async with open_house(
        database, clock, tmp_path, lambda asked: looping if "loop" in asked.prompt else Say(text="Hello.")
    ) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "loop")
        await house.quiet()
        said = await house.said(room)
        assert said.count(("host_message", "studio", "One moment.")) == 1
        assert (await house.events(room))[-1].data["status"] == "failed"
        await house.tell(room, "hello")
        await house.quiet()
        assert (await house.said(room))[-1] == ("host_message", "studio", "Hello.")


async def test_a_host_that_dispatches_for_ever_is_told_once_and_then_ended(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Architecture 5: at most 8 host turns and 32 jobs for one message."""
    async with open_house(
        database,
        clock,
        tmp_path,
        lambda asked: ask("writer") if "agent_list" in asked.tools else Say(text="result of writer"),
    ) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "work")
        await house.quiet()
        assert len(await database.read(lambda tx: jobs_of_room(tx, room))) == 8
        assert (await house.events(room))[-1].data["status"] == "failed"


async def test_a_deleted_side_session_comes_back_with_the_next_job(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """T17: its id is the room's and the member's; deleting it must not lock the member out of the room."""

    async def delete(tx: Transaction) -> None:
        await delete_session(tx, await lock_session(tx, f"{room}~writer"))

    async with open_house(database, clock, tmp_path, cast(ask("writer"))) as house:
        room = await furnish(house, "writer", "researcher")
        await house.tell(room, "first")
        await house.quiet()
        await database.write(delete)
        await house.tell(room, "second")
        await house.quiet()
        assert [kind for kind, _, _ in await house.said(room)].count("member_message") == 2
