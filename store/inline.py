"""SQLite where the program runs: no thread and no change of coroutine for a statement.

A statement on a local file takes some ten microseconds. The usual asyncio driver hands each one to a thread, and
SQLAlchemy's asyncio layer changes greenlets several times for each: both cost many times the work. So here a plain
session stands behind the coroutine methods of an asyncio one, and only what may really wait goes to a thread: COMMIT,
which waits for the disk. What every message asks does without that session too (`store.prepared`): a transaction has
none before somebody asks for it.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from store.base import Row
from store.errors import StoreUnavailable
from store.keeping import KeepingSession
from store.prepared import Key, Prepared
from store.writers import LOCK_PATIENCE, Writers
from store.writing import change, change_parameters, insertion, is_changed, take_changes

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound=Row)

_IDLE: Final = 4
"""Lines that are kept open for the next readers."""


class InlineSession(AsyncSession):
    """The methods that transactions use; none of them suspends."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(sync_session_class=KeepingSession, expire_on_commit=False)
        self.sync_session.bind = connection

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


class Line:
    """One connection to the file, in autocommit mode: it is we who say BEGIN."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.driver: Any = connection.connection.driver_connection
        self.dialect = connection.dialect

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
        self.driver.execute("PRAGMA busy_timeout=0")
        try:
            self.driver.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise StoreUnavailable(str(fault)) from fault
            return str(fault)
        finally:
            self.driver.execute(f"PRAGMA busy_timeout={LOCK_PATIENCE * 1000:.0f}")
        return ""

    def commit(self) -> None:
        """Raises DBAPIError."""
        self.run("COMMIT", [])

    def clear(self) -> None:
        """Take back what is not committed."""
        if self.driver.in_transaction:
            self.driver.rollback()


class Inline:
    """One transaction on a line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._rows: dict[str, dict[Key, Row]] = {}
        """By the name of their table."""
        self._session: InlineSession | None = None

    @property
    def orm(self) -> InlineSession:
        """SQLAlchemy's own session. It finds everything as it would have left it."""
        if self._session is None:
            self._write_changes(self._rows)
            self._session = InlineSession(self._line.connection)
            for rows in self._rows.values():
                self._session.sync_session.add_all(rows.values())
        return self._session

    async def rows(self, prepared: Prepared[T], params: Mapping[str, Any]) -> list[T]:
        plan = prepared.plan(self._line.dialect, params)
        self._settle(plan.tables)
        return [plan.read(values, self) for values in self._line.run(plan.sql, plan.arguments(params))]

    async def add(self, row: Row) -> None:
        new = insertion(type(row))
        made = await self.rows(new.statement, new.complete(row))
        self.hold(new.done(row, *made), row)

    async def in_hand(self, key: Key) -> Row | None:
        return self.held(key)

    async def commit(self) -> None:
        if self._session is None:
            self._write_changes(self._rows)
            await _in_a_thread(self._line.commit)
        else:
            self._session.sync_session.flush()
            await _in_a_thread(self._session.sync_session.commit)

    def close(self) -> None:
        if self._session is not None:
            self._session.sync_session.close()
        self._line.clear()

    def held(self, key: Key) -> Row | None:
        if self._session is None:
            return self._rows.get(key[0].__tablename__, {}).get(key)
        return self._session.sync_session.identity_map.get(key)

    def hold(self, key: Key, row: Row) -> None:
        self._rows.setdefault(row.__tablename__, {})[key] = row
        if self._session is not None:
            self._session.sync_session.add(row)

    def _settle(self, tables: frozenset[str]) -> None:
        """What a statement on these tables must find there is written first."""
        if self._session is not None:
            self._session.sync_session.flush()
        else:
            self._write_changes(tables)

    def _write_changes(self, tables: Iterable[str]) -> None:
        """What was set in rows of these tables."""
        for name in tables:
            for row in self._rows.get(name, {}).values():
                if is_changed(row):
                    self._write(row)

    def _write(self, row: Row) -> None:
        if changes := take_changes(row):
            params = change_parameters(row, changes)
            plan = change(type(row), frozenset(changes)).plan(self._line.dialect, params)
            self._line.run(plan.sql, plan.arguments(params))


class File:
    """The database in one file. Readers see a snapshot each; writers must come one after the other."""

    def __init__(self, path: Path, writers: Writers) -> None:
        self._writers = writers
        self._engine = create_engine("sqlite://", creator=partial(_open, path), poolclass=NullPool)
        self._writer: Line | None = None
        self._idle: list[Line] = []
        self._is_open = True

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Inline]:
        line = self._idle.pop() if self._idle else self._line()
        try:
            line.begin()
            with _transaction(line) as transaction:
                yield transaction
        finally:
            self._give_back(line)

    @asynccontextmanager
    async def writing(self, *, yields: bool = False) -> AsyncIterator[Inline]:
        """Raises StoreUnavailable while another process keeps the file."""
        if self._writer is None:
            self._writer = self._line()
        async with self._writers.turn(self._writer.lock, yields=yields):
            with _transaction(self._writer) as transaction:
                yield transaction

    def hurry(self, seconds: float) -> None:
        self._writers.hurry(seconds)

    async def close(self) -> None:
        for line in (*self._idle, self._writer):
            if line is not None:
                line.connection.close()
        self._writer, self._idle, self._is_open = None, [], False
        self._engine.dispose()

    def _give_back(self, line: Line) -> None:
        if self._is_open and len(self._idle) < _IDLE:
            self._idle.append(line)
        else:
            line.connection.close()

    def _line(self) -> Line:
        return Line(self._engine.connect())


@contextmanager
def _transaction(line: Line) -> Iterator[Inline]:
    transaction = Inline(line)
    try:
        yield transaction
    finally:
        transaction.close()


async def _in_a_thread(wait: Callable[[], None]) -> None:
    await asyncio.get_running_loop().run_in_executor(None, wait)


def _open(path: Path) -> sqlite3.Connection:
    opened = sqlite3.connect(path, timeout=LOCK_PATIENCE, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        opened.execute(f"PRAGMA {pragma}")
    return opened
