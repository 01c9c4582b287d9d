"""What becomes of a delivery after an attempt: a pure policy."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from channels.types import Outcome, Rejected, Retryable, Sent, Uncertain
from store.outbox import Delivery

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 600.0
"""Seconds of the first and the longest back-off."""

PATIENCE: Final = timedelta(hours=24)
"""How long a delivery is tried, counted from its own first attempt."""


Doubt = Literal["", "answered", "cut"]
"""What is unknown of an attempt: nothing; whether it worked though the platform said no; anything."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """The platform has it."""

    platform_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Again:
    """Try again at `due_at`; the chat's later messages wait. `doubt` says if the attempt may have arrived."""

    due_at: datetime
    reason: str
    doubt: Doubt = ""


@dataclass(frozen=True, kw_only=True)
class Dead:
    """A dead letter: it stays visible, the chat goes on."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Open:
    """Nobody can tell whether it arrived, and it was sent again already; it stays visible as uncertain."""

    reason: str


Decision = Done | Again | Dead | Open


def pause_after(attempts: int, jitter: float) -> float:
    """Seconds of back-off after that many attempts: 1, 2, 4 … 600, up to a quarter more by `jitter` (0 to 1)."""
    doubled = FIRST_PAUSE * 2.0 ** min(attempts - 1, 20)
    return min(LONGEST_PAUSE, doubled * (1 + jitter / 4))


def decide_after(
    outcome: Outcome, delivery: Delivery, now: datetime, *, repeatable: bool = True, jitter: float = 0.0
) -> Decision:
    """What follows from the outcome of the delivery's last attempt.

    `repeatable`: the receiver recognises a message that comes twice, so an uncertain one is simply sent again.
    Elsewhere it is sent again marked: after an answered 5xx as long as it takes, after a cut once.
    A platform's own `retry_after` is kept however long it is: the attempt after it is always made.
    """
    match outcome:
        case Sent(platform_id=platform_id):
            return Done(platform_id=platform_id)
        case Rejected(reason=reason):
            return Dead(reason=reason)
        case Uncertain() if not repeatable:
            return _doubted(outcome, delivery, now, jitter)
        case Uncertain(reason=reason):
            return _again(delivery, now, reason, 0.0, jitter)
        case Retryable(reason=reason, retry_after=retry_after):
            return _again(delivery, now, reason, retry_after, jitter)


def _doubted(outcome: Uncertain, delivery: Delivery, now: datetime, jitter: float) -> Decision:
    is_cut = not outcome.answered
    decision = _again(delivery, now, outcome.reason, 0.0, jitter)
    if (is_cut and delivery.doubt == "cut") or isinstance(decision, Dead):
        return Open(reason=outcome.reason)
    return replace(decision, doubt="cut" if is_cut or delivery.doubt == "cut" else "answered")


def _again(delivery: Delivery, now: datetime, reason: str, retry_after: float, jitter: float) -> Again | Dead:
    if now - (delivery.first_attempt_at or now) >= PATIENCE:
        return Dead(reason=reason)
    pause = max(pause_after(delivery.attempts, jitter), min(retry_after, _FOREVER))
    return Again(due_at=now + timedelta(seconds=pause), reason=reason)


_FOREVER: Final = 366 * 86_400.0
"""A Retry-After beyond a year is a mistake of the platform, and more than a datetime can bear."""
