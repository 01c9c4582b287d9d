"""kill -9 at random points of random rounds, one blow or two, and the audit once everything is at rest (R1, T30)."""

import asyncio
import random
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.campaign.case import Verdict, added, judge, rest, talk
from tests.campaign.plan import Talk, draw_talk
from tests.campaign.stages.all import KINDS, STAGES
from tests.campaign.stages.stage import Stage
from tests.support.program import Fuse, Nursery

PLATFORMS = tuple(STAGES)

Where = Literal["moment", "commit", "call", "model", "start"]
_WEIGHTS: Mapping[Where, int] = {"moment": 3, "commit": 4, "call": 3, "model": 1}


@dataclass(frozen=True, kw_only=True)
class Blow:
    """When the program is killed: after so many seconds, before or after its n-th commit, after its n-th call of the
    platform or of the model; "start": so many seconds after it was started again, ready or not."""

    where: Where
    seconds: float = 0.0
    count: int = 0
    when: Literal["before", "after"] = "before"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A talk on a platform and the blows that fall while it goes on.

    Two at most: a turn that is cut three times without progress is given up, as it should be.
    """

    platform: str
    talk: Talk
    blows: tuple[Blow, ...]


def draw(dice: random.Random, platform: str) -> Case:
    talk = draw_talk(dice, KINDS[platform])
    first = _draw_blow(dice, len(talk.questions))
    second = [_draw_second(dice, len(talk.questions))] if dice.random() < 0.5 else []
    return Case(platform=platform, talk=talk, blows=(first, *second))


async def play(case: Case, folder: Path, nursery: Nursery) -> Verdict:
    fuse = Fuse(nursery)
    _prepare(fuse, case.blows[0])
    async with STAGES[case.platform](folder, fuse) as stage:
        stage.model.play = case.talk.play
        stage.program.arm()
        talking = asyncio.create_task(talk(stage, case.talk))
        hits = 0
        for blow, following in zip(case.blows, (*case.blows[1:], None), strict=True):
            hits += await _strike(stage, blow, talking)
            _prepare(fuse, following)
            await _start(stage, following)
        await talking
        return added(await judge(stage, case.talk), kills=len(case.blows), hits=hits)


def _draw_blow(dice: random.Random, questions: int) -> Blow:
    (where,) = dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))
    most = {"moment": 0, "start": 0, "commit": 30, "call": 12, "model": 4}[where] * min(questions, 3)
    seconds, count = dice.uniform(0.0, 1.5), dice.randint(1, max(most, 1))
    return Blow(where=where, seconds=seconds, count=count, when=dice.choice(("before", "after")))


def _draw_second(dice: random.Random, questions: int) -> Blow:
    if dice.random() < 0.5:
        return Blow(where="start", seconds=dice.uniform(0.0, 0.8))
    return _draw_blow(dice, questions)


def _prepare(fuse: Fuse, blow: Blow | None) -> None:
    """The process that starts next will kill itself, or not."""
    if blow is not None and blow.where == "commit":
        fuse.burn(at=blow.count, when=blow.when)
    else:
        fuse.burn(at=0, when="never")


async def _strike(stage: Stage, blow: Blow, talking: "asyncio.Task[None]") -> bool:
    """Kill the program at its point, or when nothing is left to do: whether there still was."""
    if blow.where == "start":  # it is dead already
        return True
    point = asyncio.ensure_future(_point(stage, blow))
    peace = asyncio.ensure_future(_peace(stage, talking))
    await asyncio.wait((point, peace), return_when=asyncio.FIRST_COMPLETED)
    is_hit = not peace.done()
    for waiting in (point, peace):
        waiting.cancel()
    await asyncio.gather(point, peace, return_exceptions=True)
    await stage.program.kill()
    return is_hit


def _point(stage: Stage, blow: Blow) -> Awaitable[object]:
    match blow.where:
        case "commit":
            return stage.program.wait(within=3600)
        case "call":
            return stage.called(blow.count)
        case "model":
            goal = len(stage.model.requests) + blow.count
            return stage.model.until(lambda model: len(model.requests) >= goal, within=3600)
    return asyncio.sleep(blow.seconds)


async def _peace(stage: Stage, talking: "asyncio.Task[None]") -> None:
    await asyncio.shield(talking)
    await rest(stage)


async def _start(stage: Stage, following: Blow | None) -> None:
    """Start the program again; a blow at the start falls right there."""
    if following is None or following.where != "start":
        await stage.program.start()
        stage.program.arm()
        return
    starting = asyncio.create_task(stage.program.start())
    while not stage.program.is_born:  # noqa: ASYNC110  # nobody tells of a birth
        await asyncio.sleep(0.005)
    await asyncio.wait((starting,), timeout=following.seconds)
    await stage.program.kill()
    await asyncio.gather(starting, return_exceptions=True)
