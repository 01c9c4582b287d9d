"""Accounts, tokens and the audit."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from store.database import Database
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def audit(site: Site) -> list[tuple[str, str, str]]:
    """(who, what, which), oldest first."""
    items = (await site.body("GET", "/api/audit", status=200))["items"]
    return [(each["user_id"], each["action"], each["target_id"]) for each in reversed(items)]


@pytest.mark.both_databases
async def test_an_account_comes_in_by_a_link_and_is_shut_out(site: Site) -> None:
    ann = await site.body("POST", "/api/users", status=201, json={"id": "ann", "name": " Ann "})
    assert (ann["id"], ann["name"], ann["role"], ann["enabled"]) == ("ann", "Ann", "member", True)
    link = await site.body("POST", "/api/users/ann/login-links", status=201)
    assert link["url"].startswith("http://127.0.0.1:8765/login?code=")
    path = urlsplit(link["url"])
    entered = await site.get(f"{path.path}?{path.query}", token="", allow_redirects=False)
    assert entered.status == 303
    assert (await site.body("GET", "/api/me", token="", status=200))["id"] == "ann"
    changed = await site.body("PATCH", "/api/users/ann", status=200, json={"enabled": False})
    assert changed["enabled"] is False
    assert (await site.get("/api/me", token="")).status == 401
    assert (await site.refusal("POST", "/api/users/ann/login-links", status=403))[0] == "FORBIDDEN"
    await site.body("PATCH", "/api/users/ann", status=200, json={"enabled": True, "role": "admin"})
    assert (await site.body("GET", "/api/me", token="", status=200))["role"] == "admin"
    assert (await site.ask("DELETE", "/api/users/ann")).status == 204
    assert (await site.get("/api/me", token="")).status == 401
    assert [action for _, action, _ in await audit(site)] == [
        "user.create", "user.invite", "user.change", "user.change", "user.delete",
    ]  # fmt: skip


async def test_the_owner_stays(site: Site) -> None:
    """Somebody must be left who can let the others in."""
    for body in ({"role": "member"}, {"enabled": False}):
        assert (await site.refusal("PATCH", "/api/users/owner", status=403, json=body))[0] == "FORBIDDEN"
    assert (await site.refusal("DELETE", "/api/users/owner", status=403))[0] == "FORBIDDEN"
    renamed = await site.body("PATCH", "/api/users/owner", status=200, json={"name": "Root"})
    assert (renamed["name"], renamed["role"]) == ("Root", "admin")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": ""}, "name"),
        ({}, "name"),
        ({"name": "A", "role": "king"}, "role"),
        ({"name": "A", "id": "owner"}, "id"),
    ],
)
async def test_accounts_that_cannot_be(site: Site, body: dict[str, str], path: str) -> None:
    assert await site.refusal("POST", "/api/users", status=400, json=body) == ("PARAM_INVALID", {"path": path})


async def test_members_see_whom_they_may_share_with(site: Site) -> None:
    bob = await site.token_of("bob")
    await site.body("POST", "/api/users", status=201, json={"id": "gone", "name": "Gone"})
    await site.ask("DELETE", "/api/users/gone")
    seen = {each["id"] for each in (await site.body("GET", "/api/users", token=bob, status=200))["items"]}
    assert seen == {"owner", "bob"}
    assert len((await site.body("GET", "/api/users", status=200))["items"]) == 3
    assert (await site.refusal("GET", "/api/users/owner", token=bob, status=403))[0] == "FORBIDDEN"
    assert (await site.refusal("GET", "/api/audit", token=bob, status=403))[0] == "FORBIDDEN"
    assert (await site.refusal("GET", "/api/users/nobody", status=404))[0] == "NOT_FOUND"


@pytest.mark.both_databases
async def test_tokens_are_shown_once_and_revoked(site: Site, clock: FakeClock) -> None:
    """X5: kept as a hash; one's own, or anybody's for an admin."""
    bob, eve = await site.token_of("bob"), await site.token_of("eve")
    made = await site.body("POST", "/api/tokens", token=bob, status=201, json={"name": "ci", "expires_in_days": 1})
    assert (await site.body("GET", "/api/me", token=made["token"], status=200))["id"] == "bob"
    listed = (await site.body("GET", "/api/tokens", token=bob, status=200))["items"]
    assert [each["name"] for each in listed] == ["", "ci"]
    assert made["token"] not in str(listed)
    assert datetime.fromisoformat(made["expires_at"]) > clock.now()
    path = f"/api/tokens/{made['id']}"
    assert (await site.refusal("DELETE", path, token=eve, status=404))[0] == "NOT_FOUND"
    assert (await site.refusal("GET", "/api/tokens?user_id=bob", token=eve, status=403))[0] == "FORBIDDEN"
    assert len((await site.body("GET", "/api/tokens?user_id=bob", status=200))["items"]) == 2
    assert (await site.ask("DELETE", path, token=bob)).status == 204
    assert (await site.get("/api/me", token=made["token"])).status == 401
    assert (await site.refusal("DELETE", path, status=404))[0] == "NOT_FOUND"
    other = await site.body("POST", "/api/tokens", token=bob, status=201, json={"name": "two", "expires_in_days": 1})
    await clock.advance(24 * 3600 + 1)
    assert (await site.get("/api/me", token=other["token"])).status == 401
    assert ("bob", "token.revoke", made["id"]) in await audit(site)


async def test_a_cookie_is_no_token_to_revoke(site: Site) -> None:
    """Each use has its own place."""
    link = await site.body("POST", "/api/users/owner/login-links", status=201)
    path = urlsplit(link["url"])
    await site.get(f"{path.path}?{path.query}", token="", allow_redirects=False)
    assert (await site.body("GET", "/api/tokens", token="", status=200))["items"] == []


@pytest.mark.both_databases
async def test_the_audit_names_what_was_changed_and_no_values(site: Site) -> None:
    await site.body("PATCH", "/api/agents/writer", status=200, json={"instructions": "secret recipe", "name": "W"})
    await site.body("PATCH", "/api/teams/studio", status=200, json={"guidelines": "secret", "name": "S"})
    page = await site.body("GET", "/api/audit?limit=1", status=200)
    (last,) = page["items"]
    assert (last["user_id"], last["action"], last["target_id"]) == ("owner", "team.change", "studio")
    assert last["keys"] == ["guidelines", "name"]
    rest = await site.body("GET", f"/api/audit?limit=5&cursor={page['next']}", status=200)
    assert [(each["action"], each["keys"]) for each in rest["items"]] == [("agent.change", ["instructions", "name"])]
    assert "secret" not in str(page) + str(rest)
    assert await site.refusal("GET", "/api/audit?cursor=abc", status=400) == ("PARAM_INVALID", {"path": "cursor"})


async def test_the_market(site: Site) -> None:
    """Contract 5: bundled templates in the language of the request, and what people here published."""
    bundled = (await site.body("GET", "/api/experts", status=200))["items"]
    assert len(bundled) >= 6
    assert set(bundled[0]) >= {"template_name", "name", "description", "icon", "source"}
    assert {each["source"] for each in bundled} == {"portal"}
    english = await site.body("GET", "/api/experts", status=200, headers={"Accept-Language": "en"})
    assert english["items"][0]["name"] == "Researcher"
    used = await site.body("POST", "/api/agents", status=201, json={"template_name": "translator", "model": "other"})
    assert (used["name"], used["model"], used["kind"]) == ("翻译", "other", "expert")
    assert used["instructions"].startswith("你是翻译。")


@pytest.mark.both_databases
async def test_publishing_an_expert(site: Site) -> None:
    bob = await site.token_of("bob")
    await site.body(
        "PATCH",
        "/api/agents/writer",
        status=200,
        json={"instructions": "写。", "color": "#123456", "tools": ["web_fetch"]},
    )
    published = await site.body("POST", "/api/agents/writer/publish", status=200)
    assert await site.body("POST", "/api/agents/writer/publish", status=200) == published
    assert (published["template_name"], published["source"], published["owner_id"]) == (
        "instance:writer",
        "instance",
        "owner",
    )
    assert (await site.body("GET", "/api/agents/writer", status=200))["published"] is True
    assert published in (await site.body("GET", "/api/experts", token=bob, status=200))["items"]
    assert (await site.refusal("GET", "/api/agents/writer", token=bob, status=404))[0] == "AGENT_NOT_FOUND"
    body = {"template_name": "instance:writer", "name": "Mine"}
    mine = await site.body("POST", "/api/agents", token=bob, status=201, json=body)
    assert (mine["name"], mine["instructions"], mine["color"], mine["tools"]) == (
        "Mine",
        "写。",
        "#123456",
        ["web_fetch"],
    )
    assert (mine["owner_id"], mine["visibility"]) == ("bob", "private")
    assert (await site.ask("DELETE", "/api/agents/writer/publish")).status == 204
    assert published not in (await site.body("GET", "/api/experts", status=200))["items"]
    assert await site.refusal("POST", "/api/agents", token=bob, status=400, json=body) == (
        "PARAM_INVALID",
        {"path": "template_name"},
    )


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "name"),
        ({"name": "\n "}, "name"),
        ({"name": "A", "kind": "team"}, "kind"),
        ({"name": "A", "model": "gone"}, "model"),
        ({"name": "A", "tools": ["web_fetch", "shell"]}, "tools[1]"),
        ({"name": "A", "id": "-x"}, "id"),
        ({"name": "A", "skills": []}, "skills"),
        ({"name": "A\0"}, "name"),
        ({"name": "A", "shared_with": ["owner"]}, "shared_with[0]"),
        ({"template_name": "host"}, "template_name"),
        ({"template_name": "team-host"}, "template_name"),
        ({"template_name": "instance:writer"}, "template_name"),
    ],
)
async def test_experts_that_cannot_be(site: Site, body: dict[str, object], path: str) -> None:
    assert await site.refusal("POST", "/api/agents", status=400, json=body) == ("PARAM_INVALID", {"path": path})
