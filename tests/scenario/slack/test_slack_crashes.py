"""kill -9, restarts and silence: nothing lost, nothing twice (R1, R2, R7)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.scenario.slack.test_slack_faults import is_whole
from tests.support.casts import ASK, FINDINGS, always, cast, planner, round_of
from tests.support.gate import Gate
from tests.support.model_reply import say
from tests.support.program import Fuse, Nursery
from tests.support.slack.faults import Fault
from tests.support.slack.world import slack_world

QUESTION = f"{ASK}，绿茶市场怎么样？"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def nursery(program_store: str) -> AsyncIterator[Nursery]:
    async with Nursery() as forks:
        yield forks


@pytest.mark.parametrize(
    ("when", "at"), [("before", 1), ("after", 1), ("before", 5), ("after", 8), ("before", 12), ("after", 15)]
)
async def test_killed_in_the_middle_of_a_round(tmp_path: Path, nursery: Nursery, when: str, at: int) -> None:
    """R1, T30: Slack brings what was not acknowledged, the outbox looks for what was not recorded: each once."""
    fuse = Fuse(nursery)
    fuse.burn(at=at, when=when)
    async with slack_world(tmp_path, launcher=fuse) as studio:
        studio.model.play = round_of()
        ann = studio.member("C1")
        studio.program.arm()
        ann.mention(QUESTION)
        assert await studio.program.wait(within=60) == -9
        fuse.burn(at=0, when="never")
        await studio.program.start()
        await ann.hears_end(within=60)
        assert is_whole(ann), ann.texts()
        assert not studio.model.faults
        assert len(studio.model.requests) >= 4


async def test_killed_between_the_post_and_its_record(tmp_path: Path) -> None:
    """R1: Slack has the message and nobody here knows; it is found by its delivery id and not posted again."""
    async with slack_world(tmp_path) as studio:
        studio.model.play = cast(always("在。"))
        ann = studio.member("C1")
        hanging = Fault(kind="hang_after")
        studio.slack.script.add("chat.postMessage", hanging)
        ann.mention("在吗")
        await ann.hears(1)
        await studio.program.kill()
        hanging.gate.set()
        await studio.program.start()
        await studio.slack.until(lambda slack: bool(slack.of("conversations.replies", channel="C1")))
        ann.say("还在吗")
        await ann.hears(2)
        assert [one.shown for one in ann.heard] == ["在。", "在。"]


async def test_killed_while_a_member_streams(tmp_path: Path) -> None:
    """Contract 8: the half message gives way to the whole one, under the member's name; none stays open."""
    begun, gate = Gate(), Gate()
    async with slack_world(tmp_path) as studio:
        studio.slack.has_agent_view = True
        studio.model.play = cast(
            planner("researcher"), researcher=lambda _: say("查到了三份，", begun, "还有", gate, "一份。")
        )
        ann = studio.person()
        ann.thread = ann.say(QUESTION)
        await ann.hears(lambda messages: any(one.author == "研究员" for one in messages))
        begun.open()
        await studio.program.kill()
        studio.model.play = cast(planner("researcher"), researcher=always(FINDINGS["researcher"]))
        await studio.program.start()
        heard = await ann.hears_end(within=60)
        assert [one.shown for one in heard if one.author == "研究员"] == [FINDINGS["researcher"]]
        assert all(one.state != "in_progress" for one in heard)


async def test_what_was_said_while_the_program_was_down_is_answered(tmp_path: Path) -> None:
    """R1, R7."""
    async with slack_world(tmp_path) as studio:
        studio.model.play = cast(always("在。"))
        await studio.program.terminate()
        ann = studio.member("C1")
        ann.mention("在吗")
        await studio.program.start()
        await ann.hears(1)
        assert len(studio.model.requests) == 1


async def test_a_stop_in_the_middle_of_a_round_ends_in_time(tmp_path: Path) -> None:
    """R7: within ten seconds, while Slack answers nothing; the next start goes on."""
    async with slack_world(tmp_path) as studio:
        studio.model.play = round_of()
        ann = studio.member("C1")
        hanging = Fault(kind="hang_before")
        studio.slack.script.add("chat.postMessage", hanging)
        ann.mention(QUESTION)
        await studio.slack.until(lambda slack: not slack.script._faults["chat.postMessage"])
        await studio.program.terminate()
        hanging.gate.set()
        await studio.program.start()
        await ann.hears_end(within=60)
        assert is_whole(ann), ann.texts()
