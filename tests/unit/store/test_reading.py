"""Reads: one moment of the store, however many statements look at it."""

import asyncio

import pytest

from store.accounts import User, add_user, list_users
from store.database import Database, Transaction
from tests.support.clock import FakeClock

pytestmark = pytest.mark.both_databases


async def test_what_is_committed_between_two_statements_of_a_read_is_not_seen_by_the_second(
    database: Database, clock: FakeClock
) -> None:
    """D3, C7: rows that belong together come from one snapshot; a session is never at work and done in one answer."""
    begun, committed = asyncio.Event(), asyncio.Event()

    async def look(tx: Transaction) -> tuple[int, int]:
        first = len(await list_users(tx))
        begun.set()
        await committed.wait()
        return first, len(await list_users(tx))

    looking = asyncio.create_task(database.read(look))
    await begun.wait()
    await database.write(lambda tx: add_user(tx, User(id="bob", name="Bob", role="member", created_at=clock.now())))
    committed.set()
    assert await looking == (0, 0)
    assert len(await database.read(list_users)) == 1
