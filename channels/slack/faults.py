"""What a failed call means: Slack's refusals, the network's faults, and the outcomes of both. Pure.

SlackFault
├── Refusal     Slack says no (`ok: false`), with a code
├── Busy        429: surely not executed, try again after a pause
├── Unsent      it surely never reached Slack
└── Doubt       it was written and got no usable answer, or one that says "some aspect may have succeeded"

Slack has no idempotency key, so what is in doubt must be looked for before it is sent again.
"""

from collections.abc import Mapping
from typing import Any, Final

from slack_sdk.errors import SlackApiError

from channels.types import Outcome, Rejected, Retryable, Uncertain

OWNER_PAUSE: Final = 60.0
"""Seconds until a call is tried again that only the owner can make work (a token, a scope)."""

PARKED: Final = 3600.0
"""Seconds until a channel is tried again that the app is not in: somebody has to invite it."""

_DEFAULT_PAUSE: Final = 5.0
"""Seconds after a 429 that names none."""

LOST_TOKEN: Final = frozenset(
    {
        *("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "access_denied"),
        *("team_access_not_granted", "org_login_required", "ekm_access_denied", "enterprise_is_restricted"),
        "two_factor_setup_required",
    }
)
"""The app cannot do anything in its workspace."""

_OWNERS: Final = LOST_TOKEN | {"missing_scope", "not_allowed_token_type", "no_permission", "messages_tab_disabled"}
_LATER: Final = frozenset({"message_limit_exceeded", "messaging_processing_failed", "team_added_to_org"})
_DOUBTFUL: Final = frozenset({"internal_error", "fatal_error", "request_timeout", "service_unavailable"})
_BUSY: Final = frozenset({"ratelimited", "rate_limited"})


class SlackFault(Exception):
    """Any failed call. Its text never holds a token."""


class Refusal(SlackFault):
    """`code` is Slack's error; `needed` a scope that is missing."""

    def __init__(self, code: str, needed: str = "") -> None:
        super().__init__(f"{code} (needs {needed})" if needed else code)
        self.code = code
        self.needed = needed


class Busy(SlackFault):
    """`retry_after` is in seconds. Slack says so, or our own budget, which keeps us from hearing it."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("Slack asks for a pause")
        self.retry_after = retry_after


class Unsent(SlackFault):
    """Nothing reached Slack."""


class Doubt(SlackFault):
    """`answered`: Slack itself said that it failed."""

    def __init__(self, reason: str, *, answered: bool = False) -> None:
        super().__init__(reason)
        self.answered = answered


def outcome_of(fault: SlackFault) -> Outcome:
    """Of a call that is not idempotent, such as chat.postMessage."""
    match fault:
        case Busy(retry_after=seconds):
            return Retryable(reason=str(fault), retry_after=seconds)
        case Doubt(answered=answered):
            return Uncertain(reason=str(fault), answered=answered)
        case Refusal(code=code):
            return _of_refusal(fault, code)
        case _:
            return Retryable(reason=str(fault))


def outcome_of_edit(fault: SlackFault) -> Outcome:
    """Of an idempotent call: what is uncertain is simply done again."""
    outcome = outcome_of(fault)
    return Retryable(reason=outcome.reason) if isinstance(outcome, Uncertain) else outcome


def _of_refusal(fault: SlackFault, code: str) -> Outcome:
    if code in _OWNERS:
        return Retryable(reason=str(fault), retry_after=OWNER_PAUSE)
    if code in _LATER:
        return Retryable(reason=str(fault), retry_after=_DEFAULT_PAUSE)
    if code == "not_in_channel":
        return Retryable(reason=str(fault), retry_after=PARKED)
    return Rejected(reason=str(fault))


def fault_of(error: SlackApiError) -> SlackFault:
    """What the library's one exception means. Its response comes in three shapes (and `data` may be a text)."""
    response: Any = error.response
    status = getattr(response, "status_code", None) or getattr(response, "status", None) or 0
    data = getattr(response, "data", None)
    answer: Mapping[str, Any] = data if isinstance(data, dict) else {}
    code = str(answer.get("error") or "")
    if status == 429 or code in _BUSY:
        return Busy(_pause(getattr(response, "headers", None) or {}))
    if code in _DOUBTFUL or status >= 500:
        return Doubt(f"Slack answered {code or status}", answered=True)
    if code:
        return Refusal(code, str(answer.get("needed") or ""))
    if 400 <= status < 500:
        return Unsent(f"something between us and Slack answered {status}")
    return Doubt("Slack's answer was unusable")


def _pause(headers: Mapping[str, str]) -> float:
    told = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(told) if told.isascii() and told.isdigit() else _DEFAULT_PAUSE
