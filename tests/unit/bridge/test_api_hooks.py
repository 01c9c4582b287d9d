"""`/hooks/{channel_id}`: bytes in, the channel's answer or the envelope out."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest

from bridge.supervisor import ChannelHealth
from channels import errors
from channels.types import HookResponse, OutboundMessage, Speaker
from store.database import Database
from tests.support.api_server import Deaf, Site, open_site
from tests.support.clock import FakeClock


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def test_the_channel_gets_the_bytes_as_they_came(site: Site) -> None:
    """X4: nothing is parsed before the channel has verified it."""
    site.channel.answer = HookResponse(status=202, body={"input_id": "i1"}, headers={"X-One": "1"})
    response = await site.post("/hooks/hook?a=b", token="", data=b"\xffnot json", headers={"Webhook-Id": "m1"})
    assert (response.status, response.headers["X-One"], await response.json()) == (202, "1", {"input_id": "i1"})
    (request,) = site.channel.got
    assert (request.body, request.headers["webhook-id"], request.query) == (b"\xffnot json", "m1", {"a": "b"})


@pytest.mark.parametrize(
    ("fault", "status", "code", "details"),
    [
        (errors.Unverified(), 401, "UNAUTHENTICATED", {}),
        (errors.NotJson(), 400, "PARAM_INVALID", {"path": "body"}),
        (errors.Unprocessable("chat.id", "missing"), 422, "PARAM_INVALID", {"path": "chat.id"}),
        (errors.PairingRequired("ABCD2345"), 403, "PAIRING_REQUIRED", {"pairing_code": "ABCD2345"}),
        (errors.Forbidden(), 403, "FORBIDDEN", {}),
        (errors.RateLimited(2.2), 429, "RATE_LIMITED", {}),
        (errors.Conflict(), 409, "IDEMPOTENCY_CONFLICT", {}),
    ],
)
async def test_refusals_have_the_status_of_the_contract(
    site: Site, fault: errors.ChannelError, status: int, code: str, details: dict[str, str]
) -> None:
    """Contract 4: the envelope, in both languages."""
    site.channel.answer = fault
    messages = set()
    for language in ("zh", "en"):
        response = await site.post("/hooks/hook", token="", data=b"{}", headers={"Accept-Language": language})
        error = (await response.json())["error"]
        assert (response.status, error["code"], error["details"]) == (status, code, details)
        messages.add(error["message"])
        assert response.headers.get("Retry-After") == ("3" if status == 429 else None)
    assert len(messages) == 2


async def test_a_wrong_signature_is_called_one(site: Site) -> None:
    """Whoever signs has nowhere to sign in: the 401 of a hook speaks of the signature, in both languages."""
    site.channel.answer = errors.Unverified()
    for language, word in (("zh", "签名"), ("en", "signature")):
        response = await site.post("/hooks/hook", token="", data=b"{}", headers={"Accept-Language": language})
        assert word in (await response.json())["error"]["message"]


async def test_an_unknown_channel_comes_before_everything(site: Site) -> None:
    """Contract 4: 404, then 413, then what the channel says."""
    huge = b"x" * 1_048_577
    assert (await site.refusal("POST", "/hooks/nobody", status=404, data=BytesIO(huge)))[0] == "NOT_FOUND"
    site.channel.answer = errors.Unverified()
    assert (await site.refusal("POST", "/hooks/hook", status=413, data=BytesIO(huge)))[0] == "PAYLOAD_TOO_LARGE"
    assert site.channel.got == []


async def test_a_body_of_exactly_one_mebibyte_is_taken(site: Site) -> None:
    response = await site.post("/hooks/hook", data=BytesIO(b"x" * 1_048_576))
    assert (response.status, len(site.channel.got[0].body)) == (202, 1_048_576)


async def test_a_body_that_does_not_announce_its_size_is_cut_off(site: Site) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b"x" * 65_536

    assert (await site.refusal("POST", "/hooks/hook", status=413, data=endless()))[0] == "PAYLOAD_TOO_LARGE"
    assert site.channel.got == []


async def test_a_body_that_cannot_be_unpacked_is_no_fault_of_ours(site: Site) -> None:
    """X4: anybody may send it, unsigned; it was a 500 and a traceback."""
    for path, token in (("/hooks/hook", ""), (f"/api/sessions/{await site.open('loner')}/files", None)):
        more = {} if token is None else {"token": token}
        packed = {"Content-Encoding": "gzip"}
        code, details = await site.refusal("POST", path, status=400, data=b"garbage", headers=packed, **more)
        assert (code, details) == ("PARAM_INVALID", {"path": "body"})


async def test_a_channel_without_hooks_is_not_found(site: Site) -> None:
    site.switchboard.running["deaf"] = Deaf("deaf")
    assert (await site.refusal("POST", "/hooks/deaf", status=404, data=b"{}"))[0] == "NOT_FOUND"
    assert (await site.refusal("GET", "/hooks/deaf/messages", status=404))[0] == "NOT_FOUND"


async def test_a_channel_that_does_not_run_yet_asks_for_patience(site: Site) -> None:
    """Never a 2xx for what was not stored: the other side sends it again."""
    site.switchboard.states["late"] = ChannelHealth(state="connecting")
    response = await site.post("/hooks/late", data=b"{}")
    assert (response.status, response.headers["Retry-After"]) == (503, "5")
    assert (await response.json())["error"]["code"] == "CHANNEL_UNAVAILABLE"


async def test_messages_can_be_fetched(site: Site, clock: FakeClock) -> None:
    """Contract 4: signed with an empty body, verified before the query is read."""
    site.shelf.messages = [
        OutboundMessage(
            delivery_id="d1",
            channel_id="hook",
            chat_id="c1",
            thread="",
            session_id="s",
            seq=8,
            kind="host",
            speaker=Speaker(id="studio", name="Studio", role="host"),
            text="hi",
            display_text="hi",
            created_at=clock.now(),
        )
    ]
    body = await site.body("GET", "/hooks/hook/messages?after=7&chat=c1", status=200, token="")
    assert body == {"messages": [{"delivery_id": "d1", "seq": 8}]}
    assert site.shelf.asked == [("hook", "c1", 7)]
    assert site.channel.got[0].body == b""
    assert (await site.body("GET", "/hooks/hook/messages", status=200, token=""))["messages"]
    assert site.shelf.asked[-1] == ("hook", None, 0)
    for after in ("-1", "x", "9" * 30):
        code, details = await site.refusal("GET", f"/hooks/hook/messages?after={after}", status=422)
        assert (code, details) == ("PARAM_INVALID", {"path": "after"})
    site.channel.trusts = False
    for path in ("/hooks/hook/messages", "/hooks/hook/messages?after=x"):
        assert (await site.refusal("GET", path, status=401))[0] == "UNAUTHENTICATED"
    assert (await site.refusal("GET", "/hooks/nobody/messages", status=404))[0] == "NOT_FOUND"


async def test_a_bug_is_a_500_without_a_traceback(site: Site) -> None:
    site.channel.answer = None  # type: ignore[assignment]
    body = await site.body("POST", "/hooks/hook", status=500, data=b"{}", headers={"Accept-Language": "en"})
    assert body["error"]["code"] == "INTERNAL"
    assert "Traceback" not in str(body)
