"""Start-up and rest: from exec to ready, and what an idle program costs. `python -m tests.bench startup`"""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.process import cpu_seconds, resident_megabytes
from tests.support.world import World, world

STARTS = 5
SETTLE = 5.0
REST = 5.0


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder), start=False) as installation:
            starts = [await _start(installation) for _ in range(STARTS)]
            await installation.program.start()
            idle_cpu, idle_memory = await _rest(installation.program.pid)
    wall, cpu = (statistics.median(values) for values in zip(*starts, strict=True))
    return [
        Figure(what="exec → ready, median", value=wall, goal=1.2, unit="s"),
        Figure(what="CPU until ready, median", value=cpu, goal=1.0, unit="s"),
        Figure(what="resident memory at rest", value=idle_memory, goal=100, unit="MB"),
        Figure(what=f"CPU in {REST:.0f} s at rest", value=idle_cpu * 1000, goal=20, unit="ms"),
    ]


async def _start(installation: World) -> tuple[float, float]:
    began = time.monotonic()
    await installation.program.start()
    taken = time.monotonic() - began, cpu_seconds(installation.program.pid)
    await installation.program.terminate()
    return taken


async def _rest(pid: int) -> tuple[float, float]:
    await asyncio.sleep(SETTLE)
    before = cpu_seconds(pid)
    await asyncio.sleep(REST)
    return cpu_seconds(pid) - before, resident_megabytes(pid)
