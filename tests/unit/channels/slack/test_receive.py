"""Requests to the hook: verified before anything is read (X4), then one shape for all of Slack's bodies."""

import json
import time
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from channels.errors import BadRequest, NotConfigured, Unverified
from channels.slack.channel import SlackChannel
from channels.slack.receive import read_request
from channels.slack.settings import SlackSettings
from channels.slack.signature import sign, verify
from channels.types import HookRequest

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
NOW = datetime.fromtimestamp(1_531_420_618, UTC)
BODY = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&"
    b"channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&"
    b"command=%2Fwebhook-collect&text=&"
    b"response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&"
    b"trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)
SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
"""Slack's own published example."""


def _headers(**changes: str) -> dict[str, str]:
    base = {"x-slack-request-timestamp": "1531420618", "x-slack-signature": SIGNATURE}
    return base | {name.replace("_", "-"): value for name, value in changes.items()}


def test_slacks_published_example_is_verified() -> None:
    """X4."""
    verify(SECRET, _headers(), BODY, NOW)
    assert sign(SECRET, "1531420618", BODY) == SIGNATURE


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, BODY),
        ({"x-slack-signature": SIGNATURE}, BODY),
        ({"x-slack-request-timestamp": "1531420618"}, BODY),
        (_headers(x_slack_signature="v0=00"), BODY),
        (_headers(x_slack_signature=SIGNATURE.upper()), BODY),
        (_headers(x_slack_signature="\udcff"), BODY),
        (_headers(x_slack_request_timestamp="not a number"), BODY),
        (_headers(x_slack_request_timestamp="1531420000"), BODY),
        (_headers(x_slack_request_timestamp="٣"), BODY),
        (_headers(), BODY + b" "),
    ],
)
def test_anything_doubtful_is_refused(headers: dict[str, str], body: bytes) -> None:
    """X4, contract 8: missing, wrong, stale, or of another body: 401."""
    with pytest.raises(Unverified):
        verify(SECRET, headers, body, NOW)


def test_without_a_secret_nothing_is_verified() -> None:
    with pytest.raises(Unverified):
        verify("", _headers(), BODY, NOW)


def test_the_three_shapes_of_a_body() -> None:
    event = read_request(json.dumps({"type": "event_callback", "event": {}}).encode())
    assert (event.kind, event.challenge) == ("events_api", "")
    command = read_request(BODY)
    assert (command.kind, command.payload["user_name"]) == ("slash_commands", "roadrunner")
    press = read_request(urlencode({"payload": json.dumps({"type": "block_actions"})}).encode())
    assert (press.kind, press.payload["type"]) == ("interactive", "block_actions")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"{}", b"x", b"a=1", b"payload=x", b"payload=[]", b"[" * 99_999, b"\xff"]
)
def test_rubbish_is_a_bad_request(body: bytes) -> None:
    """R4."""
    with pytest.raises(BadRequest):
        read_request(body)


def _channel(**more: str) -> SlackChannel:
    return SlackChannel(SlackSettings(id="s", bot_token="xoxb-1", **more))  # type: ignore[arg-type]


def _request(body: bytes) -> HookRequest:
    timestamp = str(int(time.time()))
    signature = sign(SECRET, timestamp, body)
    return HookRequest(headers={"x-slack-request-timestamp": timestamp, "x-slack-signature": signature}, body=body)


async def test_the_challenge_is_answered_before_the_channel_is_connected() -> None:
    """Issue 4, 1: Slack asks when the address is entered."""
    body = json.dumps({"type": "url_verification", "challenge": "abc"}).encode()
    answer = await _channel(signing_secret=SECRET).hook(_request(body))
    assert (answer.status, answer.body) == (200, {"challenge": "abc"})


async def test_a_socket_channel_takes_no_requests() -> None:
    """X4: whoever knows the address still is nobody."""
    with pytest.raises(Unverified):
        await _channel(app_token="xapp-1", signing_secret=SECRET).hook(_request(b"{}"))


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"bot_token": "xoxp-1", "app_token": "xapp-1"}, "xoxb-"),
        ({"bot_token": "xoxb-1", "app_token": "xoxb-2"}, "xapp-"),
        ({"bot_token": "xoxb-1"}, "signing_secret"),
        ({"bot_token": "xoxb-1", "app_token": "xapp-1", "base_url": "slack.com"}, "base_url"),
    ],
)
def test_a_wrong_setting_is_said_without_the_secret(keys: dict[str, str], word: str) -> None:
    """X5."""
    with pytest.raises(NotConfigured, match=word) as told:
        SlackSettings(id="s", **keys)  # type: ignore[arg-type]
    assert "xoxp-1" not in str(told.value)
    assert "xoxb-2" not in str(told.value)


def test_settings_show_no_secret() -> None:
    """X5."""
    shown = repr(SlackSettings(id="s", bot_token="xoxb-hush", app_token="xapp-hush", signing_secret="hush"))
    assert "hush" not in shown
