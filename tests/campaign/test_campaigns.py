"""A little of each campaign, with fixed seeds; the whole ones run for hours: `python -m tests.campaign`."""

import asyncio
from collections.abc import AsyncIterator
from types import ModuleType

import pytest
import pytest_asyncio

from tests.campaign import copies, faults, kills
from tests.campaign.payloads import TARGETS, check
from tests.campaign.run import Order, play_one
from tests.support.program import Nursery

KILLS, FAULTS, COPIES = 2951, 1213, 1142
"""Numbers of cases in which little is said and much happens."""

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nursery() -> AsyncIterator[Nursery]:
    async with Nursery() as forks:
        yield forks


async def _play(nursery: Nursery, name: str, campaign: ModuleType, number: int) -> dict[str, int]:
    """This case on every platform at the same time; the sums of what happened."""
    order = Order(name=name, campaign=campaign, seed=1, first=number, count=1, jobs=1, platforms=campaign.PLATFORMS)
    platforms = order.platforms
    verdicts = await asyncio.gather(*(play_one(order, number, platform, nursery) for platform in platforms))
    findings = [
        f"{platform}: {finding}"
        for platform, verdict in zip(platforms, verdicts, strict=True)
        for finding in verdict.findings
    ]
    assert not findings, "\n".join(findings)
    return {key: sum(verdict.counts.get(key, 0) for verdict in verdicts) for key in verdicts[0].counts}


async def test_rounds_that_are_killed_somewhere_are_told_once(nursery: Nursery) -> None:
    """R1, T30: one blow or two on every platform."""
    counts = await _play(nursery, "kills", kills, KILLS)
    assert counts["hits"] >= len(kills.PLATFORMS) - 1


async def test_rounds_on_platforms_that_fail_are_told_in_the_end(nursery: Nursery) -> None:
    """R1, R3: some calls of every platform fail."""
    counts = await _play(nursery, "faults", faults, FAULTS)
    assert counts["faults"] >= len(faults.PLATFORMS)


async def test_twenty_copies_at_one_instant_are_one_message(nursery: Nursery) -> None:
    """R2: the same event, and the same message in other events."""
    counts = await _play(nursery, "copies", copies, COPIES)
    assert counts["copies"] >= 20 * len(copies.PLATFORMS)


@pytest.mark.parametrize("target", TARGETS)
async def test_generated_samples_are_borne(target: str) -> None:
    """R4, contract 8: payloads of every shape, texts of every shape."""
    faulty = [problem for number in range(60) if (problem := check(target, 7, number))]
    assert not faulty, faulty[0]
