"""Adding rows: under an id that somebody chose, or rows that nobody changes any more."""

import sqlite3
from functools import cache
from typing import Final, TypeVar

from sqlalchemy import Insert, insert
from sqlalchemy.exc import IntegrityError

from store.base import Row, table
from store.database import Transaction
from store.errors import Taken

R = TypeVar("R", bound=Row)
_TWICE: Final = ("23505", sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE)


async def add_with_id(tx: Transaction, row: R) -> R:
    """Add the row. Raises Taken if another transaction has just added one under its id: looking first cannot tell."""
    tx.orm.add(row)
    try:
        await tx.orm.flush()
    except IntegrityError as fault:
        code = getattr(fault.orig, "sqlstate", None) or getattr(fault.orig, "sqlite_errorcode", None)
        if code not in _TWICE:
            raise
        raise Taken from fault
    return row


async def append(tx: Transaction, row: Row) -> None:
    """Insert a row that this transaction does not change any more, at a third of what the unit of work takes for it.

    The row stays a plain value: what the table fills in by itself, it does not learn.
    """
    values = {name: value for name, value in vars(row).items() if name != "_sa_instance_state"}
    await tx.orm.execute(_insert_into(type(row)), values)


@cache
def _insert_into(kind: type[Row]) -> Insert:
    return insert(table(kind))
