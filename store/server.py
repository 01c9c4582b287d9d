"""PostgreSQL: a pool of connections to a server."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine

from store.base import Row
from store.keeping import KeepingSession
from store.prepared import Prepared
from store.readers import Key

T = TypeVar("T")


class Remote:
    """One transaction on a connection: every statement goes through SQLAlchemy's session."""

    def __init__(self, orm: AsyncSession) -> None:
        self.orm = orm

    async def rows(self, prepared: Prepared[T], params: Mapping[str, Any]) -> list[T]:
        result: Any = await self.orm.execute(prepared.statement, dict(params))
        if prepared.width == 0:
            return []
        return list(result.scalars() if prepared.width == 1 else map(tuple, result))

    async def add(self, row: Row) -> None:
        self.orm.add(row)
        await self.orm.flush()

    async def in_hand(self, key: Key) -> Row | None:
        if self.orm.new:
            await self.orm.flush()
        return self.orm.identity_map.get(key)

    async def commit(self) -> None:
        await self.orm.commit()


class Server:
    """The database behind a URL. Any number may write at once: the rows they lock decide who waits."""

    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url, pool_size=10, max_overflow=10, pool_pre_ping=True)
        self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Remote]:
        """All of its statements see the moment of the first one, as on SQLite."""
        async with _session(self._snapshots) as orm:
            yield Remote(orm)

    @asynccontextmanager
    async def writing(self, *, yields: bool = False) -> AsyncIterator[Remote]:
        """Nobody waits in line here, so there is nobody to yield to."""
        async with _session(self._engine) as orm:
            yield Remote(orm)

    async def connect(self) -> AsyncConnection:
        """A connection outside of any transaction of ours, for locks that last."""
        opened = await self._engine.connect()
        return await opened.execution_options(isolation_level="AUTOCOMMIT")

    def hurry(self, seconds: float) -> None:
        """Nobody waits for another program here: rows are locked for moments only."""

    async def close(self) -> None:
        await self._engine.dispose()


def _session(engine: AsyncEngine) -> AsyncSession:
    return AsyncSession(engine, expire_on_commit=False, sync_session_class=KeepingSession)
