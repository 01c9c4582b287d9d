"""Bodies of webhook requests: recorded ones, and whatever strangers may send."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.errors import BadRequest, NotJson, Unprocessable
from channels.types import InboundEvent
from channels.webhook.receive import parse

PAYLOADS = Path(__file__).parents[2] / "payloads" / "webhook"
FILES = sorted(PAYLOADS.glob("*.json"))
MINIMAL: dict[str, Any] = {"chat": {"id": "c1"}, "sender": {"id": "u1"}, "text": "hi"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_payload(file: Path) -> None:
    recorded = json.loads(file.read_text("utf-8"))
    body = recorded["text"].encode() if "text" in recorded else json.dumps(recorded["body"]).encode()
    if "event" in recorded:
        told = _told(parse("msg_1", body))
        assert {field: told[field] for field in recorded["event"]} == recorded["event"]
    else:
        with pytest.raises(Unprocessable) as caught:
            parse("msg_1", body)
        assert caught.value.path == recorded["path"]


def _told(event: InboundEvent) -> dict[str, object]:
    told: dict[str, Any] = asdict(event)
    assert (told["event_key"], len(told["digest"]), told["kind"]) == ("msg_1", 64, "message")
    return told | {"attachments": [{"name": file.name, "url": file.url} for file in event.attachments]}


def test_there_are_payloads() -> None:
    assert len(FILES) > 30


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hi",
        b"[1]",
        b'"text"',
        b"null",
        b"7",
        b"{",
        b'{"a": 1} {"b": 2}',
        b'{"text": NaN}',
        b'{"text": -Infinity}',
        b'{"text": "\xff"}',
        json.dumps(MINIMAL).encode("utf-16"),
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 100_000 + b"}",
    ],
    ids=lambda body: repr(body[:16]),
)
def test_what_is_no_json_object_in_utf8_is_refused(body: bytes) -> None:
    with pytest.raises(NotJson):
        parse("msg_1", body)


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse("msg_1", b"\xef\xbb\xbf" + json.dumps(MINIMAL).encode()).text == "hi"


def test_the_digest_is_of_the_raw_body() -> None:
    """The same id with another body can be told from a repetition (contract 4: 409)."""
    body = json.dumps(MINIMAL).encode()
    assert parse("msg_1", body).digest == hashlib.sha256(body).hexdigest()
    assert parse("msg_1", body + b" ").digest != parse("msg_1", body).digest


def test_an_id_that_no_index_takes_is_refused() -> None:
    with pytest.raises(Unprocessable) as caught:
        parse("m" * 256, json.dumps(MINIMAL).encode())
    assert caught.value.path == "webhook-id"


def test_errors_do_not_repeat_what_was_sent() -> None:
    """X5: what a stranger puts into a field does not get into logs through the error."""
    body = json.dumps(MINIMAL | {"thread": {"password": "hunter2"}}).encode()
    with pytest.raises(Unprocessable) as caught:
        parse("msg_1", body)
    assert "hunter2" not in f"{caught.value!s} {caught.value!r} {caught.value.__cause__!r}"


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_URLS = st.text(max_size=30) | st.text(max_size=30).map("https://{}".format)
_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "chat": st.fixed_dictionaries({}, optional={"id": _ANY, "type": _ANY, "title": _ANY}) | _ANY,
        "thread": _ANY,
        "sender": st.fixed_dictionaries({}, optional={"id": _ANY, "name": _ANY}) | _ANY,
        "text": _ANY,
        "mentioned": _ANY,
        "message_id": _ANY,
        "attachments": st.lists(st.fixed_dictionaries({}, optional={"url": _URLS, "name": _ANY})) | _ANY,
    },
)
_MOSTLY_VALID = st.builds(lambda change: MINIMAL | change, _MESSAGES)


@given(st.binary())
def test_bytes_never_crash_it(body: bytes) -> None:
    """X4, R4: a stranger's input ends as an event or as a refusal."""
    _event_or_refusal(body)


@given(_MESSAGES | _MOSTLY_VALID | _ANY)
def test_json_never_crashes_it(value: object) -> None:
    """X4, R4: the same for JSON of any shape, and what comes out can be stored."""
    event = _event_or_refusal(json.dumps(value).encode())
    if event is not None:
        assert event.chat.id.strip()
        assert event.sender.id.strip()
        assert event.text.strip() or event.attachments
        everything = json.dumps(asdict(event), ensure_ascii=False)
        assert "\\u0000" not in everything.replace("\\\\", "")
        assert everything.encode("utf-8")


def _event_or_refusal(body: bytes) -> InboundEvent | None:
    try:
        return parse("msg_1", body)
    except BadRequest:
        return None
