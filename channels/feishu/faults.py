"""What a failed call means. Pure.

FeishuFault
├── Later        not done, or doing it again is harmless: try again after `retry_after` seconds
│   ├── Exhausted    the monthly quota of API calls is used up
│   └── NotSetUp     the app lacks a permission or an ability; its owner can give it
└── Refusal      the platform said no (`code`, `detail`): never again as it is

Every message carries our id (`uuid`), so a request without a usable answer is simply repeated. Codes may come with any
HTTP status, 200 included. Source: the platform's error lists of im-v1, cardkit-v1 and the general codes.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal

from channels.types import Outcome, Rejected, Retryable

QUOTA_PAUSE: Final = 3600.0
"""Seconds between two tries while the monthly quota is used up: somebody may raise it any time."""

SETUP_PAUSE: Final = 300.0
"""Seconds between two tries while the app lacks a permission or an ability that its owner can give it."""

LONGEST_PAUSE: Final = 12 * 3600.0

BAD_TOKEN: Final = frozenset({99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 99991677})
"""The tenant token is missing, wrong or worn out: fetch a fresh one."""

RATE_OF_APP: Final = frozenset({99991400, 11232, 11233})
RATE_OF_CHAT: Final = frozenset({230020, 11247})
QUOTA: Final = frozenset({99991403})
BUSY: Final = frozenset({1, 230049, 200810, 300120, 1000040343, 99991641, 99991642, 1500, 1503, 5000})
SETUP: Final = frozenset({230006, 230013, 230027, 99991672, 99991401, 10003, 10014, 99991673, 99991674})

GONE: Final = frozenset({230011, 230110, 230019, 230071, 230072, 230050, 230111})
"""The message to reply to, or its topic, takes no reply (any more)."""

AUDITED: Final = frozenset({230022, 230028})
"""The content check refused the words."""

CLOSED: Final = frozenset({230002, 230018, 230029, 230034, 230035, 230038, 230053, 230075, 232009, 232010})
"""The chat takes nothing from this bot, whatever the form."""

MISSING_SCOPE: Final = frozenset({99991672, 230027})

Quiet = Literal["", "chat", "app"]

_DETAIL: Final = re.compile(r"ErrCode:\s*(\d+)")


class FeishuFault(Exception):
    """Any call that did not do what it should."""


class Later(FeishuFault):
    """Try again, not before `retry_after` seconds; meanwhile nothing else may be called (`quiet`: in this chat, by
    this app)."""

    def __init__(self, reason: str, retry_after: float = 0.0, *, quiet: Quiet = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.quiet = quiet


class Exhausted(Later):
    """The tenant's API calls of this month are used up."""


class NotSetUp(Later):
    """The app lacks a permission or an ability."""


class Refusal(FeishuFault):
    """The platform will never take this as it is. `detail` is the inner code of a refused card, 0 without one."""

    def __init__(self, code: int, message: str, status: int = 200) -> None:
        super().__init__(f"code {code}: {message}"[:400])
        self.code = code
        self.message = message
        self.status = status
        found = _DETAIL.search(message)
        self.detail = int(found[1]) if found else 0


def fault_of(status: int, code: int, message: str, headers: Mapping[str, str]) -> FeishuFault:
    """The fault of an answer that is no success. `headers` may be looked up in any case."""
    if code in QUOTA:
        return Exhausted("the tenant's monthly quota of API calls is used up (99991403)", QUOTA_PAUSE)
    if code in RATE_OF_CHAT:
        return Later(f"too many messages in this chat (code {code})", max(pause_of(headers), 1.0), quiet="chat")
    if status == 429 or code in RATE_OF_APP:
        return Later(f"too many calls (code {code})", max(pause_of(headers), 1.0), quiet="app")
    if code in SETUP:
        return NotSetUp(f"the app is not set up for this (code {code}: {message})"[:400], SETUP_PAUSE)
    if status >= 500 or code in BUSY or (code < 0 and status < 400):
        return Later(f"the platform is busy (HTTP {status}, code {code})")
    return Refusal(code, message, status)


def pause_of(headers: Mapping[str, str]) -> float:
    """The seconds that an answer asks to wait for; 0 if it does not say."""
    wishes = (headers.get("x-ogw-ratelimit-reset", ""), headers.get("Retry-After", ""))
    return min(max(map(_seconds, wishes)), LONGEST_PAUSE)


def _seconds(text: str) -> float:
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", text.strip()) else 0.0


def outcome_of(fault: FeishuFault) -> Outcome:
    """What becomes of a delivery."""
    if isinstance(fault, Later):
        return Retryable(reason=fault.reason, retry_after=fault.retry_after)
    return Rejected(reason=str(fault))


def is_about_form(fault: Refusal) -> bool:
    """Whether the same words in a simpler form may be taken."""
    return fault.code not in CLOSED | GONE | AUDITED
