"""Adding rows under an id that somebody chose."""

import sqlite3
from typing import Final, TypeVar

from sqlalchemy.exc import IntegrityError

from store.base import Row
from store.database import Transaction
from store.errors import Taken

R = TypeVar("R", bound=Row)
_TWICE: Final = ("23505", sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE)


async def add_with_id(tx: Transaction, row: R) -> R:
    """Add the row. Raises Taken if another transaction has just added one under its id: looking first cannot tell."""
    try:
        await tx.add(row)
    except IntegrityError as fault:
        code = getattr(fault.orig, "sqlstate", None) or getattr(fault.orig, "sqlite_errorcode", None)
        if code not in _TWICE:
            raise
        raise Taken from fault
    return row
