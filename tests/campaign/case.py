"""One case of any campaign on its stage: people talk, and at the end everything comes to rest and is recorded."""

import asyncio
from dataclasses import dataclass, replace

from tests.campaign.audit import audit
from tests.campaign.kept import Store
from tests.campaign.plan import Talk
from tests.campaign.record import Finding, Record
from tests.campaign.stages.stage import Stage

REST = 240.0
"""Seconds in which a case must come to rest once nothing is done to it any more: a Telegram group takes 20 messages a
minute, and a case may have fifty."""

_LOOK = 0.05
_CALM = 3
"""So often in a row nothing must be unfinished: between two transactions there may be a moment of peace."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of a case. `counts` are figures of its campaign, added up in the table."""

    findings: tuple[Finding, ...]
    counts: dict[str, int]


async def talk(stage: Stage, said: Talk) -> None:
    """Open the places and write the questions, at their pace."""
    for number, kind in enumerate(said.kinds):
        stage.open_place(number, kind)
    for question in said.questions:
        await asyncio.sleep(question.pause)
        stage.say(question.place, question.text)


async def rest(stage: Stage, within: float = REST) -> dict[str, int]:
    """Wait until the program has nothing left to do; what is still unfinished when the time is up."""
    store, calm = Store(stage.program.folder), 0
    until = asyncio.get_running_loop().time() + within
    while calm < _CALM and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(_LOOK)
        unfinished = store.unfinished() | {"message that was not taken": int(not stage.is_taken)}
        calm = 0 if any(unfinished.values()) else calm + 1
    return store.unfinished() | {"message that was not taken": int(not stage.is_taken)}


async def judge(stage: Stage, said: Talk) -> Verdict:
    """Let the case come to rest, stop the program as an operator would, and audit what there is."""
    unfinished = await rest(stage)
    await stage.program.terminate()
    store = Store(stage.program.folder)
    asked: dict[str, list[str]] = {}
    for request in stage.model.requests:
        asked.setdefault(request.asker, []).append(request.whole())
    record = Record(
        talk=said,
        rules=stage.rules,
        asked=asked,
        kept=store.events(),
        shown=[stage.shown(place) for place in range(len(said.kinds))],
        uncertain=store.uncertain(),
        unfinished=unfinished | store.failed(),
    )
    faults = [Finding(kind="stray", what=f"the model's script: {fault}") for fault in stage.model.faults]
    return Verdict(findings=(*audit(record), *faults), counts=_counts(record))


def _counts(record: Record) -> dict[str, int]:
    marked = sum(one.is_marked for shown in record.shown for one in shown)
    return {
        "questions": len(record.talk.questions),
        "messages": sum(map(len, record.shown)),
        "marked": marked,
        "uncertain": len(record.uncertain),
    }


def added(verdict: Verdict, **counts: int) -> Verdict:
    """The verdict with further figures."""
    return replace(verdict, counts=verdict.counts | counts)
