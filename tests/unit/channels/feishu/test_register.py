"""Making an app by scanning a code, over the simulated accounts server; the official SDK takes the same answers."""

import asyncio
import base64
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from channels.feishu.http import Patience, make_session
from channels.feishu.register import NotRegistered, Registered, Registration
from channels.feishu.scopes import EVENTS, SCOPES, batch_import, missing
from tests.support.clock import FakeClock
from tests.support.feishu.server import FeishuServer

INIT = {"supported_auth_methods": ["client_secret"]}
BEGIN = {
    "device_code": "dc",
    "verification_uri_complete": "https://accounts.example/scan?code=AB",
    "interval": 5,
    "expires_in": 600,
}
PENDING = {"error": "authorization_pending"}
DONE = {"client_id": "cli_new", "client_secret": "s3cret", "user_info": {"open_id": "ou_owner"}}


@pytest.fixture
async def server() -> AsyncIterator[FeishuServer]:
    async with FeishuServer() as running:
        yield running


async def _register(server: FeishuServer, clock: FakeClock, *answers: Any) -> tuple[str, Registered]:
    server.registration = [INIT, BEGIN, *answers]
    async with make_session(Patience(), is_local=True) as session:
        registration = Registration(session, server.base_url, clock)
        begun = await registration.begin("内容工作室", "写作")
        waiting = asyncio.ensure_future(registration.wait(begun))
        while not waiting.done():
            await clock.advance(1)
            await asyncio.sleep(0.001)
        return begun.url, waiting.result()


async def test_an_app_is_made_with_everything_that_the_bot_needs(server: FeishuServer, clock: FakeClock) -> None:
    """Issue 5.6: scopes, events and callbacks are chosen beforehand."""
    url, made = await _register(server, clock, PENDING, {"error": "slow_down"}, PENDING, DONE)
    assert (made.app_id, made.app_secret, made.owner) == ("cli_new", "s3cret", "ou_owner")
    assert "s3cret" not in repr(made)
    query = parse_qs(urlsplit(url).query)
    assert (query["code"], query["name"]) == (["AB"], ["内容工作室"])
    packed = query["addons"][0]
    chosen = json.loads(gzip.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))))
    assert chosen["scopes"]["tenant"] == [scope.name for scope in SCOPES]
    assert chosen["events"]["items"]["tenant"] == list(EVENTS)
    assert chosen["callbacks"]["items"] == ["card.action.trigger"]
    forms = [dict(call.body) for call in server.of("register")]
    assert [form["action"] for form in forms] == ["init", "begin", "poll", "poll", "poll", "poll"]
    assert clock.monotonic() >= 5 + 10 + 10


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"error": "access_denied"}, "refused"),
        ({"error": "expired_token"}, "expired"),
        ({"error": "strange"}, "strange"),
        ({}, "nothing usable"),
    ],
)
async def test_why_no_app_was_made(server: FeishuServer, clock: FakeClock, answer: Any, words: str) -> None:
    with pytest.raises(NotRegistered, match=words):
        await _register(server, clock, answer)


async def test_nobody_scans(server: FeishuServer, clock: FakeClock) -> None:
    with pytest.raises(NotRegistered, match="in time"):
        await _register(server, clock, *[PENDING] * 200)


async def test_the_official_client_takes_the_same_answers(server: FeishuServer) -> None:
    from tests.support.feishu import sdk  # noqa: PLC0415 - it takes seconds

    server.registration = [INIT, BEGIN, DONE]
    shown: list[Any] = []
    lark = sdk.load()
    made = await asyncio.to_thread(lark.register_app, on_qr_code=shown.append, domain=server.base_url)
    assert made["client_id"] == "cli_new"
    assert shown[0]["url"].startswith("https://accounts.example/scan?code=AB")


def test_what_the_console_imports_names_every_permission() -> None:
    assert json.loads(batch_import())["scopes"]["tenant"] == [scope.name for scope in SCOPES]
    assert list(missing({scope.name for scope in SCOPES})) == []
    assert [scope.name for scope in missing({"im:message"}) if scope.is_needed] == []


@pytest.mark.parametrize("page", ["feishu.md", "feishu.zh-CN.md"])
def test_the_docs_tell_what_the_program_needs(page: str) -> None:
    """Issue 5.6: both languages carry the same permissions and events as the code."""
    text = (Path(__file__).parents[4] / "docs" / page).read_text(encoding="utf-8")
    assert batch_import() in text
    assert all(f"`{name}`" in text for name in (*EVENTS, "card.action.trigger"))
