"""What a campaign asks of a platform, whichever it is.

Budgets are not looked at: a program that was killed does not know what it had called a moment before.
"""

from collections.abc import Sequence
from typing import Protocol

from tests.campaign.record import Rules, Shown
from tests.campaign.trouble import Trouble
from tests.support.model_server import ModelServer
from tests.support.program import Program

PATIENCE = 150.0
"""Seconds until a program must be ready: campaigns run beside other work."""


class Stage(Protocol):
    """The program on one platform. Places are numbered as the talk of the case numbers them."""

    kinds: Sequence[str]
    """What a place can be on this platform: a private chat, a group, a thread."""

    rules: Rules
    model: ModelServer
    program: Program
    copies: int
    """How often everything is brought, all at the same instant; every other copy as another event."""

    def open_place(self, number: int, kind: str) -> None:
        """A new chat, group or thread."""

    def say(self, place: int, text: str) -> None:
        """Somebody writes there. The platform brings it until it is taken."""

    @property
    def is_taken(self) -> bool:
        """Whether the program has acknowledged everything that was said."""

    def shown(self, place: int) -> list[Shown]:
        """What the program wrote there, top to bottom."""

    def fail(self, trouble: Trouble) -> None:
        """Put a fault into the platform's script."""

    @property
    def failed(self) -> int:
        """How many of these faults have happened."""

    async def close(self) -> None:
        """The platform is down: nobody can connect, and whoever is connected is cut."""

    async def open(self) -> None:
        """It is back."""

    async def called(self, count: int) -> None:
        """Wait until the program has called the platform so many times more."""


async def start(program: Program) -> None:
    """Start it, however busy the machine is."""
    program.patience = PATIENCE
    await program.start()
