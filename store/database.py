"""The database: one engine, short transactions, and signals that fire only after a commit."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from store.base import Row
from store.clock import Clock
from store.errors import StoreUnavailable
from store.inline import File, Inline
from store.prepared import Prepared, by_key
from store.server import Remote, Server
from store.writers import LOCK_PATIENCE, Writers
from store.writing import is_new

T = TypeVar("T")
R = TypeVar("R", bound=Row)
Access = Inline | Remote
_NOT_REACHABLE = ("08", "53", "57", "55P03", "40")


class Transaction:
    """One open transaction: its rows, the moment it began, and what is to be done once it is durable.

    It has one object for each row. What is set in a row stands in its table before anything looks there, and at the
    end at the latest.
    """

    def __init__(self, access: Access, clock: Clock) -> None:
        self._access = access
        self.now = clock.now()
        self.locked: dict[str, object] = {}
        """Rows that this transaction holds, by table and id: nobody else can change them before it ends."""
        self._signals: list[Callable[[], None]] = []
        self._reversals: list[Callable[[], None]] = []

    @property
    def orm(self) -> AsyncSession:
        """For what is asked seldom: SQLAlchemy's session."""
        return self._access.orm

    async def rows(self, prepared: Prepared[T], **params: Any) -> list[T]:
        """Run the statement with these parameters; the rows of its result."""
        return await self._access.rows(prepared, params)

    async def row(self, prepared: Prepared[T], **params: Any) -> T | None:
        """The first row of the result, None if there is none."""
        return next(iter(await self._access.rows(prepared, params)), None)

    async def get(self, kind: type[R], *key: object) -> R | None:
        """The row of that primary key."""
        found = await self._access.in_hand((kind, key, None))
        if found is None:
            found = await self.row(by_key(kind), **{f"key_{number}": part for number, part in enumerate(key)})
        assert found is None or isinstance(found, kind)
        return found

    async def add(self, row: R) -> R:
        """Insert a new row: it stands in its table when this returns."""
        assert is_new(row)
        await self._access.add(row)
        return row

    async def in_hand(self, kind: type[R], *key: object) -> R | None:
        """The row of that key, if this transaction has made or read it: what it changes then goes through the row."""
        found = await self._access.in_hand((kind, key, None))
        assert found is None or isinstance(found, kind)
        return found

    def after_commit(self, signal: Callable[[], None]) -> None:
        """Call `signal` once the transaction is durable, never if it rolls back. It must not block or raise."""
        self._signals.append(signal)

    def if_undone(self, reversal: Callable[[], None]) -> None:
        """Call `reversal` if the transaction does not commit: what was changed outside of the store goes back too."""
        self._reversals.append(reversal)

    def fire(self) -> None:
        for signal in self._signals:
            signal()

    def undo(self) -> None:
        for reversal in reversed(self._reversals):
            reversal()


@dataclass(frozen=True, kw_only=True)
class Written:
    """How the last write ended: when, on the monotonic clock, and whether the store took it."""

    at: float
    taken: bool


class Database:
    """Runs functions in transactions, on SQLite or PostgreSQL.

    `write` runs a coroutine function in a transaction of its own and shields it from cancellation: it commits
    or rolls back as a whole, then the cancellation goes on. On SQLite writers queue up here rather than inside
    the database, so that none of them ever waits in a busy loop.
    """

    def __init__(self, url: str, clock: Clock, *, lock_patience: float = LOCK_PATIENCE) -> None:
        self.url = url
        self._clock = clock
        self._place = _place(url, lock_patience)
        self.last_write: Written | None = None
        """How the store was when it was last written to: what fails for reasons of its own says nothing about it."""

    @property
    def is_sqlite(self) -> bool:
        return isinstance(self._place, File)

    @property
    def name(self) -> str:
        """Its file, or its name on the server: nothing secret."""
        return make_url(self.url).database or ""

    async def write(self, work: Callable[[Transaction], Awaitable[T]], *, yields: bool = False) -> T:
        """Run `work` in one write transaction. Raises StoreUnavailable if the database cannot take it now.

        Who brings new work `yields`: where writers stand in line, those who finish what has begun come first.
        """
        task = asyncio.ensure_future(self._write(work, yields))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            if not task.cancelled() and (fault := task.exception()) is not None:
                raise asyncio.CancelledError from fault
            raise

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run `work` on one consistent snapshot; what it writes is discarded."""
        await asyncio.sleep(0)  # statements on a file do not suspend: whoever reads in a loop still gives way
        try:
            async with self._place.reading() as access:
                return await work(Transaction(access, self._clock))
        except DBAPIError as fault:
            raise _named(fault) from fault

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """A connection of PostgreSQL outside of any transaction of ours, for locks that last.

        Raises StoreUnavailable.
        """
        assert isinstance(self._place, Server)
        try:
            opened = await self._place.connect()
        except DBAPIError as fault:
            raise _named(fault) from fault
        try:
            yield opened
        finally:
            await opened.close()

    def hurry(self, seconds: float) -> None:
        """The program is about to end: whatever still waits for another process's lock is given up after this."""
        self._place.hurry(seconds)

    async def close(self) -> None:
        await self._place.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _write(self, work: Callable[[Transaction], Awaitable[T]], yields: bool) -> T:
        try:
            result, transaction = await self._transact(work, yields)
        except StoreUnavailable:
            self._note(taken=False)
            raise
        self._note(taken=True)
        transaction.fire()
        return result

    def _note(self, *, taken: bool) -> None:
        self.last_write = Written(at=self._clock.monotonic(), taken=taken)

    async def _transact(self, work: Callable[[Transaction], Awaitable[T]], yields: bool) -> tuple[T, Transaction]:
        try:
            async with self._place.writing(yields=yields) as access:
                transaction = Transaction(access, self._clock)
                try:
                    result = await work(transaction)
                    await access.commit()
                except BaseException:
                    transaction.undo()
                    raise
        except DBAPIError as fault:
            raise _named(fault) from fault
        return result, transaction


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite file."""
    return f"sqlite:///{path}"


def _place(url: str, lock_patience: float) -> File | Server:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return Server(parsed.set(drivername="postgresql+psycopg").render_as_string(hide_password=False))
    if not parsed.database:
        raise ValueError("a SQLite store needs a file")
    return File(Path(parsed.database), Writers(lock_patience))


def _named(fault: DBAPIError) -> Exception:
    """StoreUnavailable for what passes by itself (locked, full, gone); programming faults stay as they are."""
    state = getattr(fault.orig, "sqlstate", None)
    if state is not None:
        return StoreUnavailable(str(fault.orig)) if state.startswith(_NOT_REACHABLE) else fault
    passing = isinstance(fault, (OperationalError, InterfaceError)) or fault.connection_invalidated
    return StoreUnavailable(str(fault.orig)) if passing else fault
