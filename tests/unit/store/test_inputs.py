"""Ending an input, whatever the same transaction did with it before; and rows that are inserted at once."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from store.database import Database, Transaction
from store.inputs import Input, add_input, claim_input, find_input, finish_input, next_input
from tests.support.clock import START

pytestmark = pytest.mark.both_databases

Before = Callable[[Transaction], Awaitable[object]]


def question() -> Input:
    return Input(id="i1", session_id="s1", kind="user", position=1, round_id="i1", created_at=START)


async def nothing(tx: Transaction) -> None:
    """The input was stored by another transaction, and this one has not looked at it."""


async def read(tx: Transaction) -> None:
    assert await find_input(tx, "i1") is not None


async def claimed(tx: Transaction) -> None:
    found = await next_input(tx, "s1")
    assert found is not None
    await claim_input(tx, found, "t1")


async def state_of(database: Database) -> str:
    found = await database.read(partial(find_input, input_id="i1"))
    assert found is not None
    return found.state


@pytest.mark.parametrize("before", [nothing, read, claimed])
async def test_an_input_ends_for_good(database: Database, before: Before) -> None:
    """Section 5: what the same transaction changed before must not bring it back."""
    await database.write(lambda tx: add_input(tx, question()))

    async def end(tx: Transaction) -> None:
        await before(tx)
        await finish_input(tx, "i1")

    await database.write(end)
    assert await state_of(database) == "done"


async def test_an_input_that_was_made_a_moment_ago_ends_too(database: Database) -> None:
    """Section 5: it is not even in the database yet."""

    async def make_and_end(tx: Transaction) -> None:
        await add_input(tx, question())
        await finish_input(tx, "i1", "cancelled")

    await database.write(make_and_end)
    assert await state_of(database) == "cancelled"


@pytest.mark.parametrize("before", [nothing, read])
async def test_an_ending_is_the_last(database: Database, before: Before) -> None:
    """Section 5: a cancelled input is not done by whoever comes later."""
    await database.write(lambda tx: add_input(tx, question()))
    await database.write(partial(finish_input, input_id="i1", state="cancelled"))

    async def end_again(tx: Transaction) -> None:
        await before(tx)
        await finish_input(tx, "i1")

    await database.write(end_again)
    assert await state_of(database) == "cancelled"


async def test_a_row_that_is_inserted_at_once_is_seen_at_once(database: Database) -> None:
    """The same transaction reads it back, with what the table fills in."""

    async def insert_and_read(tx: Transaction) -> Input | None:
        await tx.add(question())
        return await next_input(tx, "s1")

    found = await database.write(insert_and_read)
    assert found is not None
    assert (found.id, found.state, found.data, found.created_at) == ("i1", "pending", {}, START)
