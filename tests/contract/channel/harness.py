"""What a platform's simulator offers so that the channel contract can be proved on it."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from channels.base import Channel, Emit
from channels.types import OutboundMessage, Retryable, Uncertain

RETRY_AFTER = 7
"""Seconds that a BUSY platform asks for."""


class Fault(Enum):
    """What the platform does with one message that we send."""

    NONE = auto()
    BUSY = auto()
    """429 with Retry-After: 7."""
    BROKEN = auto()
    """A 5xx."""
    REFUSED = auto()
    """An answer that says: never."""
    CUT = auto()
    """It reads the request, then the connection ends."""
    HANG = auto()
    """It reads the request and never answers."""
    GARBAGE = auto()
    """It answers, but not in its own protocol."""
    ENDLESS = auto()
    """It takes the message; its answer never ends."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One message that reached the platform: our stable id (if the platform is told one), chat and text."""

    delivery_id: str
    chat_id: str
    text: str


class Harness(Protocol):
    """One channel, not started, and its platform."""

    chat_id: str
    other_chat_id: str
    """Two chats that the platform knows."""
    tells_ids: bool
    """Whether the platform is told our id of a message."""

    @property
    def calls(self) -> list[Call]:
        """Every message that reached the platform."""

    async def start(self, emit: Emit) -> None:
        """Start the channel and wait until it is connected."""

    def shown(self, message: OutboundMessage) -> str:
        """What the platform shows of a message."""

    @property
    def channel(self) -> Channel:
        """What is tried."""

    @property
    def doubt(self) -> type[Retryable] | type[Uncertain]:
        """The outcome of a request that was written and got no usable answer."""

    def script(self, *faults: Fault, chat_id: str = "") -> None:
        """Treat the next messages so (only those of the chat, if one is named), then all well."""

    async def arrived(self, count: int) -> None:
        """Wait until so many messages reached the platform."""

    async def disconnect(self) -> None:
        """The platform's address refuses connections until `reconnect`."""

    async def reconnect(self) -> None:
        """It is there again, at the same address."""

    async def deliver(self, text: str, *, authentic: bool = True) -> bool:
        """A person writes; returns whether the event was acknowledged."""

    async def deliver_raw(self, body: bytes, *, authentic: bool) -> bool:
        """Anybody sends anything."""
