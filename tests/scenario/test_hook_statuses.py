"""What a webhook request is answered when something is wrong with it, in the order of contract 4."""

import json
import time
from typing import Any

import pytest

from tests.support import signing
from tests.support.casts import always, cast
from tests.support.guest import Guest
from tests.support.keys import secret_of
from tests.support.signing import Reply, headers_for, sign
from tests.support.world import World

LIMIT = 1_048_576


@pytest.fixture
def guest(studio: World) -> Guest:
    studio.model.play = cast(always("好的。"))
    return studio.guest()


async def _post(studio: World, guest: Guest, content: Any, **how: Any) -> Reply:
    how = {"secret": guest.secret} | how
    return await signing.post(studio.http, guest.hook, content, **how)


async def test_an_unknown_channel_is_404_whatever_else_is_wrong(studio: World, guest: Guest) -> None:
    guest.hook = f"{studio.program.url}/hooks/nowhere"
    assert (await _post(studio, guest, b"x" * (LIMIT + 1))).status == 404
    reply = await _post(studio, guest, b"{}", more={"webhook-signature": "v1,AAAA"})
    assert reply.status == 404
    assert set(reply.body["error"]) >= {"code", "message"}


async def test_an_oversize_body_is_413_before_its_signature_is_looked_at(studio: World, guest: Guest) -> None:
    reply = await _post(studio, guest, b"x" * (LIMIT + 1), more={"webhook-signature": "v1,AAAA"})
    assert reply.status == 413


async def test_a_body_of_exactly_one_mebibyte_is_taken(studio: World, guest: Guest) -> None:
    bare = json.dumps(guest.body("") | {"text": "在吗", "filler": ""}).encode()
    body = json.dumps(guest.body("") | {"text": "在吗", "filler": "x" * (LIMIT - len(bare))}).encode()
    assert len(body) == LIMIT
    assert (await _post(studio, guest, body)).status == 202
    await guest.hears(1)


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
async def test_a_missing_header_is_401(studio: World, guest: Guest, missing: str) -> None:
    """X4: also when the body is no JSON."""
    headers = headers_for(guest.secret, b"no json")
    del headers[missing]
    async with studio.http.post(guest.hook, data=b"no json", headers=headers) as response:
        assert response.status == 401


async def test_a_bad_signature_is_401_before_the_body_is_parsed(studio: World, guest: Guest) -> None:
    """X4: forged, of another channel's secret, without a version, of other bytes, with a damaged time."""
    body = json.dumps(guest.body("在吗")).encode()
    now = int(time.time())
    forged = (
        "v1,AAAA",
        "v1,",
        "AAAA",
        "v2," + sign(guest.secret, "m", now, body)[3:],
        "v1,Ä".encode().decode("latin-1"),
    )
    for signature in forged:
        reply = await _post(studio, guest, b"no json", message_id="m", at=now, more={"webhook-signature": signature})
        assert reply.status == 401, signature
    assert (await _post(studio, guest, body, secret=secret_of("second"))).status == 401
    other = {"webhook-signature": sign(guest.secret, "m", now, body + b" ")}
    assert (await _post(studio, guest, body, message_id="m", at=now, more=other)).status == 401
    assert (await _post(studio, guest, body, more={"webhook-timestamp": "yesterday"})).status == 401


@pytest.mark.parametrize("seconds", [-310, 310])
async def test_a_stale_signature_is_401(studio: World, guest: Guest, seconds: int) -> None:
    """X4: older or newer than 300 seconds."""
    assert (await _post(studio, guest, guest.body("在吗"), at=int(time.time()) + seconds)).status == 401


async def test_one_of_several_signatures_suffices(studio: World, guest: Guest) -> None:
    body, now = json.dumps(guest.body("在吗")).encode(), int(time.time())
    several = f"v1,AAAA v1a,BBBB {sign(guest.secret, 'several', now, body)}"
    more = {"webhook-signature": several}
    reply = await _post(studio, guest, body, message_id="several", at=now, more=more)
    assert reply.status == 202
    await guest.hears(1)


@pytest.mark.parametrize("body", [b"", b"no json", b'{"text": ', b"\xff\xfe", b"[1]", b'"text"', b"null"])
async def test_what_is_no_json_object_is_400(studio: World, guest: Guest, body: bytes) -> None:
    assert (await _post(studio, guest, body)).status == 400


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"chat": None}, "chat"),
        ({"chat": {"type": "private"}}, "chat.id"),
        ({"chat": {"id": "", "type": "private"}}, "chat.id"),
        ({"chat": {"id": {}, "type": "private"}}, "chat.id"),
        ({"chat": {"id": "c1", "type": "channel"}}, "chat.type"),
        ({"sender": {"name": "Ann"}}, "sender.id"),
        ({"sender": "u1"}, "sender"),
        ({"text": None}, "text"),
        ({"text": "  "}, "text"),
        ({"attachments": [{"name": "a.pdf"}]}, "attachments[0].url"),
        ({"attachments": "a.pdf"}, "attachments"),
    ],
)
async def test_a_wrong_field_is_422_with_its_path(
    studio: World, guest: Guest, change: dict[str, Any], path: str
) -> None:
    reply = await _post(studio, guest, guest.body("在吗") | change)
    assert (reply.status, reply.code) == (422, "PARAM_INVALID"), reply.body
    assert reply.body["error"]["details"]["path"] == path


async def test_nothing_of_a_refused_request_is_stored(studio: World, guest: Guest) -> None:
    """Contract 4: the same id, sent right, is a first delivery."""
    assert (await _post(studio, guest, b"no json", message_id="late")).status == 400
    assert (await _post(studio, guest, guest.body("在吗") | {"chat": {}}, message_id="late")).status == 422
    assert (await _post(studio, guest, guest.body("在吗"), message_id="late", secret=secret_of("solo"))).status == 401
    reply = await guest.say("在吗", message="late")
    assert reply.body["duplicate"] is False
    await guest.hears(1)


async def test_unknown_keys_are_ignored(studio: World, guest: Guest) -> None:
    assert (await guest.send("在吗", future={"a": 1}, mentioned=True)).status == 202
    await guest.hears(1)


async def test_other_methods_are_405(studio: World, guest: Guest) -> None:
    async with studio.http.put(guest.hook, data=b"{}") as response:
        assert response.status == 405
