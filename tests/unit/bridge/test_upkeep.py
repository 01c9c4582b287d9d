"""Old finished work is forgotten, day after day."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import structlog

from bridge.upkeep import DAY, clear, keep_tidy
from host.shelf import Shelf
from store.database import Database, Transaction
from store.errors import StoreUnavailable
from store.files import File, add_files, find_file, refer_to
from store.inputs import Receipt
from store.pruning import KEPT, prune
from tests.support.clock import START, FakeClock


async def add_receipt(database: Database, key: str, days_old: int) -> None:
    async def work(tx: Transaction) -> None:
        at = START - timedelta(days=days_old)
        tx.orm.add(Receipt(scope="s", key=key, digest="", input_id="i", created_at=at))

    await database.write(work)


async def kept(database: Database) -> list[str]:
    async def work(tx: Transaction) -> list[str]:
        found = [await tx.orm.get(Receipt, number) for number in (1, 2, 3)]
        return [one.key for one in found if one is not None]

    return await database.read(work)


async def at_rest(database: Database, clock: FakeClock) -> None:
    """Until the upkeep waits for the next day."""
    while not clock.sleepers:
        await kept(database)


async def test_what_is_older_than_thirty_days_is_forgotten_each_day(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Architecture 7."""
    for key, days in (("old", 31), ("tomorrow", 30), ("new", 1)):
        await add_receipt(database, key, days)
    task = asyncio.create_task(keep_tidy(database, clock, Shelf(tmp_path)))
    await at_rest(database, clock)
    assert await kept(database) == ["tomorrow", "new"]
    await clock.advance(DAY + 1)
    await at_rest(database, clock)
    assert await kept(database) == ["new"]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_locked_database_is_for_tomorrow(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    class Locked(Database):
        async def write(self, work: object) -> object:  # type: ignore[override]
            raise StoreUnavailable("locked")

    locked = Locked(database.url, clock)
    with structlog.testing.capture_logs() as logs:
        task = asyncio.create_task(keep_tidy(locked, clock, Shelf(tmp_path)))
        await at_rest(database, clock)
        await clock.advance(DAY)
        await at_rest(database, clock)
    assert [line["event"] for line in logs] == ["Could not forget finished work today"] * 2
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await locked.close()


async def put(shelf: Shelf, database: Database, file_id: str, content: bytes, days_old: int) -> str:
    async def pieces() -> AsyncIterator[bytes]:
        yield content

    kept = await shelf.put(pieces(), 100)
    at = START - timedelta(days=days_old)
    fields = {"session_id": "s", "name": "a", "created_at": at, "stored_at": at, "state": "stored"}
    await database.write(partial(add_files, files=[File(id=file_id, digest=kept.digest, **fields)]))
    return kept.digest


async def test_a_file_goes_thirty_days_after_somebody_was_last_given_it(
    database: Database, clock: FakeClock, tmp_path: Path
) -> None:
    """Issue 8 item 4: rows become `gone`, the bytes go when no other file has them."""
    shelf = Shelf(tmp_path)
    await put(shelf, database, "old", b"one", 31)
    shared = await put(shelf, database, "old too", b"both", 31)
    await put(shelf, database, "young", b"both", 1)
    handed = await put(shelf, database, "handed on", b"two", 31)

    async def hand_on(tx: Transaction) -> None:
        file = await find_file(tx, "handed on")
        assert file is not None
        await refer_to(tx, [file])

    await database.write(hand_on)
    await database.write(partial(prune, before=clock.now() - KEPT))
    assert await clear(database, shelf) == 0, "what was put just now may not be written down yet"
    assert await clear(database, shelf, -1) == 1
    assert sorted(await shelf.older(-1)) == sorted([shared, handed])

    async def states(tx: Transaction) -> list[str]:
        found = [await find_file(tx, each) for each in ("old", "old too", "young", "handed on")]
        return [each.state for each in found if each is not None]

    assert await database.read(states) == ["gone", "gone", "stored", "stored"]
