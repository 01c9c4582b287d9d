"""One connection to a SQLite file, in autocommit mode: it is we who say BEGIN."""

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from store.errors import StoreUnavailable
from store.writers import LOCK_PATIENCE


def open_file(path: Path) -> sqlite3.Connection:
    """The driver's own connection; statements of it wait for other processes as long as writers do."""
    opened = sqlite3.connect(path, timeout=LOCK_PATIENCE, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        opened.execute(f"PRAGMA {pragma}")
    return opened


class Line:
    """The connection, for statements as the driver takes them and, as `connection`, for SQLAlchemy's session."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.driver: Any = connection.connection.driver_connection
        self.dialect = connection.dialect
        self.is_broken = False
        """What was begun on it could not be taken back: it must be closed, which does that."""

    def run(self, sql: str, arguments: list[Any]) -> list[Any]:
        """The rows of the result. Raises DBAPIError."""
        try:
            return self.driver.execute(sql, arguments).fetchall()  # type: ignore[no-any-return]
        except sqlite3.Error as fault:
            raise DBAPIError.instance(sql, None, fault, sqlite3.Error, hide_parameters=True) from fault

    def begin(self) -> None:
        self.run("BEGIN", [])

    def lock(self) -> str:
        """BEGIN IMMEDIATE without waiting; why another process's lock forbids it, or "". Raises StoreUnavailable."""
        try:
            self.driver.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as fault:
            if getattr(fault, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                raise StoreUnavailable(str(fault)) from fault
            return str(fault)
        return ""

    def commit(self) -> None:
        """Raises DBAPIError."""
        self.run("COMMIT", [])

    def clear(self) -> None:
        """Take back what is not committed; SQLAlchemy remembers a COMMIT that failed until it is told to."""
        try:
            self.connection.rollback()
            if self.driver.in_transaction:
                self.driver.rollback()
        except (sqlite3.Error, DBAPIError):
            self.is_broken = True
