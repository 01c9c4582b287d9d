"""SQLite where the program runs: no thread and no change of coroutine for a statement.

A statement on a local file takes some ten microseconds. The usual asyncio driver hands each one to a thread, and
SQLAlchemy's asyncio layer changes greenlets several times for each: both cost many times the work. So here a plain
session stands behind the coroutine methods of an asyncio one, and only what may really wait goes to a thread: COMMIT,
which waits for the disk.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from store.errors import StoreUnavailable
from store.keeping import KeepingSession
from store.writers import LOCK_PATIENCE, Writers

P = ParamSpec("P")
T = TypeVar("T")


class InlineSession(AsyncSession):
    """The methods that transactions use; none of them suspends."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(sync_session_class=KeepingSession, expire_on_commit=False)
        self.sync_session.bind = engine

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.sync_session.close()

    async def execute(self, *args: Any, **options: Any) -> Any:
        return self.sync_session.execute(*args, **options)

    async def scalars(self, *args: Any, **options: Any) -> Any:
        return self.sync_session.scalars(*args, **options)

    async def scalar(self, *args: Any, **options: Any) -> Any:
        return self.sync_session.scalar(*args, **options)

    async def get(self, *args: Any, **options: Any) -> Any:
        return self.sync_session.get(*args, **options)

    async def get_one(self, *args: Any, **options: Any) -> Any:
        return self.sync_session.get_one(*args, **options)

    async def merge(self, *args: Any, **options: Any) -> Any:
        return self.sync_session.merge(*args, **options)

    async def delete(self, instance: object) -> None:
        self.sync_session.delete(instance)

    async def flush(self, objects: Any = None) -> None:
        self.sync_session.flush(objects)

    async def run_sync(self, fn: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs) -> T:
        return fn(self.sync_session, *args, **options)


class WritingSession(InlineSession):
    """What it does is one transaction, which holds the file's write lock."""

    def lock(self) -> str:
        """BEGIN IMMEDIATE without waiting; why another process's lock forbids it, or "". Raises StoreUnavailable."""
        connection: Any = self.sync_session.connection().connection.driver_connection
        (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
        connection.execute("PRAGMA busy_timeout=0")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise StoreUnavailable(str(fault)) from fault
            return str(fault)
        finally:
            connection.execute(f"PRAGMA busy_timeout={patience}")
        return ""

    async def commit(self) -> None:
        self.sync_session.flush()
        await asyncio.to_thread(self.sync_session.commit)


class File:
    """The database in one file. Readers see a snapshot each; writers must come one after the other."""

    def __init__(self, path: Path, writers: Writers) -> None:
        self._writers = writers
        opener = partial(_open, path)
        self._engine = create_engine("sqlite://", creator=opener, poolclass=QueuePool, pool_size=4, max_overflow=4)
        self._writer = self._engine.execution_options(begin="")
        event.listen(self._engine, "begin", _begin)

    def reading(self) -> AsyncSession:
        return InlineSession(self._engine)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncSession]:
        """Raises StoreUnavailable while another process keeps the file."""
        async with WritingSession(self._writer) as orm, self._writers.turn(orm.lock):
            yield orm

    def hurry(self, seconds: float) -> None:
        self._writers.hurry(seconds)

    async def close(self) -> None:
        self._engine.dispose()


def _open(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode: it is we who say BEGIN."""
    opened = sqlite3.connect(path, timeout=LOCK_PATIENCE, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        opened.execute(f"PRAGMA {pragma}")
    return opened


def _begin(connection: Connection) -> None:
    if statement := connection.get_execution_options().get("begin", "BEGIN"):
        connection.exec_driver_sql(statement)
