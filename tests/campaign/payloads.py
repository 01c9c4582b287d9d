"""Generated payloads for every parser and generated texts for every renderer, a hundred thousand of each.

In process and fast: nothing crashes, nothing exceeds a limit, no text is lost, fences stay whole.
"""

import random
import time
import traceback
from collections.abc import Callable, Mapping, Sequence

from tests.campaign.parsers import read_feishu, read_slack, read_telegram, read_webhook
from tests.campaign.renderers import RENDERERS

Check = Callable[[random.Random], str]

TARGETS: Mapping[str, Check] = {
    "read-telegram": read_telegram,
    "read-slack": read_slack,
    "read-feishu": read_feishu,
    "read-webhook": read_webhook,
    **RENDERERS,
}
_MOST_TOLD = 10
"""Faults of one target that are printed."""


def run(seed: int, first: int, count: int, targets: Sequence[str]) -> int:
    """So many samples for each target; how many were faulty. Prints them, and a table."""
    rows = ["| target | samples | seconds | faulty |", "|---|---|---|---|"]
    faulty = 0
    for target in targets:
        began, wrong = time.monotonic(), 0
        for number in range(first, first + count):
            if problem := check(target, seed, number):
                wrong += 1
                if wrong <= _MOST_TOLD:
                    again = f"python -m tests.campaign payloads --seed {seed} --only {number} --platform {target}"
                    print(f"FAULT; again with: {again}\n  {problem[:2000]}", flush=True)
        faulty += wrong
        rows.append(f"| {target} | {count} | {time.monotonic() - began:.0f} | {wrong} |")
        print(rows[-1], flush=True)
    print("\n".join(rows))
    return faulty


def check(target: str, seed: int, number: int) -> str:
    """What is wrong with one sample, drawn from these three alone; "" if nothing is."""
    try:
        return TARGETS[target](random.Random(f"{target} {seed} {number}"))
    except Exception:
        return traceback.format_exc(limit=-4)
