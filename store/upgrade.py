"""Bring a store to the newest schema; costs one query when it is there already."""

import importlib
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from store.database import Database, Transaction
from store.locks import UPGRADE, lock_for_transaction

_REVISIONS: Final = Path(__file__).parent / "migrations" / "versions"


async def upgrade(database: Database) -> None:
    """Run the missing revisions in one transaction, one process at a time.

    Raises StoreTooNew if a newer program has worked on the store, StoreUnavailable if it does not answer.
    """
    if await database.read(_version) != head():
        await database.write(partial(_run_missing, database))


def head() -> str:
    """The newest revision, read off the file names: asking alembic would cost every start its import."""
    return max(path.name.partition("_")[0] for path in revision_files("[0-9]*"))


def revision_files(number: str) -> list[Path]:
    """The files of the revision `number` (a glob pattern)."""
    return list(_REVISIONS.glob(f"{number}_*.py"))


async def _version(tx: Transaction) -> str | None:
    """The store's revision; None also if the table is missing or the database is (then the write says so)."""
    try:
        return (await tx.orm.execute(text("SELECT version_num FROM alembic_version"))).scalar()
    except DBAPIError:
        return None


async def _run_missing(database: Database, tx: Transaction) -> None:
    if not database.is_sqlite:
        await lock_for_transaction(tx.orm, UPGRADE)
    run = importlib.import_module("store.migrations.run")  # loads alembic: only when there is something to do
    await tx.orm.run_sync(lambda orm: run.run_missing(orm.connection()))
