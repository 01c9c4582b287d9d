"""A store that can be read but takes no writes: /readyz says so, and says when it is over (contract 5)."""

import asyncio
import resource
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.gate import DEADLINE
from tests.support.program import Nursery
from tests.support.world import World, world


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(tmp_path: Path, nursery: Nursery) -> AsyncIterator[World]:
    async with world(tmp_path, launcher=nursery) as running:
        if not _store_of(running).exists():
            pytest.skip("the store is no file")
        yield running


def _store_of(running: World) -> Path:
    return running.program.folder / "data" / "teambridge.db"


async def _until(fresh: World, *, ready: bool) -> dict[str, Any]:
    """What /readyz says as soon as it says this; nothing tells from outside, so it is asked again and again."""
    async with asyncio.timeout(DEADLINE):
        while (answer := await fresh.api.get("/readyz")).status != (200 if ready else 503):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    body = answer.body
    assert isinstance(body, dict)
    return body


async def test_a_locked_store_is_not_ready(fresh: World) -> None:
    """Another process holds SQLite's write lock."""
    with closing(sqlite3.connect(_store_of(fresh), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        body = await _until(fresh, ready=False)
        assert (body["ready"], body["store"]) == (False, False)
        assert {channel["state"] for channel in body["channels"].values()} == {"connected"}
    assert (await _until(fresh, ready=True))["store"] is True


async def test_a_full_disk_is_not_ready(fresh: World) -> None:
    """The disk has no room for one byte more than the store has taken already."""
    wal = _store_of(fresh).with_name("teambridge.db-wal")
    soft, hard = resource.prlimit(fresh.program.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(fresh.program.pid, resource.RLIMIT_FSIZE, (wal.stat().st_size, hard))
    assert (await fresh.guest().send("在吗")).status == 503
    assert (await _until(fresh, ready=False))["store"] is False
    resource.prlimit(fresh.program.pid, resource.RLIMIT_FSIZE, (soft, hard))
    assert (await _until(fresh, ready=True))["store"] is True
    await fresh.guest().say("在吗")
