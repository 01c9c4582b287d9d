"""Who sees what of an expert, of a team, and of what a borrowed expert does (T4, T5, T6)."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bridge.storedchannels import NOT_LENT, Broken, all_channels
from store.database import Database
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock
from tests.support.house import Ask, Say

SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LW1pbmU="


def script(asked: Ask) -> Say:
    """The host hands everything to the borrowed expert, then concludes."""
    if "agent_list" in asked.tools and "helper" not in asked.prompt:
        return Say(text="好。", calls=[("ask_agent", '{"agent_id": "helper", "message": "干活"}')])
    return Say(text="完成。")


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path, script) as opened:
        yield opened


async def made(site: Site, path: str, token: str, **body: Any) -> Any:
    return await site.body("POST", path, status=201, token=token, json=body)


async def ids(site: Site, token: str) -> set[str]:
    return {each["id"] for each in (await site.body("GET", "/api/agents", status=200, token=token))["items"]}


async def test_lending_to_a_named_user_and_taking_it_back(site: Site) -> None:
    """T4: mine and those shared with me, with everybody or by name; nobody else sees it."""
    ann, bob, eve = [await site.token_of(name) for name in ("ann", "bob", "eve")]
    helper = await made(site, "/api/agents", ann, id="helper", name="Helper", instructions="secret recipe")
    assert (helper["is_shared"], helper["shared_with"]) == (False, [])
    assert "helper" not in await ids(site, bob)
    lent = await site.body("PATCH", "/api/agents/helper", status=200, token=ann, json={"shared_with": ["bob"]})
    assert (lent["is_shared"], lent["shared_with"]) == (True, ["bob"])
    seen = await site.body("GET", "/api/agents/helper", status=200, token=bob)
    assert (seen["is_shared"], seen["instructions"], seen.get("shared_with")) == (True, "", None)
    for stranger in (eve, None):
        more = {"token": stranger} if stranger else {}
        assert (await site.refusal("GET", "/api/agents/helper", status=404, **more))[0] == "AGENT_NOT_FOUND"
    await site.body("PATCH", "/api/agents/helper", status=200, token=ann, json={"shared_with": []})
    assert "helper" not in await ids(site, bob)
    code, details = await site.refusal(
        "PATCH", "/api/agents/helper", status=400, token=ann, json={"shared_with": ["bob", "nobody"]}
    )
    assert (code, details) == ("PARAM_INVALID", {"path": "shared_with[1]"})


async def test_a_borrower_changes_nothing(site: Site) -> None:
    """T5: its configuration belongs to its owner."""
    ann, bob = await site.token_of("ann"), await site.token_of("bob")
    await made(site, "/api/agents", ann, id="helper", name="Helper", visibility="shared")
    for method, path in (("PATCH", ""), ("DELETE", ""), ("POST", "/publish"), ("DELETE", "/publish")):
        more = {"json": {"name": "Mine"}} if method == "PATCH" else {}
        code, _ = await site.refusal(method, f"/api/agents/helper{path}", status=403, token=bob, **more)
        assert code == "FORBIDDEN"
    assert (await site.body("GET", "/api/agents/helper", status=200, token=ann))["name"] == "Helper"


async def test_the_words_of_borrowed_work_belong_to_the_room(site: Site) -> None:
    """T5: the room's owner reads them, the expert's owner sees that it worked, nobody else anything."""
    ann, bob, eve = [await site.token_of(name) for name in ("ann", "bob", "eve")]
    await made(site, "/api/agents", ann, id="helper", name="Helper", visibility="shared")
    await made(site, "/api/agents", bob, id="own", name="Own")
    await made(site, "/api/teams", bob, id="crew", name="Crew", member_ids=["helper", "own"])
    room = (await made(site, "/api/sessions", bob, agent_id="crew"))["id"]
    await site.body("POST", f"/api/sessions/{room}/inputs", status=202, token=bob, json={"text": "开始"})
    await site.house.quiet()
    side = f"/api/sessions/{room}~helper"
    events = await site.body("GET", f"{side}/events", status=200, token=bob)
    assert "干活" in [each["text"] for each in events["items"]]
    shown = await site.body("GET", side, status=200, token=ann)
    assert shown["title"] == "来自团队 Crew"
    for method, path in (("GET", "/events"), ("POST", "/stop")):
        assert (await site.refusal(method, side + path, status=403, token=ann))[0] == "FORBIDDEN"
    for path in ("", "/events"):
        assert (await site.refusal("GET", side + path, status=404, token=eve))[0] == "SESSION_NOT_FOUND"
    code, details = await site.refusal("DELETE", side, status=400, token=ann)
    assert (code, details) == ("PARAM_INVALID", {"reason": "inner_session"})
    assert (await site.refusal("GET", f"/api/sessions/{room}", status=404, token=ann))[0] == "SESSION_NOT_FOUND"


async def test_losing_the_share_stops_new_work(site: Site) -> None:
    """T5: a failed job with the reason; the team card says so too."""
    ann, bob = await site.token_of("ann"), await site.token_of("bob")
    await made(site, "/api/agents", ann, id="helper", name="Helper", shared_with=["bob"])
    await made(site, "/api/agents", bob, id="own", name="Own")
    await made(site, "/api/teams", bob, id="crew", name="Crew", member_ids=["helper", "own"])
    room = (await made(site, "/api/sessions", bob, agent_id="crew"))["id"]
    await site.body("PATCH", "/api/agents/helper", status=200, token=ann, json={"shared_with": []})
    await site.body("POST", f"/api/sessions/{room}/inputs", status=202, token=bob, json={"text": "开始"})
    await site.house.quiet()
    jobs = (await site.body("GET", f"/api/sessions/{room}/jobs", status=200, token=bob))["items"]
    assert [(job["state"], job["reason"]) for job in jobs] == [("failed", "该专家不再共享给这个团队")]
    team = await site.body("GET", "/api/teams/crew", status=200, token=bob)
    assert [(each["agent_id"], each["state"], each["state_reason"]) for each in team["members"]] == [
        ("helper", "stopped", "该专家不再共享给这个团队"),
        ("own", "running", ""),
    ]
    code, details = await site.refusal(
        "PATCH", "/api/teams/crew", status=400, token=bob, json={"member_ids": ["helper", "own"]}
    )
    assert (code, details) == ("TEAM_MEMBER_INVALID", {"member_agent_ids": ["helper"]})


async def _channel(site: Site, token: str, agent_id: str) -> tuple[str, str, bool]:
    """(state, reason, enabled) of bob's channel."""
    found = await site.body("GET", "/api/channels/mine", status=200, token=token)
    assert found["agent_id"] == agent_id
    return found["state"], found["state_reason"], found["enabled"]


async def test_a_channel_of_a_borrowed_expert_stops_with_the_share(site: Site) -> None:
    """T5: it says why, a change of the channel does not run it again, the share given anew does."""
    ann, bob = await site.token_of("ann"), await site.token_of("bob")
    await made(site, "/api/agents", ann, id="helper", name="Helper", shared_with=["bob"])
    await made(site, "/api/channels", bob, id="mine", platform="webhook", agent_id="helper", secret=SECRET)
    assert await _channel(site, bob, "helper") == ("connected", "", True)
    stopped = ("error", "its expert is not shared with the channel's owner any more", True)
    await site.body("PATCH", "/api/agents/helper", status=200, token=ann, json={"shared_with": []})
    assert await _channel(site, bob, "helper") == stopped
    assert site.switchboard.find("mine") is None
    await site.body("PATCH", "/api/channels/mine", status=200, token=bob, json={"notices": False})
    assert await _channel(site, bob, "helper") == stopped
    await site.body("PATCH", "/api/agents/helper", status=200, token=ann, json={"visibility": "shared"})
    assert await _channel(site, bob, "helper") == ("connected", "", True)
    assert (await site.ask("DELETE", "/api/agents/helper", token=ann)).status == 204
    assert await _channel(site, bob, "helper") == stopped


async def test_a_channel_that_lost_its_expert_does_not_start(site: Site) -> None:
    """T5: nor after a restart; what it is stays known, so that it can be bound to another expert."""
    ann, bob = await site.token_of("ann"), await site.token_of("bob")
    await made(site, "/api/agents", ann, id="helper", name="Helper", shared_with=["bob"])
    await made(site, "/api/channels", bob, id="mine", platform="webhook", agent_id="helper", secret=SECRET)
    await site.body("PATCH", "/api/agents/helper", status=200, token=ann, json={"shared_with": []})
    look = partial(
        all_channels, configs=(), rosters=site.parts.rosters, vault=site.parts.vault, owner_id="owner", source=""
    )
    (found,) = await site.parts.database.read(look)
    assert isinstance(found, Broken)
    assert (found.channel_id, found.reason) == ("mine", NOT_LENT)
    assert found.entry is not None
    assert found.entry.config.agent == "helper"


async def test_a_deleted_expert_is_lent_to_nobody(site: Site) -> None:
    """Its id may come back in the file: then nobody borrows it by what its last owner said."""
    ann, bob = await site.token_of("ann"), await site.token_of("bob")
    await made(site, "/api/agents", ann, id="helper", name="Helper", shared_with=["bob"])
    assert (await site.ask("DELETE", "/api/agents/helper", token=ann)).status == 204
    await site.house.add_expert("helper", deleted_at=None)
    assert "helper" not in await ids(site, bob)


async def test_admins_are_strangers_to_private_agents(site: Site) -> None:
    """C1, T6."""
    ann = await site.token_of("ann")
    await made(site, "/api/agents", ann, id="helper", name="Helper")
    await made(site, "/api/agents", ann, id="other", name="Other")
    await made(site, "/api/teams", ann, id="crew", name="Crew", member_ids=["helper", "other"])
    assert (await site.refusal("GET", "/api/agents/helper", status=404))[0] == "AGENT_NOT_FOUND"
    assert (await site.refusal("PATCH", "/api/teams/crew", status=404, json={}))[0] == "TEAM_NOT_FOUND"
    code, _ = await site.refusal("POST", "/api/sessions", status=404, json={"agent_id": "crew"})
    assert code == "AGENT_NOT_FOUND"


async def test_who_lost_the_share_speaks_to_the_expert_no_longer(site: Site) -> None:
    """T5, C9: the session can still be read."""
    ann, bob = await site.token_of("ann"), await site.token_of("bob")
    await made(site, "/api/agents", ann, id="helper", name="Helper", shared_with=["bob"])
    path = f"/api/sessions/{(await made(site, '/api/sessions', bob, agent_id='helper'))['id']}"
    await site.body("POST", f"{path}/inputs", status=202, token=bob, json={"text": "hi"})
    await site.house.quiet()
    await site.body("PATCH", "/api/agents/helper", status=200, token=ann, json={"shared_with": []})
    code, _ = await site.refusal("POST", f"{path}/inputs", status=404, token=bob, json={"text": "hi"})
    assert code == "AGENT_NOT_FOUND"
    assert (await site.refusal("POST", "/api/sessions", status=404, token=bob, json={"agent_id": "helper"}))[0]
    assert (await site.body("GET", f"{path}/events", status=200, token=bob))["items"]
