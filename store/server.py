"""PostgreSQL: a pool of connections to a server."""

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine

from store.keeping import KeepingSession


class Server:
    """The database behind a URL. Any number may write at once: the rows they lock decide who waits."""

    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url, pool_size=10, max_overflow=10, pool_pre_ping=True)
        self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ")

    def reading(self) -> AsyncSession:
        """All of its statements see the moment of the first one, as on SQLite."""
        return _session(self._snapshots)

    def writing(self) -> AsyncSession:
        return _session(self._engine)

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
