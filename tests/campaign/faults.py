"""Platforms that fail in every way while people talk: everything arrives later, in order (R3), and the audit (R1)."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.case import Verdict, added, judge, talk
from tests.campaign.plan import Talk, draw_talk
from tests.campaign.stages.all import KINDS, STAGES
from tests.campaign.stages.stage import Stage
from tests.campaign.trouble import Trouble, draw_troubles
from tests.support.program import Nursery

PLATFORMS = tuple(STAGES)

_SLACK = ("chat.postMessage",) * 4 + (
    *("chat.startStream", "chat.appendStream", "chat.stopStream", "chat.update"),
    *("conversations.replies", "conversations.history", "assistant.threads.setStatus", "users.info"),
)
METHODS: Mapping[str, Sequence[str]] = {
    "webhook": ("",),
    "telegram": (*("sendMessage",) * 4, "editMessageText", "sendMessageDraft", "sendChatAction", "getUpdates", "getMe"),
    "slack": _SLACK,
    "slack-flat": _SLACK,
    "feishu": (*("send", "reply") * 2, "make_card", "content", "settings", "card", "token", "react"),
}
"""What may fail on each platform, by the names that its simulator gives to the calls."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A talk on a platform, and what goes wrong meanwhile."""

    platform: str
    talk: Talk
    troubles: tuple[Trouble, ...]


def draw(dice: random.Random, platform: str) -> Case:
    return Case(
        platform=platform,
        talk=draw_talk(dice, KINDS[platform]),
        troubles=draw_troubles(dice, METHODS[platform]),
    )


async def play(case: Case, folder: Path, nursery: Nursery) -> Verdict:
    async with STAGES[case.platform](folder, nursery) as stage:
        stage.model.play = case.talk.play
        for trouble in case.troubles:
            if trouble.kind != "outage":
                stage.fail(trouble)
        outages = asyncio.create_task(_outages(stage, case.troubles))
        await talk(stage, case.talk)
        await outages
        verdict = await judge(stage, case.talk)
        count = sum(trouble.kind == "outage" for trouble in case.troubles)
        return added(verdict, faults=stage.failed + count, outages=count)


async def _outages(stage: Stage, troubles: Sequence[Trouble]) -> None:
    """One after the other."""
    for trouble in troubles:
        if trouble.kind == "outage":
            await asyncio.sleep(trouble.skip / 10)
            await stage.close()
            await asyncio.sleep(trouble.seconds)
            await stage.open()
