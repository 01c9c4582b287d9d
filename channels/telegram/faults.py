"""What a failed call means: the outcomes, from Telegram's answers and from the network's. Pure.

Telegram has no idempotency key, so only what surely was not executed may simply be sent again: refused connections,
connect and pool time-outs, and answers below 500. Everything else that was written may have been executed.
"""

from typing import Final

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    TelegramError,
)

from channels.types import Outcome, Rejected, Retryable, Uncertain

PARKED: Final = 3600.0
"""Seconds until a chat is tried again that does not let the bot speak: it was blocked, or thrown out."""

REFUSED: Final = 30.0
"""Seconds after a 401 or 404: a proxy may have said so, else only the owner can help."""

_NOT_WRITTEN: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)


class ServerFault(NetworkError):
    """Telegram answered with a 5xx: hardly executed, but not surely not."""


class Pause(TelegramError):
    """Telegram answered 429: nothing was executed, and nothing may be called for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Telegram asks for a pause of {seconds:.0f} s")
        self.seconds = seconds


class TooLarge(NetworkError):
    """Telegram answered 413: nothing was executed."""


class Stopped(TelegramError):
    """The channel stops, and this call was cut."""


class Unsent(TelegramError):
    """The channel is stopped, and this call was not begun."""


def outcome_of(fault: Exception) -> Outcome:
    """Of a call that is not idempotent, such as sendMessage."""
    match fault:
        case Pause(seconds=seconds):
            return Retryable(reason="Telegram asks for a pause", retry_after=seconds)
        case Forbidden():
            return Retryable(reason=reason_of(fault), retry_after=PARKED)
        case BadRequest() | TooLarge() | ChatMigrated():
            return Rejected(reason=reason_of(fault))
        case InvalidToken():
            return Retryable(reason="Telegram does not know this bot (401 or 404)", retry_after=REFUSED)
        case Conflict() | Unsent():
            return Retryable(reason=reason_of(fault))
        case ServerFault():
            return Uncertain(reason=reason_of(fault), answered=True)
    return _of_network(fault)


def _of_network(fault: Exception) -> Outcome:
    cause = fault.__cause__
    if isinstance(cause, _NOT_WRITTEN):
        return Retryable(reason=f"Telegram cannot be reached ({type(cause).__name__})")
    if isinstance(cause, UnicodeError):
        return Rejected(reason="the text cannot be encoded")
    return Uncertain(reason=f"the call to Telegram got no usable answer ({type(cause or fault).__name__})")


def outcome_of_edit(fault: Exception) -> Outcome:
    """Of an idempotent call: what is uncertain is simply done again."""
    outcome = outcome_of(fault)
    return Retryable(reason=outcome.reason) if isinstance(outcome, Uncertain) else outcome


def reason_of(fault: Exception) -> str:
    """Telegram's own words; what the library adds of its own may hold the token and is left out."""
    return (
        str(fault)
        if isinstance(fault, BadRequest | Forbidden | Conflict | ServerFault | Unsent)
        else type(fault).__name__
    )
