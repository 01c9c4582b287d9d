"""What Slack's answers mean for a delivery."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from channels.slack.faults import PARKED, Busy, Doubt, Refusal, Unsent, fault_of, outcome_of, outcome_of_edit
from channels.types import Rejected, Retryable, Uncertain


def _error(status: int, data: Any, headers: dict[str, str] | None = None) -> SlackApiError:
    response = AsyncSlackResponse(
        client=None, http_verb="POST", api_url="x", req_args={}, data=data, headers=headers or {}, status_code=status
    )
    return SlackApiError("x", response)  # type: ignore[no-untyped-call]


def test_a_429_names_its_pause_whatever_the_error_is_called() -> None:
    """R3: Retry-After, and both spellings."""
    for told in (_error(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": "30"}), _error(429, "slow down")):
        assert isinstance(fault_of(told), Busy)
    fault = fault_of(_error(200, {"ok": False, "error": "rate_limited"}, {"retry-after": "7"}))
    assert isinstance(fault, Busy)
    assert fault.retry_after == 7


@pytest.mark.parametrize(
    ("status", "data"),
    [
        (500, "error"),
        (502, {}),
        (503, {}),
        (200, {"ok": False, "error": "fatal_error"}),
        (200, {"ok": False, "error": "internal_error"}),
        (500, {"ok": False, "error": "service_unavailable"}),
    ],
)
def test_some_aspect_may_have_succeeded(status: int, data: Any) -> None:
    """R1: in doubt, but answered."""
    outcome = outcome_of(fault_of(_error(status, data)))
    assert isinstance(outcome, Uncertain)
    assert outcome.answered
    assert isinstance(outcome_of_edit(fault_of(_error(status, data))), Retryable)


def test_a_page_with_status_200_is_in_doubt() -> None:
    outcome = outcome_of(fault_of(_error(200, {})))
    assert isinstance(outcome, Uncertain)
    assert not outcome.answered


def test_a_proxy_that_refuses_has_sent_nothing() -> None:
    assert isinstance(fault_of(_error(403, {})), Unsent)
    assert isinstance(outcome_of(Unsent("x")), Retryable)


@pytest.mark.parametrize(
    ("code", "kind", "pause"),
    [
        ("channel_not_found", Rejected, None),
        ("is_archived", Rejected, None),
        ("msg_too_long", Rejected, None),
        ("not_in_channel", Retryable, PARKED),
        ("invalid_auth", Retryable, 60.0),
        ("missing_scope", Retryable, 60.0),
        ("message_limit_exceeded", Retryable, 5.0),
    ],
)
def test_a_refusal_ends_or_waits_for_somebody(code: str, kind: type, pause: float | None) -> None:
    """Architecture 7: rejected for ever, or not delivered yet."""
    outcome = outcome_of(Refusal(code))
    assert isinstance(outcome, kind)
    if isinstance(outcome, Retryable):
        assert outcome.retry_after == pause


def test_a_missing_scope_is_named() -> None:
    fault = fault_of(_error(200, {"ok": False, "error": "missing_scope", "needed": "files:write"}))
    assert "files:write" in str(fault)


def test_a_cut_is_in_doubt() -> None:
    assert outcome_of(Doubt("cut")) == Uncertain(reason="cut", answered=False)
