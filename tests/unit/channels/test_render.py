"""What a callback gets, and what its answers mean."""

import json
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.types import OutFile, Rejected, Retryable, Sent
from channels.webhook.render import LONGEST_PAUSE, body, outcome, pause, payload
from tests.unit.channels.samples import MESSAGE, message

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_the_payload_is_the_contracts() -> None:
    """Contract 4, "out": these keys in this order."""
    assert list(payload(MESSAGE).items()) == [
        ("delivery_id", "d1"),
        ("channel_id", "hook"),
        ("chat", {"id": "c1"}),
        ("thread", None),
        ("session_id", "s1"),
        ("job_id", None),
        ("seq", 12),
        ("kind", "member"),
        ("speaker", {"id": "researcher", "name": "研究员", "role": "member"}),
        ("text", "**找到了**"),
        ("display_text", "研究员：**找到了**"),
        ("reply_to", None),
        ("created_at", "2026-01-01T12:00:00.250000Z"),
    ]


def test_a_file_is_told_with_its_address() -> None:
    """Contract 4, "out": a message that is a file has one key more, and no other message has it."""
    file = OutFile(id="f1", name="报告.md", path="/somewhere/here", mime="text/markdown", size=36)
    told = payload(message(file=file), "https://bridge.example/hooks/hook/files")
    assert list(told)[-1] == "attachments"
    assert told["attachments"] == [
        {
            "name": "报告.md",
            "size": 36,
            "mime": "text/markdown",
            "url": "https://bridge.example/hooks/hook/files/f1",
        }
    ]
    assert "/somewhere" not in json.dumps(told)


def test_what_is_there_is_told() -> None:
    told = payload(message(thread="t1", job_id="j1", reply_to="m1"))
    assert (told["thread"], told["job_id"], told["reply_to"]) == ("t1", "j1", "m1")


def test_times_are_utc_with_a_z() -> None:
    local = datetime(2026, 1, 1, 20, tzinfo=timezone(timedelta(hours=8)))
    assert payload(message(created_at=local))["created_at"] == "2026-01-01T12:00:00Z"


def test_the_body_is_utf8_without_escapes() -> None:
    assert "研究员：**找到了**".encode() in body(MESSAGE)
    assert json.loads(body(MESSAGE)) == payload(MESSAGE)


def test_a_lone_surrogate_of_a_model_does_not_stop_the_message() -> None:
    assert json.loads(body(message(text="a\ud800b")))["text"] == "a?b"


@pytest.mark.parametrize("status", [200, 201, 202, 204, 226, 299])
def test_any_2xx_is_success(status: int) -> None:
    assert outcome(status, {}, NOW) == Sent()


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599, 101, 0, 777])
def test_what_may_pass_is_tried_again(status: int) -> None:
    """R3"""
    assert outcome(status, {}, NOW) == Retryable(reason=f"the callback answered {status}")


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308, 400, 401, 403, 404, 410, 413, 415, 422, 451])
def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    """A redirect is never followed: it would carry messages to an address that the owner did not write."""
    assert outcome(status, {"Retry-After": "5"}, NOW) == Rejected(reason=f"the callback answered {status}")


@pytest.mark.parametrize("status", [429, 503, 500])
def test_the_pause_that_the_callback_asks_for_is_told(status: int) -> None:
    """R3: 429 with any Retry-After."""
    assert outcome(status, {"Retry-After": "7"}, NOW) == Retryable(
        reason=f"the callback answered {status}", retry_after=7.0
    )


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 7 ", 7),
        ("1.5", 1.5),
        ("86400000", LONGEST_PAUSE),
        ("9" * 5000, LONGEST_PAUSE),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), 0),
        ("Thu, 01 Jan 2026 12:01:30 -0000", 90),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_PAUSE),
    ],
)
def test_pauses_in_seconds_and_as_dates(header: str, seconds: float) -> None:
    assert pause(header, NOW) == seconds


@pytest.mark.parametrize(
    "header",
    [
        "",
        "-5",
        "soon",
        "nan",
        "inf",
        "1e9",
        "٣",
        "Thu, 01 Jan 99999 12:00:00 GMT",
        "Thu, 01 Jan 2026 12:00:00 +99999999",
    ],
)
def test_a_pause_that_is_none_counts_as_no_wish(header: str) -> None:
    assert pause(header, NOW) == 0


@given(st.text() | st.from_regex(r"\A\w{3}, \d+ \w{3} \d+ \d+:\d+:\d+ [+-]?\w+\Z"))
def test_no_header_crashes_it(header: str) -> None:
    assert 0 <= pause(header, NOW) <= LONGEST_PAUSE
