"""Advisory locks of PostgreSQL: held by a connection, gone with it."""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

UPGRADE: Final = 7_201_845_311
SERVE: Final = 7_201_845_312


async def lock_for_transaction(orm: AsyncSession, key: int) -> None:
    """Wait for `key` and hold it until the session's transaction ends."""
    await orm.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


async def try_lock(connection: AsyncConnection, key: int) -> bool:
    """Take `key` for as long as the connection lives, if nobody else has it."""
    return bool(await connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}))


async def unlock(connection: AsyncConnection, key: int) -> None:
    """Give `key` back: the connection itself goes on living in the pool."""
    await connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": key})
