"""What becomes of a SQLite transaction that a fault met, and of the ones behind it."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from store.clock import SystemClock
from store.database import Database, Transaction, sqlite_url
from store.errors import StoreUnavailable
from store.inputs import Input
from store.people import Person
from store.schema import create_schema
from store.turns import Turn
from tests.support.clock import START

ORPHAN = "INSERT INTO shares (agent_id, user_id, created_at) VALUES ('nobody', 'nothing', 0)"


@pytest.fixture
async def store(tmp_path: Path) -> Database:
    store = Database(sqlite_url(tmp_path / "a.db"), SystemClock())
    await create_schema(store)
    return store


def question(name: str) -> Input:
    return Input(id=name, session_id="s1", kind="user", position=1, round_id=name, created_at=START)


async def ask(tx: Transaction) -> None:
    await tx.add(question("i1"))


async def ask_with_session(tx: Transaction) -> None:
    await tx.orm.execute(text("SELECT 1"))
    await tx.add(question("i1"))


async def asked(store: Database) -> bool:
    return await store.read(lambda tx: tx.get(Input, "i1")) is not None


@pytest.mark.parametrize("touches_session", [False, True])
async def test_a_commit_that_fails_harms_only_its_own_transaction(store: Database, touches_session: bool) -> None:
    """R7: here a constraint that is checked at the end, elsewhere a full disk; SQLAlchemy's session may be in use."""

    async def fail_at_the_end(tx: Transaction) -> None:
        if touches_session:
            await tx.orm.execute(text("PRAGMA defer_foreign_keys=ON"))
            await tx.orm.execute(text(ORPHAN))
        else:
            line: Any = tx._access
            line._line.run("PRAGMA defer_foreign_keys=ON", [])
            line._line.run(ORPHAN, [])

    async with store:
        with pytest.raises(IntegrityError):
            await store.write(fail_at_the_end)
        await store.write(ask_with_session)
        assert await asked(store)


async def test_after_a_fault_a_transaction_does_nothing_more(store: Database) -> None:
    """SQLite may have taken everything back by itself: what came behind would be stored without the rest."""

    async def go_on(tx: Transaction) -> None:
        await tx.add(question("i2"))
        with pytest.raises(IntegrityError):
            await tx.add(question("i2"))
        await ask(tx)

    async with store:
        with pytest.raises(IntegrityError):
            await store.write(go_on)
        assert not await asked(store)


@pytest.mark.parametrize("touches_session", [False, True])
async def test_a_commit_after_a_fault_is_refused(store: Database, touches_session: bool) -> None:
    async def swallow(tx: Transaction) -> None:
        if touches_session:
            await tx.orm.execute(text("SELECT 1"))
        await tx.add(question("i1"))
        with pytest.raises(IntegrityError):
            await tx.add(question("i1"))

    async with store:
        with pytest.raises(IntegrityError):
            await store.write(swallow)
        assert not await asked(store)


class Stubborn:
    """A driver's connection that cannot roll back."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def rollback(self) -> None:
        raise sqlite3.OperationalError("disk I/O error")


@pytest.mark.parametrize("run", [Database.write, Database.read])
async def test_what_cannot_be_taken_back_is_left_with_its_connection(
    store: Database, run: Callable[[Database, Callable[[Transaction], Awaitable[None]]], Awaitable[None]]
) -> None:
    """The next transaction gets another one, instead of "cannot start a transaction within a transaction" for ever."""

    async def fail(tx: Transaction) -> None:
        access: Any = tx._access
        access._line.driver = Stubborn(access._line.driver)
        raise RuntimeError("no")

    async with store:
        with pytest.raises(RuntimeError):
            await run(store, fail)
        await store.write(ask)
        assert await asked(store)


async def test_a_commit_that_is_under_way_is_awaited_whatever_happens(store: Database) -> None:
    """Even a write that is cancelled itself, as at the program's very end, leaves nothing for the next to trip over."""
    begun, go = asyncio.Event(), asyncio.Event()

    async def first(tx: Transaction) -> None:
        await ask(tx)
        begun.set()
        await go.wait()

    async with store:
        writing = asyncio.create_task(store._write(first, False))
        await begun.wait()
        go.set()
        await asyncio.sleep(0)  # now its COMMIT is with the other thread
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        await store.write(lambda tx: tx.add(question("i2")))
        assert await asked(store)


async def test_a_store_that_closes_lets_the_writer_end_and_refuses_the_others(store: Database) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def slow(tx: Transaction) -> None:
        begun.set()
        await go.wait()
        await ask(tx)

    writing = asyncio.create_task(store.write(slow))
    await begun.wait()
    behind = asyncio.create_task(store.write(ask))
    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(writing, closing)
    with pytest.raises(StoreUnavailable):
        await behind
    with pytest.raises(StoreUnavailable):
        await store.write(ask)
    async with Database(store.url, SystemClock()) as again:
        assert await asked(again)


async def test_what_must_be_said_cannot_be_left_out(store: Database) -> None:
    async with store:
        with pytest.raises(TypeError, match=r"turns\.rounds"):
            await store.write(
                lambda tx: tx.add(
                    Turn(
                        id="t", session_id="s", input_id="i", agent_id="a", kind="user", round_id="r", prompt="", run=""
                    )
                )
            )


async def test_nothing_is_null(store: Database) -> None:
    """Not the word `null`, which no condition finds."""
    async with store:
        await store.write(lambda tx: tx.add(Person(id="p", app_id="hook", external_id="e", created_at=START)))
        nothing = text("SELECT count(*) FROM people WHERE first_message IS NULL")
        assert await store.read(lambda tx: tx.orm.scalar(nothing)) == 1
