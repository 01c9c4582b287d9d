"""Standard Webhooks signatures, proved against the standard's own library."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from channels.errors import NotConfigured, Unverified
from channels.webhook.settings import WebhookSettings
from channels.webhook.signature import read_secret, sign, verify

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
KEY = read_secret(SECRET)
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
BODY = '{"text": "你好"}'.encode()


def signed(body: bytes = BODY, *, at: datetime = NOW, message_id: str = "msg_1") -> dict[str, str]:
    """Headers made by the standard's library."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(SECRET).sign(message_id, at, body.decode()),
    }


def test_a_signature_of_the_standard_library_is_accepted() -> None:
    assert verify(KEY, signed(), BODY, NOW) == "msg_1"


def test_our_signature_is_accepted_by_the_standard_library() -> None:
    now = datetime.now(UTC)
    assert Webhook(SECRET).verify(BODY, sign(KEY, "msg_2", now, BODY)) == json.loads(BODY)


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
@pytest.mark.parametrize("how", ["absent", "empty"])
def test_a_missing_header_is_refused(missing: str, how: str) -> None:
    """X4"""
    headers = {name: value for name, value in signed().items() if name != missing}
    if how == "empty":
        headers[missing] = ""
    with pytest.raises(Unverified):
        verify(KEY, headers, BODY, NOW)


def test_no_headers_at_all_are_refused() -> None:
    """X4"""
    with pytest.raises(Unverified):
        verify(KEY, {}, BODY, NOW)


@pytest.mark.parametrize("seconds", [-300, -1, 0, 299, 300])
def test_a_fresh_request_is_accepted(seconds: int) -> None:
    """X4: five minutes to both sides."""
    verify(KEY, signed(at=NOW + timedelta(seconds=seconds)), BODY, NOW)


@pytest.mark.parametrize("seconds", [-86400, -301, 301, 86400])
def test_a_stale_request_is_refused(seconds: int) -> None:
    """X4"""
    with pytest.raises(Unverified):
        verify(KEY, signed(at=NOW + timedelta(seconds=seconds)), BODY, NOW)


@pytest.mark.parametrize(
    "timestamp", ["now", "1e9", "-1", "+1767268800", " 1767268800", "１７６７２６８８００", "9" * 5000, "1.5"]
)
def test_a_timestamp_that_is_no_unix_time_is_refused(timestamp: str) -> None:
    """X4: even if it is what was signed."""
    with pytest.raises(Unverified):
        verify(KEY, signed_at(timestamp), BODY, NOW)


def signed_at(timestamp: str) -> dict[str, str]:
    """Headers whose signature is right for a timestamp that is not."""
    digest = hmac.new(KEY, f"msg_1.{timestamp}.".encode() + BODY, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": signature}


def test_the_hand_made_signature_is_right() -> None:
    verify(KEY, signed_at(str(int(NOW.timestamp()))), BODY, NOW)


def test_an_empty_id_is_refused_even_if_it_was_signed() -> None:
    """It could not tell one request from another."""
    with pytest.raises(Unverified):
        verify(KEY, signed(message_id=""), BODY, NOW)


def test_one_right_signature_among_several_is_enough() -> None:
    right = signed()["webhook-signature"]
    wrong = "v1," + base64.b64encode(b"x" * 32).decode()
    for signatures in (f"{wrong} {right}", f"{right} {wrong}", f"v1a,abc v2,def nonsense ,  {right}"):
        verify(KEY, signed() | {"webhook-signature": signatures}, BODY, NOW)


def test_only_version_one_counts() -> None:
    right = signed()["webhook-signature"].removeprefix("v1,")
    for signature in (right, f"v1a,{right}", f"v2,{right}", f"V1,{right}", f",{right}", f"v1={right}", f"v1 ,{right}"):
        with pytest.raises(Unverified):
            verify(KEY, signed() | {"webhook-signature": signature}, BODY, NOW)


@pytest.mark.parametrize("signature", ["v1,", "v1,====", "v1,é", "v1,\udcff", "v1," + "A" * 100_000, "v1", ",", " "])
def test_rubbish_signatures_are_refused(signature: str) -> None:
    with pytest.raises(Unverified):
        verify(KEY, signed() | {"webhook-signature": signature}, BODY, NOW)


def test_what_was_signed_cannot_be_changed() -> None:
    """X4: not the body, not the id, not the time, not the secret."""
    later = str(int(NOW.timestamp()) + 1)
    for headers, body, key in (
        (signed(), BODY + b" ", KEY),
        (signed() | {"webhook-id": "msg_2"}, BODY, KEY),
        (signed() | {"webhook-timestamp": later}, BODY, KEY),
        (signed(), BODY, b"another key of the same length.."),
    ):
        with pytest.raises(Unverified):
            verify(key, headers, body, NOW)


def test_an_id_of_bytes_that_are_no_text_is_refused() -> None:
    with pytest.raises(Unverified):
        verify(KEY, signed() | {"webhook-id": "msg_\udcff"}, BODY, NOW)


@given(st.dictionaries(st.sampled_from(list(signed())), st.text(st.characters())), st.binary())
def test_strangers_never_get_in_and_never_crash_it(headers: dict[str, str], body: bytes) -> None:
    """X4"""
    with pytest.raises(Unverified):
        verify(KEY, headers, body, NOW)


@pytest.mark.parametrize(
    "secret", ["", "whsec_", "whsec_%%%", "whsec_abc", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_é"]
)
def test_a_secret_that_is_none_is_refused_in_one_sentence(secret: str) -> None:
    """X5: without repeating it."""
    with pytest.raises(NotConfigured) as caught:
        WebhookSettings(id="hook", secret=secret)
    assert "\n" not in str(caught.value)
    assert not secret.removeprefix("whsec_") or secret.removeprefix("whsec_") not in str(caught.value)


@pytest.mark.parametrize("url", ["example.com", "ftp://example.com", "http://", "https://x y", "https://x:99999/"])
def test_a_callback_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(NotConfigured):
        WebhookSettings(id="hook", secret=SECRET, callback_url=url)


def test_settings_never_show_their_secrets() -> None:
    """X5: a callback URL may carry a token."""
    settings = WebhookSettings(id="hook", secret=SECRET, callback_url="https://example.com/in?token=hunter2")
    assert SECRET not in repr(settings)
    assert "hunter2" not in repr(settings)
