"""One at a time per name, in the order of arrival."""

import asyncio
from collections.abc import Awaitable, Callable


class Turnstile:
    """Nothing is kept of a name at which nobody waits."""

    def __init__(self) -> None:
        self._last: dict[str, asyncio.Future[None]] = {}

    async def pass_through(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work when everybody before has finished, however they did."""
        before = self._last.get(name)
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._last[name] = mine
        try:
            if before is not None:
                await asyncio.shield(before)
            await work()
        finally:
            mine.set_result(None)
            if self._last.get(name) is mine:
                del self._last[name]

    def __len__(self) -> int:
        return len(self._last)
