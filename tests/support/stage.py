"""A database whose transactions wait where a test wants them to: interleavings are forced, not hoped for."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal, TypeVar

from sqlalchemy import text

from store.clock import Clock
from store.database import Database, Transaction
from tests.support.clock import settle
from tests.support.gate import DEADLINE, Gate

T = TypeVar("T")
When = Literal["before", "inside", "behind"]
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


class StagedDatabase(Database):
    """`hold` names a transaction by its function and says where the next one of that name waits for its gate."""

    def __init__(self, url: str, clock: Clock) -> None:
        super().__init__(url, clock)
        self._gates: defaultdict[tuple[str, When], list[Gate]] = defaultdict(list)

    def hold(self, name: str, when: When) -> Gate:
        """Before it begins; inside, with all its locks and before its commit; behind it, before its caller goes on."""
        gate = Gate()
        self._gates[name, when].append(gate)
        return gate

    async def blocked(self) -> None:
        """Wait until a transaction waits for one that is held inside."""
        await settle()
        if self.is_sqlite:  # nothing there waits for a thread
            return
        async with asyncio.timeout(DEADLINE), self.connection() as connection:
            while not await connection.scalar(text(_WAITING)):
                pass

    async def write(self, work: Callable[[Transaction], Awaitable[T]], *, yields: bool = False) -> T:
        return await self._play(partial(super().write, yields=yields), work)

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._play(super().read, work)

    async def _play(self, run: Callable[..., Awaitable[T]], work: Callable[[Transaction], Awaitable[T]]) -> T:
        name = _name(work)

        async def held(tx: Transaction) -> T:
            result = await work(tx)
            await self._pass(name, "inside")
            return result

        await self._pass(name, "before")
        result = await run(held)
        await self._pass(name, "behind")
        return result

    async def _pass(self, name: str, when: When) -> None:
        if waiting := self._gates[name, when]:
            await waiting.pop(0).wait()


def _name(work: Any) -> str:
    while isinstance(work, partial):
        work = work.func
    return str(getattr(work, "__name__", ""))
