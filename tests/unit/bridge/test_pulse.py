"""Whether the store takes writes, without a write for each one who asks."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bridge.pulse import FRESH, Pulse
from store.database import Database, Transaction, sqlite_url
from store.errors import StoreUnavailable
from tests.support.clock import FakeClock


class Beat:
    """Counts how often the pulse was taken with a write."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self, tx: Transaction) -> None:
        self.times += 1


async def test_a_storm_of_questions_is_one_write(database: Database, clock: FakeClock) -> None:
    """Contract 5: /readyz may be asked by many, often."""
    beat = Beat()
    pulse = Pulse(database, clock, beat)
    await clock.advance(FRESH)
    assert await asyncio.gather(*(pulse.is_felt() for _ in range(50))) == [True] * 50
    assert await pulse.is_felt()
    assert beat.times == 1
    await clock.advance(FRESH)
    assert await pulse.is_felt()
    assert beat.times == 2


async def test_a_write_of_anybody_says_how_the_store_is(database: Database, clock: FakeClock) -> None:
    """As long as people use it the pulse costs nothing; a fault of the work itself is no fault of the store."""
    beat, pulse = Beat(), Pulse(database, clock, Beat())
    await database.write(beat)

    async def fail(tx: Transaction) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await database.write(fail)
    assert await pulse.is_felt()


async def test_a_locked_store_takes_no_writes_until_it_is_free(tmp_path: Path, clock: FakeClock) -> None:
    """The answer changes with the first write, or when it is asked for anew."""
    async with Database(sqlite_url(tmp_path / "a.db"), clock, lock_patience=0) as database:
        pulse = Pulse(database, clock, Beat())
        assert await pulse.is_felt()
        with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable):
                await database.write(Beat())
            assert not await pulse.is_felt()
            await clock.advance(FRESH)
            assert not await pulse.is_felt()
        assert not await pulse.is_felt()
        await clock.advance(FRESH)
        assert await pulse.is_felt()
