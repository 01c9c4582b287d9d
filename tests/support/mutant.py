"""A copy of the program with one fault in it, to see that a test would notice."""

import asyncio
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.program import ROOT

PARTS = ("bridge", "channels", "host", "store", "tests")


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """In `file` the one place that reads `right` becomes `wrong`; the test `guard` must fail then."""

    file: str
    right: str
    wrong: str
    guard: str


async def run_guard(folder: Path, mutation: Mutation) -> str:
    """What pytest says of the guard in a copy with the fault. Raises AssertionError if the place is not there."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    file = folder / mutation.file
    source = file.read_text(encoding="utf-8")
    assert source.count(mutation.right) == 1, f"{mutation.file} no longer reads {mutation.right!r}"
    file.write_text(source.replace(mutation.right, mutation.wrong), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", mutation.guard),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return said.decode()
