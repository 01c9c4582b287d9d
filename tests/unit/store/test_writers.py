"""Writers of one file: what another process's lock costs, however many of them wait for it."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from store.clock import SystemClock
from store.database import Database, sqlite_url
from store.errors import StoreUnavailable
from store.writers import Writers
from tests.support.clock import settle
from tests.unit.store.test_inline import add_row, count, make_table

FOR_EVER = 3600.0


class Lock:
    """Another process's lock: `held` until the test says otherwise."""

    def __init__(self) -> None:
        self.held = True
        self.tries = 0

    def __call__(self) -> str:
        self.tries += 1
        return "database is locked" if self.held else ""


async def write(writers: Writers, lock: Lock) -> None:
    async with writers.turn(lock):
        pass


async def test_who_waits_behind_a_refused_writer_is_refused_with_it() -> None:
    """A locked database costs its patience once, not once for each writer in the queue (R7)."""
    writers, first, behind = Writers(patience=0), Lock(), Lock()
    async with writers.turn(lambda: ""):
        waiting = [asyncio.create_task(write(writers, lock)) for lock in (first, behind, behind)]
        await settle()
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(end) for end in ends] == [StoreUnavailable] * 3
    assert (first.tries, behind.tries) == (1, 0)


async def test_who_comes_after_a_refusal_tries_for_itself() -> None:
    """The lock may be gone by then."""
    writers, lock = Writers(patience=0), Lock()
    with pytest.raises(StoreUnavailable):
        await write(writers, lock)
    lock.held = False
    await write(writers, lock)


async def test_a_program_that_ends_waits_no_longer() -> None:
    """R7: a stop must not be held up by another process's lock, neither by who waits already nor by who comes."""
    writers, lock = Writers(patience=FOR_EVER), Lock()
    waiting = asyncio.create_task(write(writers, lock))
    await settle()
    writers.hurry(0)
    with pytest.raises(StoreUnavailable):
        await waiting
    with pytest.raises(StoreUnavailable):
        await write(writers, lock)
    lock.held = False
    await write(writers, lock)


async def test_twenty_writers_at_a_locked_file_fail_together(tmp_path: Path) -> None:
    """The same with a real lock; nothing is left behind, and the next one writes."""
    async with Database(sqlite_url(tmp_path / "a.db"), SystemClock(), lock_patience=0.2) as database:
        await database.write(make_table)
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        async with asyncio.timeout(2):
            ends = await asyncio.gather(*(database.write(add_row) for _ in range(20)), return_exceptions=True)
        assert {type(end) for end in ends} == {StoreUnavailable}
        other.execute("ROLLBACK")
        await database.write(add_row)
        assert await database.read(count) == 1
        other.close()


async def test_who_brings_new_work_yields_to_those_who_finish_some() -> None:
    """R7: of many that come at once the first is served before the last is taken in; but nobody is passed for ever."""
    writers, order = Writers(), list[str]()

    async def enter(name: str, *, yields: bool) -> None:
        async with writers.turn(lambda: "", yields=yields):
            order.append(name)

    async with writers.turn(lambda: ""):
        waiting = [asyncio.create_task(enter(name, yields=True)) for name in ("new 1", "new 2")]
        await settle()
        waiting += [asyncio.create_task(enter(name, yields=False)) for name in ("begun 1", "begun 2")]
        await settle()
    await asyncio.gather(*waiting)
    assert order == ["begun 1", "begun 2", "new 1", "new 2"]


async def test_who_is_cancelled_in_line_leaves_its_place_to_the_next() -> None:
    """Before its turn has come, and in the very moment in which it comes."""
    writers, order = Writers(), list[str]()

    async def enter(name: str) -> None:
        async with writers.turn(lambda: ""):
            order.append(name)

    async with writers.turn(lambda: ""):
        waiting = [asyncio.create_task(enter(name)) for name in ("a", "b", "c")]
        await settle()
        waiting[1].cancel()
    waiting[0].cancel()  # its turn has come, but it has not run yet
    await asyncio.gather(*waiting, return_exceptions=True)
    assert order == ["c"]
    await enter("d")
    assert order == ["c", "d"]
