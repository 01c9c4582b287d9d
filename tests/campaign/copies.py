"""Twenty copies of every event at the same instant: each message is handled once (R2)."""

import random
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.case import Verdict, added, judge, talk
from tests.campaign.plan import Talk, draw_talk
from tests.campaign.record import Finding
from tests.campaign.stages.all import KINDS, STAGES
from tests.support.program import Nursery

PLATFORMS = tuple(STAGES)
COPIES = 20


@dataclass(frozen=True, kw_only=True)
class Case:
    """A talk on a platform that brings everything twenty times."""

    platform: str
    talk: Talk


def draw(dice: random.Random, platform: str) -> Case:
    return Case(platform=platform, talk=draw_talk(dice, KINDS[platform]))


async def play(case: Case, folder: Path, nursery: Nursery) -> Verdict:
    async with STAGES[case.platform](folder, nursery) as stage:
        stage.model.play = case.talk.play
        stage.copies = COPIES
        await talk(stage, case.talk)
        verdict = await judge(stage, case.talk)
        findings = [*verdict.findings, *_asked_twice(case.talk, [one.last for one in stage.model.requests])]
        return added(Verdict(findings=tuple(findings), counts=verdict.counts), copies=len(case.talk.questions) * COPIES)


def _asked_twice(said: Talk, prompts: list[str]) -> list[Finding]:
    """Nothing failed, so nothing had to be asked again."""
    counts = {question.text: sum(question.text in prompt for prompt in prompts) for question in said.questions}
    return [Finding(kind="doubled", what=f"{text}: asked {n} times") for text, n in counts.items() if n != 1]
