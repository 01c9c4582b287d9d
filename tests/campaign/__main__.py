"""`python -m tests.campaign NAME [--seed N] [--count N] [--jobs N] [--platform NAME] [--only N]`

Exit 1 if any case was faulty; each faulty case is printed with the command that repeats it alone.
"""

import argparse
import asyncio
import sys

from tests.campaign import copies, faults, kills, payloads
from tests.campaign.run import Order, run

CAMPAIGNS = {"kills": kills, "faults": faults, "copies": copies}


def main(argv: list[str]) -> int:
    asked = _arguments().parse_args(argv)
    if asked.only is not None:
        asked.first, asked.count = asked.only, 1
    if asked.name == "payloads":
        return min(1, payloads.run(asked.seed, asked.first, asked.count, asked.platform or list(payloads.TARGETS)))
    campaign = CAMPAIGNS[asked.name]
    order = Order(
        name=asked.name,
        campaign=campaign,
        seed=asked.seed,
        first=asked.first,
        count=asked.count,
        jobs=asked.jobs,
        platforms=asked.platform or campaign.PLATFORMS,
    )
    return min(1, asyncio.run(run(order)))


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign")
    parser.add_argument("name", choices=[*CAMPAIGNS, "payloads"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="how many cases, or samples of each target")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--only", type=int, help="the number of the one case to run")
    parser.add_argument("--jobs", type=int, default=2, help="how many cases at a time")
    parser.add_argument(
        "--platform", action="append", help="of this platform (or payloads' target) only; may be repeated"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
