"""Servers that end with their test, and the diary of the processes that were started."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from host.mcp.server import Server
from host.mcp.spec import Patience, ServerSpec
from store.clock import Clock
from tests.support.clock import FakeClock
from tests.support.mcp_server import command, noted

CALM = Patience()
HASTY = Patience(run=10, opening=10, listing=0.5, call=0.5, ping=0.5, writing=0.3, stop=1)

Hire = Callable[..., Server]


async def eventually(holds: Callable[[], bool]) -> None:
    """Wait for what another process does: nothing here is told of it."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


class Diary:
    """The processes that were started, oldest first."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def pids(self) -> list[int]:
        return list(noted(self.path))

    def spec(self, *manners: str, approval: tuple[str, ...] = ()) -> ServerSpec:
        env = {"DIARY": str(self.path)}
        return ServerSpec(name="docs", command=tuple(command(*manners)), env=env, approval=approval)


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    return Diary(tmp_path / "diary")


@pytest.fixture
async def hire(clock: FakeClock) -> AsyncIterator[Hire]:
    """`hire(spec)`: a server, not yet opened."""
    async with AsyncExitStack() as stack:

        def hired(spec: ServerSpec, patience: Patience = CALM, by: Clock = clock) -> Server:
            server = Server(spec, by, patience)
            stack.push_async_callback(server.stop)
            return server

        yield hired
