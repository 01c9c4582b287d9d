"""Runs the cases of a campaign, a few at a time, and tells what came of them."""

import asyncio
import contextlib
import random
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from tests.campaign.case import Verdict
from tests.campaign.record import Finding
from tests.support.program import Nursery

TELL_EVERY = 20.0
"""Seconds between two lines of progress."""

LONGEST = 400.0
"""Seconds after which a case is broken, whatever it waits for."""


@dataclass(kw_only=True)
class Tally:
    """The sums of one platform."""

    cases: int = 0
    faulty: int = 0
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, kw_only=True)
class Order:
    """What to run: cases `first` … `first + count - 1` of a campaign, on each platform in turn."""

    name: str
    campaign: ModuleType
    seed: int
    first: int
    count: int
    jobs: int
    platforms: Sequence[str]


async def run(order: Order) -> int:
    """Run everything, print as it goes; how many cases were faulty."""
    tallies = {platform: Tally() for platform in order.platforms}
    waiting = iter(
        [(n, order.platforms[n % len(order.platforms)]) for n in range(order.first, order.first + order.count)]
    )
    async with Nursery() as nursery:
        telling = asyncio.create_task(_tell(order, tallies))
        working = asyncio.gather(*(_work(order, waiting, tallies, nursery) for _ in range(order.jobs)))
        for number in (signal.SIGINT, signal.SIGTERM):  # a campaign may be cut short
            asyncio.get_running_loop().add_signal_handler(number, working.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await working
        telling.cancel()
    print(table(tallies))
    return sum(tally.faulty for tally in tallies.values())


async def play_one(order: Order, number: int, platform: str, nursery: Nursery) -> Verdict:
    """One case in a folder of its own, drawn from the seed and its number alone. Whatever it raises is a finding."""
    case = order.campaign.draw(random.Random(f"{order.name} {order.seed} {number} {platform}"), platform)
    with tempfile.TemporaryDirectory(prefix=f"{order.name}-{number}-", ignore_cleanup_errors=True) as folder:
        try:
            async with asyncio.timeout(LONGEST):
                verdict: Verdict = await order.campaign.play(case, Path(folder), nursery)
        except Exception as fault:
            where = traceback.format_exc(limit=-3)
            return Verdict(findings=(Finding(kind="broken", what=f"{fault!r}\n{where}"),), counts={})
    return verdict


async def _work(
    order: Order, waiting: "Iterable[tuple[int, str]]", tallies: dict[str, Tally], nursery: Nursery
) -> None:
    for number, platform in waiting:
        verdict = await play_one(order, number, platform, nursery)
        tally = tallies[platform]
        tally.cases += 1
        tally.faulty += bool(verdict.findings)
        tally.counts.update(verdict.counts)
        if verdict.findings:
            print(_complaint(order, number, platform, verdict.findings), flush=True)


def _complaint(order: Order, number: int, platform: str, findings: Sequence[Finding]) -> str:
    again = f"python -m tests.campaign {order.name} --seed {order.seed} --only {number} --platform {platform}"
    return "\n".join([f"FAULT in case {number} on {platform}; again with: {again}", *(f"  {one}" for one in findings)])


async def _tell(order: Order, tallies: dict[str, Tally]) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(TELL_EVERY)
        done, faulty = (sum(getattr(one, name) for one in tallies.values()) for name in ("cases", "faulty"))
        print(
            f"{order.name}: {done}/{order.count} cases, {faulty} faulty, {time.monotonic() - began:.0f} s", flush=True
        )


def table(tallies: dict[str, Tally]) -> str:
    """One line for each platform, Markdown."""
    names = list(dict.fromkeys(name for tally in tallies.values() for name in tally.counts))
    rows = [["platform", "cases", *names, "faulty"]]
    for platform, tally in tallies.items():
        rows.append([platform, str(tally.cases), *(str(tally.counts[name]) for name in names), str(tally.faulty)])
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest])
