"""R0: deterministic interleavings. Whatever meets at the same instant, nothing is lost and nothing is said twice."""

import asyncio
import json
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from host.values import Submission
from store.database import Database
from store.jobs import Job, jobs_of_room
from tests.support.clock import FakeClock
from tests.support.house import ANN, Ask, House, Say, Script, open_house

pytestmark = pytest.mark.both_databases


def future() -> "asyncio.Future[Say]":
    return asyncio.get_running_loop().create_future()


def ask(*members: str) -> Say:
    return Say(
        text="Let me ask.",
        calls=[("ask_agent", json.dumps({"agent_id": each, "message": f"sheet for {each}"})) for each in members],
    )


class Stage:
    """Every actor waits for its cue; the host plans, then concludes."""

    def __init__(self, plan: Say) -> None:
        self.plan = plan
        self.cues: dict[str, asyncio.Future[Say]] = {}

    def cue(self, who: str) -> "asyncio.Future[Say]":
        return self.cues.setdefault(who, future())

    def script(self) -> Script:
        def answer(asked: Ask) -> "Say | asyncio.Future[Say]":
            if "agent_list" not in asked.tools:
                who = next(each for each in ("writer", "researcher") if f"I am {each}" in asked.system)
                return self.cue(who)
            if "<member-result" in asked.prompt:
                return self.cues.get("conclusion") or Say(text="All done.")
            return self.cues.get("plan") or self.plan

        return answer


async def furnish(house: House) -> str:
    for each in ("writer", "researcher"):
        await house.add_expert(each, instructions=f"I am {each}")
    await house.add_team("studio", ["writer", "researcher"])
    return (await house.open("studio")).id


async def kinds(house: House, room: str) -> list[str]:
    return [kind for kind, _, _ in await house.said(room)]


async def jobs(house: House, room: str) -> list[Job]:
    return await house.database.read(lambda tx: jobs_of_room(tx, room))


async def test_two_members_close_at_the_same_instant(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R0, T26: one wake-up takes both results, one wrap-up."""
    stage = Stage(ask("writer", "researcher"))
    async with open_house(database, clock, tmp_path, stage.script()) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 3)
        stage.cue("writer").set_result(Say(text="w"))
        stage.cue("researcher").set_result(Say(text="r"))
        await house.quiet()
        assert (await kinds(house, room))[-3:] == ["member_message", "member_message", "wrapup"]
        assert len(house.models.asked) == 4


async def test_a_result_comes_while_the_host_concludes(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R0: a failure wakes the host; the last success arrives during that turn; the wrap-up comes once, after it."""
    stage = Stage(ask("writer", "researcher"))
    conclusion = stage.cue("conclusion")
    async with open_house(database, clock, tmp_path, stage.script()) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 3)
        stage.cue("writer").set_exception(ModelHTTPError(401, "main"))
        await house.until(lambda: len(house.models.asked) == 4)
        stage.cue("researcher").set_result(Say(text="r"))
        await house.until(lambda: ("researcher", "completed") in house.tally.turns)
        conclusion.set_result(Say(text="Heard."))
        await house.quiet()
        said = await kinds(house, room)
        assert said.count("wrapup") == 1
        assert said[-3:] == ["member_message", "host_message", "wrapup"]
        assert [len([job for job in await jobs(house, room) if job.taken_by is None])] == [0]


async def test_a_failure_races_the_last_success(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R0: both at once; one wrap-up, the failure is shown once."""
    stage = Stage(ask("writer", "researcher"))
    async with open_house(database, clock, tmp_path, stage.script()) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 3)
        stage.cue("writer").set_exception(ModelHTTPError(401, "main"))
        stage.cue("researcher").set_result(Say(text="r"))
        await house.quiet()
        said = await kinds(house, room)
        assert (said.count("job_failed"), said.count("member_message"), said.count("wrapup")) == (1, 1, 1)
        assert said[-1] == "wrapup"


async def test_a_stop_in_the_middle_of_a_dispatch_dispatches_nothing(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """R0, T16: the stop is committed between the model's answer and its transaction: the text stays, no job begins."""
    stage = Stage(ask("writer"))
    plan = stage.cue("plan")
    async with open_house(database, clock, tmp_path, stage.script()) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 1)
        stopping = asyncio.create_task(house.database.write(lambda tx: house.host.stop(tx, room)))
        plan.set_result(ask("writer"))
        assert (await stopping).stopped
        await house.quiet()
        ended = [event for event in await house.events(room) if event.kind == "turn_ended"]
        assert [event.data["status"] for event in ended] in (["stopped"], ["completed"])
        dispatched = (await kinds(house, room)).count("job_dispatched")
        assert dispatched == len(await jobs(house, room)) == (ended[0].data["status"] == "completed")


async def test_a_cancel_meets_the_finish_of_the_same_job(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R0, T28: the job closes once: as done or as cancelled, with one line and one wrap-up."""
    stage = Stage(ask("writer"))
    async with open_house(database, clock, tmp_path, stage.script()) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
        stage.cue("writer").set_result(Say(text="w"))
        await house.database.write(lambda tx: house.host.cancel_jobs(tx, room))
        await house.quiet()
        said = await kinds(house, room)
        assert said.count("job_failed") + said.count("member_message") == 1
        assert said.count("wrapup") == 1


async def test_two_cancels_at_once_close_a_job_once(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R0, T7: the second finds nothing to do."""
    stage = Stage(ask("writer"))
    async with open_house(database, clock, tmp_path, stage.script()) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
        both = (house.database.write(lambda tx: house.host.cancel_jobs(tx, room)) for _ in range(2))
        closed = await asyncio.gather(*both)
        assert sorted(map(len, closed)) == [0, 1]
        await house.quiet()
        assert (await kinds(house, room)).count("job_failed") == 1


async def test_a_stopped_conclusion_is_not_repeated_but_the_next_turn_knows_it(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Architecture 5: a stopped turn keeps what it took; no new wake-up, the next prompt repeats the results."""
    stage = Stage(ask("writer"))
    stage.cue("conclusion")
    async with open_house(database, clock, tmp_path, stage.script()) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 2)
        stage.cue("writer").set_result(Say(text="precious result"))
        await house.until(lambda: len(house.models.asked) == 3)
        await house.database.write(lambda tx: house.host.stop(tx, room))
        await house.quiet()
        assert len(house.models.asked) == 3
        del stage.cues["conclusion"]
        await house.tell(room, "and now?")
        await house.quiet()
        assert "precious result" in house.models.asked[3].prompt
        assert (await kinds(house, room))[-1] == "wrapup"


async def test_the_same_key_twice_at_once_is_one_input(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """R2: two copies at the same instant give one receipt."""
    async with open_house(database, clock, tmp_path, lambda _: Say(text="Hi.")) as house:
        room = await furnish(house)
        same = Submission(session_id=room, text="hello", sender=ANN, key="k", digest="d")
        both = await asyncio.gather(*(house.database.write(lambda tx: house.host.submit(tx, same)) for _ in range(2)))
        assert both[0].input_id == both[1].input_id
        assert sorted(each.duplicate for each in both) == [False, True]
        await house.quiet()
        assert (await kinds(house, room)) == ["user_message", "host_message"]


async def test_a_turn_stopped_after_its_dispatch_tells_the_next_one_that_it_dispatched(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Architecture 8: a tool cancelled after its commit reads its receipt, not "interrupted": nobody is asked twice."""
    both = Say(calls=[("ask_agent", '{"agent_id": "writer", "message": "sheet"}'), ("agent_list", "{}")])
    again = future()
    answers: list[Say | asyncio.Future[Say]] = [both, again, Say(text="Fine.")]
    stage = Stage(both)

    def script(asked: Ask) -> "Say | asyncio.Future[Say]":
        return answers.pop(0) if "agent_list" in asked.tools else stage.cue("writer")

    async with open_house(database, clock, tmp_path, script) as house:
        room = await furnish(house)
        await house.tell(room, "work")
        await house.until(lambda: len(house.models.asked) == 3)
        await house.database.write(lambda tx: house.host.stop(tx, room))
        await house.until(lambda: ("studio", "stopped") in house.tally.turns)
        await house.tell(room, "go on")
        await house.until(lambda: len(house.models.asked) == 4)
        told = str(house.models.asked[-1].messages)
        assert (await jobs(house, room))[0].id in told
        assert "nterrupted" not in told
