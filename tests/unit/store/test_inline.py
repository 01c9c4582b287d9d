"""Transactions are whole on both databases. SQLite on the loop: what may wait does not hold it up, and says so."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from store.clock import SystemClock
from store.database import Database, Transaction, sqlite_url
from store.errors import StoreUnavailable
from tests.support.stores import NewStore


async def make_table(tx: Transaction) -> None:
    await tx.orm.execute(text("CREATE TABLE t (x INTEGER)"))


async def add_row(tx: Transaction) -> None:
    await tx.orm.execute(text("INSERT INTO t VALUES (1)"))


async def count(tx: Transaction) -> int:
    return int(await tx.orm.scalar(text("SELECT count(*) FROM t")) or 0)


async def fail(tx: Transaction) -> None:
    await add_row(tx)
    raise RuntimeError("no")


@pytest.mark.both_databases
async def test_a_failed_transaction_leaves_nothing_and_tells_nobody(new_store: NewStore) -> None:
    """Signals fire after a commit only."""
    told: list[str] = []

    async def signal_and_fail(tx: Transaction) -> None:
        tx.after_commit(lambda: told.append("committed"))
        await fail(tx)

    async with Database(await new_store("a"), SystemClock()) as database:
        await database.write(make_table)
        with pytest.raises(RuntimeError):
            await database.write(signal_and_fail)
        assert await database.read(count) == 0
        assert told == []


async def test_a_lock_of_another_process_holds_up_only_the_writer(tmp_path: Path) -> None:
    """Issue 2, bad input: a locked database is StoreUnavailable; readers and the loop go on meanwhile."""
    async with Database(sqlite_url(tmp_path / "a.db"), SystemClock(), lock_patience=0.5) as database:
        await database.write(make_table)
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(database.write(add_row))
        assert await database.read(count) == 0
        assert not writing.done()
        with pytest.raises(StoreUnavailable):
            await writing
        other.execute("ROLLBACK")
        await database.write(add_row)
        assert await database.read(count) == 1
        other.close()


@pytest.mark.both_databases
async def test_writers_of_one_process_take_turns(new_store: NewStore) -> None:
    """Twenty at once, each a transaction of its own."""
    async with Database(await new_store("a"), SystemClock()) as database:
        await database.write(make_table)
        await asyncio.gather(*(database.write(add_row) for _ in range(20)))
        assert await database.read(count) == 20


@pytest.mark.both_databases
async def test_a_cancelled_writer_commits_as_a_whole_or_not_at_all(new_store: NewStore) -> None:
    """Architecture 4: a transaction is shielded; the cancellation goes on after it."""
    async with Database(await new_store("a"), SystemClock()) as database:
        await database.write(make_table)
        begun = asyncio.Event()

        async def slowly(tx: Transaction) -> None:
            await add_row(tx)
            begun.set()
            await asyncio.sleep(0)
            await add_row(tx)

        writing = asyncio.create_task(database.write(slowly))
        await begun.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert await database.read(count) == 2
