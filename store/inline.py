"""SQLite where the program runs: no thread and no change of coroutine for a statement.

A statement on a local file takes some ten microseconds. The usual asyncio driver hands each one to a thread, and
SQLAlchemy's asyncio layer changes greenlets several times for each: both cost many times the work. So here a plain
session stands behind the coroutine methods of an asyncio one, and only what may really wait goes to a thread: COMMIT,
which waits for the disk. What every message asks does without that session too (`store.prepared`): a transaction has
none before somebody asks for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from store.base import Row
from store.errors import StoreUnavailable
from store.keeping import KeepingSession
from store.line import Line, open_file
from store.plan import Plan
from store.prepared import Prepared
from store.readers import Key
from store.writers import Writers
from store.writing import change, change_parameters, changes_of, insertion, is_changed, written

P = ParamSpec("P")
T = TypeVar("T")

_IDLE: Final = 4
"""Lines that are kept open for the next readers."""


class InlineSession(AsyncSession):
    """The methods that transactions use; none of them suspends."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(sync_session_class=KeepingSession, expire_on_commit=False)
        self.sync_session.bind = connection

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


class Inline:
    """One transaction on a line."""

    def __init__(self, line: Line, committer: Executor) -> None:
        self._line = line
        self._committer = committer
        self._rows: dict[str, dict[Key, Row]] = {}
        """By the name of their table."""
        self._session: InlineSession | None = None
        self._fault: DBAPIError | None = None
        """After a fault SQLite may have taken everything back by itself: nothing more is done, as on PostgreSQL."""

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
        return [plan.read(values, self) for values in self._run(plan, params)]

    async def add(self, row: Row) -> None:
        new = insertion(type(row))
        made = await self.rows(new.statement, new.complete(row))
        self.hold(new.done(row, *made), row)

    async def in_hand(self, key: Key) -> Row | None:
        return self.held(key)

    async def commit(self) -> None:
        self._refuse_after_a_fault()
        if self._session is None:
            self._write_changes(self._rows)
            await self._waiting_for_the_disk(self._line.commit)
        else:
            self._session.sync_session.flush()
            await self._waiting_for_the_disk(self._session.sync_session.commit)

    def close(self) -> None:
        try:
            if self._session is not None:
                self._session.sync_session.close()
        finally:
            self._line.clear()

    def held(self, key: Key) -> Row | None:
        if self._session is None:
            return self._rows.get(key[0].__tablename__, {}).get(key)
        return self._session.sync_session.identity_map.get(key)

    def hold(self, key: Key, row: Row) -> None:
        self._rows.setdefault(row.__tablename__, {})[key] = row
        if self._session is not None:
            self._session.sync_session.add(row)

    async def _waiting_for_the_disk(self, commit: Callable[[], None]) -> None:
        """Whoever is cancelled meanwhile keeps the file until it is known how the COMMIT ended."""
        committing = asyncio.get_running_loop().run_in_executor(self._committer, commit)
        try:
            await asyncio.shield(committing)
        except asyncio.CancelledError:
            await asyncio.wait([committing])
            raise

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
        if changes := changes_of(row):
            params = change_parameters(row, changes)
            self._run(change(type(row), frozenset(changes)).plan(self._line.dialect, params), params)
        written(row)

    def _run(self, plan: Plan, params: Mapping[str, Any]) -> list[Any]:
        self._refuse_after_a_fault()
        try:
            return self._line.run(plan.sql, plan.arguments(params))
        except DBAPIError as fault:
            self._fault = fault
            raise

    def _refuse_after_a_fault(self) -> None:
        if self._fault is not None:
            raise self._fault


class File:
    """The database in one file. Readers see a snapshot each; writers must come one after the other."""

    def __init__(self, path: Path, writers: Writers) -> None:
        self._writers = writers
        self._engine = create_engine("sqlite://", creator=partial(open_file, path), poolclass=NullPool)
        self._writer: Line | None = None
        self._idle: list[Line] = []
        self._committer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="commit")
        """Not the loop's own threads: six host names that nobody resolves would hold up the store."""
        self._is_open = True

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Inline]:
        line = self._idle.pop() if self._idle else self._line()
        try:
            line.begin()
            with self._transaction(line) as transaction:
                yield transaction
        finally:
            self._give_back(line)

    @asynccontextmanager
    async def writing(self, *, yields: bool = False) -> AsyncIterator[Inline]:
        """Raises StoreUnavailable while another process keeps the file."""
        async with self._writers.turn(self._lock, yields=yields):
            assert self._writer is not None
            try:
                with self._transaction(self._writer) as transaction:
                    yield transaction
            finally:
                if self._writer.is_broken:
                    self._writer.connection.close()
                    self._writer = None

    def hurry(self, seconds: float) -> None:
        self._writers.hurry(seconds)

    async def close(self) -> None:
        """Once the writer whose turn it is has ended; those behind it are refused."""
        self._is_open = False
        with suppress(StoreUnavailable):
            async with self._writers.turn(lambda: ""):
                pass
        for line in (*self._idle, self._writer):
            if line is not None:
                line.connection.close()
        self._writer, self._idle = None, []
        self._engine.dispose()
        self._committer.shutdown()

    def _lock(self) -> str:
        if not self._is_open:
            raise StoreUnavailable("the store is closed")
        if self._writer is None:
            self._writer = self._line()
            self._writer.run("PRAGMA busy_timeout=0", [])  # it is `Writers` that wait
        return self._writer.lock()

    @contextmanager
    def _transaction(self, line: Line) -> Iterator[Inline]:
        transaction = Inline(line, self._committer)
        try:
            yield transaction
        finally:
            transaction.close()

    def _give_back(self, line: Line) -> None:
        if self._is_open and not line.is_broken and len(self._idle) < _IDLE:
            self._idle.append(line)
        else:
            line.connection.close()

    def _line(self) -> Line:
        return Line(self._engine.connect())
