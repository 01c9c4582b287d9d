"""One `serve` at a time."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from host.errors import AlreadyServing
from host.exclusive import PATIENCE, exclusive
from store.database import Database
from store.locks import SERVE, try_lock
from tests.support.clock import FakeClock, settle
from tests.support.stores import NewStore


async def test_a_second_serve_waits_ten_seconds_and_is_told_who_serves(
    database: Database, tmp_path: Path, clock: FakeClock
) -> None:
    async with exclusive(database, tmp_path, clock):
        second = asyncio.create_task(_hold(database, tmp_path, clock))
        await settle()
        await clock.advance(9.5)
        assert not second.done()
        await clock.advance(1)
        with pytest.raises(AlreadyServing, match=rf"serves {tmp_path} \(process {os.getpid()}\)"):
            await second


async def test_a_successor_takes_over_as_soon_as_the_first_has_stopped(
    database: Database, tmp_path: Path, clock: FakeClock
) -> None:
    async with exclusive(database, tmp_path, clock):
        second = asyncio.create_task(_hold(database, tmp_path, clock))
        await clock.advance(5)
    await clock.advance(1)
    async with asyncio.timeout(5):
        await second


@pytest.mark.both_databases
async def test_whoever_holds_the_store_is_alone_until_it_lets_go(
    new_store: NewStore, tmp_path: Path, clock: FakeClock
) -> None:
    """Section 6: a file locks out a second `serve` of this machine, the server's lock one of any machine."""
    url = await new_store("store")
    async with Database(url, clock) as first, Database(url, clock) as second:
        async with exclusive(first, tmp_path, clock):
            with pytest.raises(AlreadyServing):
                await _hold(second, tmp_path, clock, patience=0)
        await _hold(second, tmp_path, clock, patience=0)


async def test_a_lock_of_the_server_dies_with_its_connection(
    postgres_server: str, tmp_path: Path, clock: FakeClock
) -> None:
    """R1: a program on another machine was killed: nobody says so but the connection."""
    async with Database(postgres_server, clock) as killed, Database(postgres_server, clock) as successor:
        async with killed.connection() as connection:
            assert await try_lock(connection, SERVE)
            with pytest.raises(AlreadyServing):
                await _hold(successor, tmp_path, clock, patience=0)
            await connection.invalidate()
        await _unlocked(successor)
        await _hold(successor, tmp_path, clock, patience=0)


async def test_the_lock_dies_with_its_process(database: Database, tmp_path: Path, clock: FakeClock) -> None:
    """R1: after a kill -9 nothing has to be cleaned up by hand, although the file is still there."""
    program = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print(flush=True); input()"
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tmp_path / "serve.lock"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout is not None
    await holder.stdout.readline()
    with pytest.raises(AlreadyServing):
        async with exclusive(database, tmp_path, clock, patience=0):
            pass
    holder.kill()
    await holder.wait()
    async with exclusive(database, tmp_path, clock, patience=0):
        assert stat.S_IMODE((tmp_path / "serve.lock").stat().st_mode) & 0o022 == 0


async def _hold(database: Database, folder: Path, clock: FakeClock, patience: float = PATIENCE) -> None:
    async with exclusive(database, folder, clock, patience):
        pass


async def _unlocked(database: Database) -> None:
    """Until the server has seen that the connection is gone."""
    async with asyncio.timeout(5), database.connection() as connection:
        while await connection.scalar(text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")):
            pass
