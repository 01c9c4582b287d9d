"""Lanes: names whose work runs one at a time, in order. The port; engines stand beside it."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol

from store.database import Transaction

Drain = Callable[[str], Awaitable[None]]
"""Takes the lane's next item until none is left."""


class Lanes(Protocol):
    """The engine only guarantees that a lane with pending work is drained by exactly one worker, in order."""

    async def wake(self, tx: Transaction, lane: str) -> None:
        """Once `tx` is durable, `lane` is drained (again, if it is being drained just now)."""

    async def wake_at(self, tx: Transaction, lane: str, when: datetime) -> None:
        """The same, not before `when`. Of several such times of a lane the earliest is sure to come.

        So a drain that leaves work which is not due yet asks for the next time itself, at a restart too.
        """

    async def run(self, drain: Drain) -> None:
        """Work until cancelled."""
