"""What an instance consists of: agents, teams, channels, people, deliveries; and its health."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bridge.outgoing import dump_message
from bridge.supervisor import ChannelHealth
from channels.types import OutboundMessage, Speaker
from store.agents import find_agent, save_agent
from store.database import Database, Transaction
from store.outbox import Delivery, add_deliveries
from store.people import Person, add_person
from tests.support.api_server import SECRET, Site, open_site
from tests.support.clock import FakeClock


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def change(site: Site, agent_id: str, **changes: Any) -> None:
    async def work(tx: Transaction) -> None:
        agent = await find_agent(tx, agent_id)
        assert agent is not None
        for name, value in changes.items():
            setattr(agent, name, value)
        await save_agent(tx, agent)

    await site.parts.database.write(work)


async def test_agents_have_the_keys_of_the_contract(site: Site) -> None:
    agents = {each["id"]: each for each in (await site.body("GET", "/api/agents", status=200))["items"]}
    assert set(agents) == {"researcher", "writer", "loner", "studio"}
    assert set(agents["writer"]) >= {
        "id", "name", "description", "kind", "icon", "color", "model", "instructions", "visibility", "enabled",
        "client_visible", "state", "state_reason", "tools", "welcome", "owner_id", "origin", "is_shared",
    }  # fmt: skip
    assert "member_ids" not in agents["writer"]
    assert agents["studio"]["member_ids"] == ["researcher", "writer"]
    assert await site.body("GET", "/api/agents/writer", status=200) == agents["writer"]


async def test_states_of_agents(site: Site) -> None:
    """Contract 2: stopped means disabled, error an unknown model."""
    await change(site, "writer", enabled=False)
    await change(site, "loner", model="gone")
    states = {
        each["id"]: (each["state"], each["state_reason"])
        for each in (await site.body("GET", "/api/agents", status=200))["items"]
    }
    assert states["writer"] == ("stopped", "")
    assert states["loner"] == ("error", "没有名为 gone 的模型")
    assert states["studio"] == ("running", "")


async def test_a_team_with_its_members(site: Site) -> None:
    """T37: the roster is read from the manifest."""
    await change(site, "writer", enabled=False, visibility="shared")
    team = await site.body("GET", "/api/teams/studio", status=200)
    assert (team["team_id"], team["agent_id"], team["kind"], team["member_ids"]) == (
        "studio",
        "studio",
        "team",
        ["researcher", "writer"],
    )
    assert team["members"] == [
        {
            "agent_id": "researcher",
            "name": "Researcher",
            "icon_url": ":mag:",
            "color": "",
            "state": "running",
            "state_reason": "",
            "is_shared": False,
            "busy": False,
        },
        {
            "agent_id": "writer",
            "name": "Writer",
            "icon_url": "",
            "color": "",
            "state": "stopped",
            "state_reason": "",
            "is_shared": True,
            "busy": False,
        },
    ]
    assert (await site.body("GET", "/api/teams", status=200)) == {"items": [team], "next": None}
    for unknown in ("writer", "nobody"):
        assert (await site.refusal("GET", f"/api/teams/{unknown}", status=404))[0] == "TEAM_NOT_FOUND"


async def test_a_damaged_manifest_shows_the_team_in_error(site: Site, tmp_path: Path) -> None:
    """T37: with the reason, and the file is left as it is."""
    path = tmp_path / "workspaces/studio/.teambridge/manifest.json"
    path.write_text("{")
    team = await site.body("GET", "/api/teams/studio", status=200)
    assert (team["state"], team["members"]) == ("error", [])
    assert "not valid JSON" in team["state_reason"]
    agent = await site.body("GET", "/api/agents/studio", status=200)
    assert (agent["state"], agent["member_ids"]) == ("error", [])
    assert path.read_text() == "{"


async def test_others_see_only_what_is_shared(site: Site) -> None:
    """T4, T6: shared experts, without their instructions; never a team."""
    await change(site, "writer", visibility="shared", instructions="secret recipe")
    await change(site, "studio", visibility="shared")
    bob = await site.token_of("bob")
    (shared,) = (await site.body("GET", "/api/agents", token=bob, status=200))["items"]
    assert (shared["id"], shared["instructions"]) == ("writer", "")
    assert (await site.body("GET", "/api/teams", token=bob, status=200))["items"] == []
    assert (await site.refusal("GET", "/api/teams/studio", token=bob, status=404))[0] == "TEAM_NOT_FOUND"
    assert (await site.refusal("GET", "/api/agents/loner", token=bob, status=404))[0] == "AGENT_NOT_FOUND"


async def test_channels_are_shown_without_their_secrets(site: Site) -> None:
    """X5."""
    channel = await site.body("GET", "/api/channels/hook", status=200)
    contract = {
        "id": "hook",
        "platform": "webhook",
        "agent_id": "studio",
        "response_mode": "stream",
        "access": "pairing",
        "groups": "mention",
        "enabled": True,
        "state": "connected",
        "state_reason": "",
    }
    assert {name: channel[name] for name in contract} == contract
    assert (channel["secrets"], channel["origin"], channel["updated_at"]) == (["secret"], "config", None)
    assert SECRET not in str(channel)
    assert await site.body("GET", "/api/channels", status=200) == {"items": [channel], "next": None}
    assert (await site.refusal("GET", "/api/channels/nobody", status=404))[0] == "NOT_FOUND"


async def add_people(site: Site, count: int) -> None:
    for number in range(count):
        person = Person(
            id=f"p{number}",
            app_id="hook",
            external_id=f"u{number}",
            name=f"U{number}",
            state="pending",
            pairing_code=f"CODE{number}",
            created_at=site.parts.clock.now(),
        )
        await site.parts.database.write(partial(add_person, person=person))


async def test_people_are_listed_approved_and_blocked(site: Site) -> None:
    """Contract 5: approve and block answer 200 with the person."""
    await add_people(site, 3)
    page = await site.body("GET", "/api/people", status=200, params={"state": "pending", "limit": 2})
    assert [each["id"] for each in page["items"]] == ["p2", "p1"]
    assert (page["items"][0]["channel_id"], page["items"][0]["pairing_code"]) == ("hook", "CODE2")
    rest = await site.body("GET", "/api/people", status=200, params={"limit": 2, "cursor": page["next"]})
    assert ([each["id"] for each in rest["items"]], rest["next"]) == (["p0"], None)
    approved = await site.body("POST", "/api/people/p0/approve", status=200)
    assert (approved["state"], approved["pairing_code"]) == ("approved", None)
    assert (await site.body("POST", "/api/people/p1/block", status=200))["state"] == "blocked"
    assert (await site.refusal("POST", "/api/people/nobody/approve", status=404))[0] == "NOT_FOUND"
    code, details = await site.refusal("GET", "/api/people", status=400, params={"state": "odd"})
    assert (code, details) == ("PARAM_INVALID", {"path": "state"})


async def test_deliveries_are_listed_and_tried_again(site: Site) -> None:
    """Contract 5: `id` is the delivery_id; a retry is 202."""
    now = site.parts.clock.now()
    message = OutboundMessage(
        delivery_id="d1",
        channel_id="hook",
        chat_id="c1",
        thread="",
        session_id="s",
        seq=1,
        kind="member",
        speaker=Speaker(id="writer", name="写手", role="member"),
        text="hi",
        display_text="写手：hi",
        created_at=now,
    )
    row = Delivery(
        id="d1",
        channel_id="hook",
        chat_id="c1",
        seq=1,
        session_id="s",
        message=dump_message(message),
        created_at=now,
        due_at=now,
        state="dead",
        reason="410",
    )
    await site.parts.database.write(partial(add_deliveries, deliveries=[row], links=[]))
    page = await site.body("GET", "/api/deliveries", status=200, params={"state": "dead"})
    (item,) = page["items"]
    assert (item["id"], item["kind"], item["text"], item["reason"]) == ("d1", "member", "写手：hi", "410")
    assert (await site.body("GET", "/api/deliveries", status=200, params={"state": "sent"}))["items"] == []
    assert (await site.body("POST", "/api/deliveries/d1/retry", status=202))["id"] == "d1"
    assert site.retried == ["d1"]
    assert (await site.refusal("POST", "/api/deliveries/d2/retry", status=404))[0] == "NOT_FOUND"


async def test_healthz_answers_anybody(site: Site) -> None:
    assert (await site.get("/healthz", token="")).status == 200


async def test_readyz_says_what_is_missing(site: Site) -> None:
    """Contract 5; R5."""
    body = await site.body("GET", "/readyz", token="", status=200)
    assert body == {"ready": True, "store": True, "channels": {"hook": {"state": "connected", "reason": ""}}}
    site.switchboard.states["hook"] = ChannelHealth(state="error", reason="the token is wrong")
    body = await site.body("GET", "/readyz", token="", status=503)
    assert body == {
        "ready": False,
        "store": True,
        "channels": {"hook": {"state": "error", "reason": "the token is wrong"}},
    }


async def test_an_unreachable_store_is_503_everywhere(site: Site) -> None:
    """Nothing was written: try again later."""
    await site.parts.database.write(lambda tx: tx.orm.execute(text("DROP TABLE tokens")))
    await site.parts.database.write(lambda tx: tx.orm.execute(text("DROP TABLE users")))
    body = await site.body("GET", "/readyz", token="", status=503)
    assert (body["ready"], body["store"]) == (False, False)
    response = await site.post("/api/sessions", json={"agent_id": "studio"})
    assert (response.status, response.headers["Retry-After"]) == (503, "1")
    assert (await response.json())["error"]["code"] == "STORE_UNAVAILABLE"
