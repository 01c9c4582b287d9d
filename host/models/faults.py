"""When a model fails: what is worth another try, how long to wait, and what may be said about it.

Rules (contract 3): transient faults are retried up to 4 times within 30 s of the first one, Retry-After honoured.
"""

import random
import re
import secrets

from store.clock import Clock

WINDOW = 30.0
"""Seconds after the first fault in which a retry may begin."""

WAITS = (0.5, 2.0, 6.0, 16.0)
"""Seconds before each retry; with the largest spread they still fit into the window."""

_SPREAD = 0.2
_DICE = random.SystemRandom()
_TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
_FOR_GOOD = (
    "insufficient_quota",
    "exceeded_current_quota_error",
    "billing_hard_limit_reached",
    "credit_balance_exhausted",
    "spend_limit_exceeded",
    "usage_limit_exceeded",
    "context_length_exceeded",
    "invalid_api_key",
    "model_not_found",
)
"""Codes that no waiting mends, whatever the status: an account without money answers 429 like a busy server."""

_SECRET = re.compile(r"\b(?:sk|pk|key|ak)-[\w*.-]{6,}|(?<=Bearer )\S+|(?<=api_key=)[^\s&'\"]+", re.IGNORECASE)
_MASK = "***"
_LONGEST = 500


class RefusedError(Exception):
    """The provider answered with an error. Another try helps if it is `transient`, after `retry_after` seconds."""

    def __init__(self, words: str, *, transient: bool, retry_after: float | None = None) -> None:
        super().__init__(words)
        self.transient = transient
        self.retry_after = retry_after


class CutAnswerError(Exception):
    """The answer ended without the provider saying that it was whole."""

    def __init__(self) -> None:
        super().__init__("the stream ended without a finish reason")


class GarbledAnswerError(Exception):
    """What came is not an answer."""


def refusal(status: int, words: str, retry_after: float | None = None) -> RefusedError:
    """What an HTTP status and the words behind it mean: all but a clear refusal of this request passes by itself."""
    passes = status in _TRANSIENT_STATUS or status >= 500
    transient = passes and not any(code in words for code in _FOR_GOOD)
    return RefusedError(f"status {status}: {words}", transient=transient, retry_after=retry_after)


def is_transient(fault: Exception) -> bool:
    """Whether the same request may succeed a little later."""
    return fault.transient if isinstance(fault, RefusedError) else True


def next_wait(retries: int, since_first: float, asked: float | None, spread: float = 0.0) -> float | None:
    """Seconds until the next try, or None to give up.

    `retries` were made so far, `since_first` seconds have passed since the first fault, the provider `asked` for a
    pause. A pause that leads out of the window is not worth waiting for.
    """
    if retries >= len(WAITS):
        return None
    wait = max(WAITS[retries] * (1 + spread), asked or 0.0)
    return wait if since_first + wait <= WINDOW else None


class Patience:
    """The retries of one answer."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._retries = 0
        self._first: float | None = None

    async def outlasts(self, fault: Exception) -> bool:
        """Wait as the fault demands, spread a little so that many do not return as one. False: it is for good."""
        now = self._clock.monotonic()
        self._first = now if self._first is None else self._first
        asked = fault.retry_after if isinstance(fault, RefusedError) else None
        wait = next_wait(self._retries, now - self._first, asked, _DICE.uniform(0, _SPREAD))
        if wait is None or not is_transient(fault):
            return False
        self._retries += 1
        await self._clock.sleep(wait)
        return True


def describe(fault: Exception, key: str) -> str:
    """What happened, in one line for the log: without the model's key, nothing that looks like one, and not endless."""
    text = " ".join(f"{type(fault).__name__}: {fault}".split())
    text = text.replace(key, _MASK) if key else text
    return _SECRET.sub(_MASK, text)[:_LONGEST]


def new_error_id() -> str:
    """What stands in the person's sentence and in the log."""
    return secrets.token_hex(4)
