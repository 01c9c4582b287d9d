"""Who may come in: bearer tokens, the console's cookie, our own Host and Origin."""

import re
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientResponse, WSServerHandshakeError
from sqlalchemy import text as sql
from structlog.testing import capture_logs

from bridge.api.auth import cookie_name, hashed, issue, new_login_code, prepare_accounts
from bridge.api.guard import is_own_host
from bridge.api.parts import Settings
from bridge.api.server import all_routes
from store.accounts import list_tokens, revoke_token
from store.database import Database
from tests.support.api_server import ADMIN, Site, open_site
from tests.support.clock import FakeClock


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def log_in(site: Site) -> None:
    """From now on the client has the console's cookie."""
    code = await new_login_code(site.parts.database, site.parts.settings, site.parts.new_id)
    response = await site.get(f"/login?code={code}", token="", allow_redirects=False)
    assert response.status == 303


async def test_nobody_comes_in_without_a_token(site: Site) -> None:
    """X2: the whole API, WebSocket handshake included, answers 401 with the envelope."""
    closed = [route for route in all_routes() if route.auth in ("user", "admin")]
    assert len(closed) > 30
    for route in closed:
        path = re.sub(r"{\w+}", "x", route.path)
        response = await site.ask(route.method, path, token="")
        assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer"), path
        assert (await response.json())["error"]["code"] == "UNAUTHENTICATED"
        assert (await site.ask(route.method, path, token="wrong")).status == 401, path


async def test_members_are_no_admins(site: Site) -> None:
    token = await site.token_of("bob")
    for route in all_routes():
        if route.auth == "admin":
            code, _ = await site.refusal(route.method, re.sub(r"{\w+}", "x", route.path), token=token, status=403)
            assert code == "FORBIDDEN"


async def test_tokens_come_in_while_they_are_good(site: Site, clock: FakeClock) -> None:
    token = await site.token_of("bob")
    assert (await site.body("GET", "/api/me", token=token, status=200))["id"] == "bob"
    (row,) = await site.parts.database.read(partial(list_tokens, use="api"))
    await site.parts.database.write(partial(revoke_token, token_id=row.id))
    assert (await site.get("/api/me", token=token)).status == 401


async def test_the_configured_token_is_the_owners(site: Site) -> None:
    """Contract 5: `admin_token` is a bearer of the owner, an admin."""
    owner = {"id": "owner", "name": "owner", "role": "admin"}
    assert await site.body("GET", "/api/me", status=200) == owner


async def test_the_console_learns_who_looks_at_it(site: Site) -> None:
    """Without a 401, which browsers report as an error."""
    assert await site.body("GET", "/api/console", token="", status=200) == {"locale": "zh-CN", "user": None}
    await log_in(site)
    known = await site.body("GET", "/api/console", token="", status=200)
    assert known["user"] == {"id": "owner", "name": "owner", "role": "admin"}


async def test_the_first_start_makes_one_token_and_keeps_its_hash(database: Database, clock: FakeClock) -> None:
    """X5: a configured token makes none; a made one is told once."""
    ids = iter("abcdef")
    configured, empty = Settings(locale="en", admin_token=ADMIN), Settings(locale="en")
    assert await prepare_accounts(database, configured, ids.__next__) is None
    made = await prepare_accounts(database, empty, ids.__next__)
    assert made is not None
    (row,) = await database.read(partial(list_tokens, use="api"))
    assert row.hash == hashed(made) != made
    assert len(made) >= 43
    assert await prepare_accounts(database, empty, ids.__next__) is None


async def test_the_login_link_works_once_and_leaves_the_address_bar(site: Site) -> None:
    code = await new_login_code(site.parts.database, site.parts.settings, site.parts.new_id)
    response = await site.get(f"/login?code={code}", token="", allow_redirects=False)
    assert (response.status, response.headers["Location"]) == (303, "/")
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert (await site.body("GET", "/api/me", token="", status=200))["id"] == "owner"
    site.client.session.cookie_jar.clear()
    again = await site.get(f"/login?code={code}", token="", allow_redirects=False)
    assert again.status == 401
    assert "Set-Cookie" not in again.headers


async def test_an_old_link_takes_those_who_are_in_to_the_console(site: Site) -> None:
    await log_in(site)
    again = await site.get("/login?code=spent", token="", allow_redirects=False)
    assert (again.status, again.headers["Location"]) == (303, "/")


async def test_a_code_lives_for_a_day(site: Site, clock: FakeClock) -> None:
    code = await new_login_code(site.parts.database, site.parts.settings, site.parts.new_id)
    await clock.advance(24 * 3600 + 1)
    assert (await site.get(f"/login?code={code}", token="")).status == 401


async def test_a_login_code_is_no_bearer_and_no_cookie(site: Site) -> None:
    """Each use has its own secrets."""
    code = await new_login_code(site.parts.database, site.parts.settings, site.parts.new_id)
    assert (await site.get("/api/me", token=code)).status == 401
    cookie = {"Cookie": f"{cookie_name(site.parts.settings)}={code}"}
    assert (await site.get("/api/me", token="", headers=cookie)).status == 401


async def test_logins_are_rate_limited(site: Site, clock: FakeClock) -> None:
    for _ in range(10):
        assert (await site.get("/login?code=guess", token="")).status == 401
    refused = await site.get("/login?code=guess", token="")
    assert refused.status == 429
    assert int(refused.headers["Retry-After"]) > 0
    headers = {"Origin": site.origin}
    code, _ = await site.refusal("POST", "/api/login", token="", status=429, json={"token": "x"}, headers=headers)
    assert code == "RATE_LIMITED"
    await clock.advance(61)
    assert (await site.get("/login?code=guess", token="")).status == 401


async def test_guessed_tokens_count_as_attempts(site: Site) -> None:
    guess = {"token": "", "json": {"token": "guess"}, "headers": {"Origin": site.origin}}
    statuses = [(await site.post("/api/login", **guess)).status for _ in range(11)]
    assert statuses == [401] * 10 + [429]


async def test_a_token_buys_a_cookie_from_our_own_page_only(site: Site) -> None:
    body, ours = {"token": ADMIN}, {"Origin": site.origin}
    for headers in ({}, {"Origin": "https://evil.example"}):
        assert (await site.refusal("POST", "/api/login", token="", status=403, json=body, headers=headers))[0]
    wrong = await site.post("/api/login", token="", json={"token": "nope"}, headers=ours)
    assert wrong.status == 401
    assert (await site.post("/api/login", token="", json=body, headers=ours)).status == 204
    assert (await site.get("/api/me", token="")).status == 200
    assert (await site.post("/api/logout", token="", headers=ours)).status == 204
    assert (await site.get("/api/me", token="")).status == 401


async def test_a_cookie_needs_our_origin_for_what_could_harm(site: Site) -> None:
    """CSRF: another page's form or script sends the cookie at most with its own Origin."""
    await log_in(site)
    body = {"agent_id": "studio"}
    assert (await site.get("/api/sessions", token="")).status == 200
    for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        code, _ = await site.refusal("POST", "/api/sessions", token="", status=403, json=body, headers=headers)
        assert code == "FORBIDDEN"
    ours = {"Origin": site.origin}
    assert (await site.post("/api/sessions", token="", json=body, headers=ours)).status == 201
    assert (await site.post("/api/sessions", json=body, headers={"Origin": "https://evil.example"})).status == 201


async def test_a_cookie_websocket_needs_our_origin(site: Site) -> None:
    session_id = await site.open()
    await log_in(site)
    url = f"/api/sessions/{session_id}/live"
    with pytest.raises(WSServerHandshakeError) as refused:
        await site.client.ws_connect(url, origin="https://evil.example")
    assert refused.value.status == 403
    async with site.client.ws_connect(url, origin=site.origin) as socket:
        assert not socket.closed


async def test_an_unauthenticated_websocket_is_refused_at_the_handshake(site: Site) -> None:
    with pytest.raises(WSServerHandshakeError) as refused:
        await site.client.ws_connect(f"/api/sessions/{await site.open()}/live")
    assert refused.value.status == 401


async def test_a_foreign_host_is_misdirected(site: Site) -> None:
    """DNS rebinding: a page that points its name at this address gets nothing, health included."""
    for path in ("/api/me", "/healthz", "/", "/hooks/hook"):
        code, _ = await site.refusal("GET", path, status=421, headers={"Host": "evil.example"})
        assert code == "MISDIRECTED"
    assert (await site.get("/healthz", headers={"Host": "localhost:1"})).status == 200


@pytest.mark.parametrize(
    ("host", "bound", "good"),
    [
        ("localhost:8765", "127.0.0.1", True),
        ("127.0.0.1", "192.168.1.5", True),
        ("[::1]:8765", "127.0.0.1", True),
        ("192.168.1.5:80", "192.168.1.5", True),
        ("192.168.1.6:80", "192.168.1.5", False),
        ("192.168.1.6", "0.0.0.0", True),
        ("evil.example", "0.0.0.0", False),
        ("Team.Example.com", "127.0.0.1", True),
        ("team.example.com.evil.example", "127.0.0.1", False),
        ("nas.local", "nas.local", True),
        ("", "127.0.0.1", False),
        ("[::1", "127.0.0.1", False),
    ],
)
def test_which_hosts_are_ours(host: str, bound: str, good: bool) -> None:
    settings = Settings(locale="en", host=bound, public_url="https://team.example.com")
    assert is_own_host(host, settings) is good


async def test_metrics_are_for_this_machine_or_a_token(site: Site) -> None:
    """Contract 5: loopback without a forwarding header, or a token."""
    response = await site.get("/metrics", token="")
    assert response.status == 200
    assert response.content_type == "text/plain"
    for header in ("X-Forwarded-For", "Forwarded"):
        assert (await site.get("/metrics", token="", headers={header: "1.2.3.4"})).status == 401
        assert (await site.get("/metrics", headers={header: "1.2.3.4"})).status == 200
    assert (await site.get("/metrics", token="wrong")).status == 401


async def test_no_secret_is_logged_or_stored_or_returned(site: Site) -> None:
    """X5: only hashes are kept."""
    made = await site.parts.database.write(partial(issue, user_id="owner", use="api", new_id=site.parts.new_id))
    seen: list[ClientResponse] = []
    with capture_logs() as logs:
        await log_in(site)
        seen.extend([await site.get("/api/me", token=made.secret), await site.get("/api/me", token="nope")])
        seen.extend([await site.get("/api/channels"), await site.get("/api/openapi.json")])
    text = str(logs) + "".join([await response.text() for response in seen])
    cookie = next(iter(site.client.session.cookie_jar)).value
    rows = await site.parts.database.read(lambda tx: tx.orm.execute(sql("SELECT * FROM tokens")))
    stored = str(rows.all())
    for secret in (made.secret, cookie, ADMIN, "whsec_"):
        assert secret not in text
        assert secret not in stored


async def test_security_headers_are_on_every_answer(site: Site) -> None:
    for path, token in (("/", ""), ("/api/me", ADMIN), ("/api/me", ""), ("/nothing", "")):
        headers = (await site.get(path, token=token)).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["Server"] == "teambridge"
    assert (await site.get("/api/me")).headers["Cache-Control"] == "no-store"
