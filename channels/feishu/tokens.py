"""The tenant token: fetched once, kept while it is good, thrown away when the platform says so."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from channels.clock import Clock

MARGIN: Final = 300.0
"""Seconds before its end at which a token is not used any more."""


@dataclass(frozen=True, kw_only=True)
class Token:
    """`lifetime` is in seconds."""

    value: str
    lifetime: float


class Tokens:
    """Hands out one token to everybody; whoever comes while it is being fetched waits for the same call."""

    def __init__(self, fetch: Callable[[], Awaitable[Token]], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._fetching = asyncio.Lock()
        self._value = ""
        self._good_until = 0.0

    async def get(self) -> str:
        """A token that is good now. Raises FeishuFault."""
        async with self._fetching:
            if not self._value or self._clock.monotonic() >= self._good_until:
                token = await self._fetch()
                self._value = token.value
                self._good_until = self._clock.monotonic() + max(token.lifetime - MARGIN, 0.0)
            return self._value

    def drop(self, value: str) -> None:
        """This one is not accepted any more; a newer one stays."""
        if value == self._value:
            self._value = ""
