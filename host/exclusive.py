"""One `serve` at a time: the embedded engine owns its store for as long as it lives."""

import fcntl
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from host.errors import AlreadyServing
from store.clock import Clock
from store.database import Database
from store.locks import SERVE, try_lock, unlock

PATIENCE = 10.0
_PAUSE = 0.2


@asynccontextmanager
async def exclusive(
    database: Database, data_dir: Path, clock: Clock, patience: float = PATIENCE
) -> AsyncIterator[None]:
    """Hold the store alone: by a locked file in `data_dir` (SQLite) or an advisory lock (PostgreSQL).

    Waits up to `patience` seconds for a predecessor that is just stopping, then raises AlreadyServing. The lock ends
    with the process, however it dies.
    """
    holding = _holding_file(data_dir / "serve.lock", clock, patience)
    if not database.is_sqlite:
        holding = _holding_advisory_lock(database, clock, patience)
    async with holding:
        yield


@asynccontextmanager
async def _holding_file(path: Path, clock: Clock, patience: float) -> AsyncIterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    async def attempt() -> bool:
        return _flock(file)

    try:
        if not await _within(patience, clock, attempt):
            raise AlreadyServing(str(path.parent), _written_by(file))
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)


@asynccontextmanager
async def _holding_advisory_lock(database: Database, clock: Clock, patience: float) -> AsyncIterator[None]:
    async with database.connection() as connection:

        async def attempt() -> bool:
            return await try_lock(connection, SERVE)

        if not await _within(patience, clock, attempt):
            raise AlreadyServing(database.name, None)
        try:
            yield
        finally:
            await unlock(connection, SERVE)


async def _within(patience: float, clock: Clock, attempt: Callable[[], Awaitable[bool]]) -> bool:
    """Try until it succeeds or the time is up. The only wait here that asks again: no signal tells of a freed lock."""
    end = clock.monotonic() + patience
    while not await attempt():
        if clock.monotonic() >= end:
            return False
        await clock.sleep(_PAUSE)
    return True


def _flock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _written_by(file: int) -> int | None:
    written = os.pread(file, 20, 0)
    return int(written) if written.isdigit() else None
