"""Approvals over HTTP: what waits, who may decide, and that the first decision counts (C12, contract 5)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from store.database import Database
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock
from tests.support.errands import NAMES, Errands
from tests.support.house import Ask, Say

pytestmark = pytest.mark.both_databases


def script(asked: Ask) -> Say:
    """The host hands everything to the helper, which mails once; a lone expert mails too."""
    if "agent_list" in asked.tools:
        is_back = "<member-result" in asked.prompt
        return Say(text="完成。") if is_back else Say(calls=[("ask_agent", '{"agent_id": "helper", "message": "go"}')])
    mailed = "ToolReturnPart" in str(asked.messages[-1])
    return Say(text="寄好了。") if mailed else Say(calls=[("mail", '{"to": "bob"}')])


@pytest.fixture
def errands() -> Errands:
    return Errands()


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path, errands: Errands) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path, script, tools=[errands]) as opened:
        for each in ("helper", "own"):
            await opened.house.add_expert(each, name=each.title(), visibility="shared", tools=list(NAMES))
        yield opened


async def ask(site: Site, agent_id: str, **more: Any) -> str:
    """A session of the agent in which something waits to be decided."""
    session = (await site.body("POST", "/api/sessions", status=201, json={"agent_id": agent_id}, **more))["id"]
    await site.body("POST", f"/api/sessions/{session}/inputs", status=202, json={"text": "干活"}, **more)
    await site.house.quiet()
    return str(session)


async def waiting(site: Site, session: str, **more: Any) -> list[dict[str, Any]]:
    found = await site.body("GET", f"/api/sessions/{session}/approvals", status=200, **more)
    assert found["next"] is None
    return list(found["items"])


def url(session: str, approval: dict[str, Any]) -> str:
    return f"/api/sessions/{session}/approvals/{approval['id']}"


async def test_what_waits_is_listed_and_decided(site: Site, errands: Errands) -> None:
    """C12: the session shows it too, and the phases on the way."""
    session = await ask(site, "own")
    shown = await site.body("GET", f"/api/sessions/{session}", status=200)
    assert (shown["phase"], shown["waiting_for"]) == ("WAITING_APPROVAL", "approval")
    [asked] = await waiting(site, session)
    assert {key: asked[key] for key in ("session_id", "room_id", "agent_id", "name", "tool", "arguments", "state")} == {
        "session_id": session,
        "room_id": session,
        "agent_id": "own",
        "name": "Own",
        "tool": "mail",
        "arguments": "to: bob",
        "state": "open",
    }
    tree = await site.body("GET", f"/api/sessions/{session}/cooperation", status=200)
    [branch] = tree["sessions"]
    assert (branch["phase"], branch["waiting_for"], tree["at_work"]) == ("WAITING_APPROVAL", "approval", 0)
    decided = await site.body("POST", url(session, asked), status=200, json={"decision": "once"})
    assert (decided["state"], decided["decided_by"]) == ("once", "user:owner")
    await site.house.quiet()
    shown = await site.body("GET", f"/api/sessions/{session}", status=200)
    assert (shown["phase"], shown["waiting_for"]) == ("IDLE", None)
    assert len(errands.done) == 1
    late = await site.body("POST", url(session, asked), status=200, json={"decision": "deny"})
    assert late["state"] == "once"
    events = (await site.body("GET", f"/api/sessions/{session}/events", status=200))["items"]
    told = [each["data"]["approval"] for each in events if "approval" in each["data"]]
    assert [(each["id"], each["state"]) for each in told] == [(asked["id"], "open"), (asked["id"], "once")]


async def test_a_room_shows_what_its_members_wait_for(site: Site, errands: Errands) -> None:
    """The room's owner decides, in the room or in the side session; the owner of a borrowed expert does not (T5)."""
    ann, eve = await site.token_of("ann"), await site.token_of("eve")
    team = {"id": "crew", "name": "Crew", "member_ids": ["helper", "own"]}
    await site.body("POST", "/api/teams", status=201, json=team, token=ann)
    room = await ask(site, "crew", token=ann)
    side = f"{room}~helper"
    [asked] = await waiting(site, room, token=ann)
    assert (asked["session_id"], asked["room_id"]) == (side, room)
    assert await waiting(site, side, token=ann) == [asked]
    shown = await site.body("GET", f"/api/sessions/{room}", status=200, token=ann)
    assert (shown["phase"], shown["waiting_for"]) == ("IDLE", "approval")
    decision = {"json": {"decision": "once"}}
    assert (await site.refusal("GET", f"/api/sessions/{side}/approvals", status=403))[0] == "FORBIDDEN"
    assert (await site.refusal("POST", url(side, asked), status=403, **decision))[0] == "FORBIDDEN"
    for session in (room, side):
        code, _ = await site.refusal("POST", url(session, asked), status=404, token=eve, **decision)
        assert code == "SESSION_NOT_FOUND"
    await site.body("POST", url(side, asked), status=200, token=ann, **decision)
    await site.house.quiet()
    assert len(errands.done) == 1


async def test_what_is_not_there_cannot_be_decided(site: Site) -> None:
    """An approval of another session is none of this one's."""
    session, other = await ask(site, "own"), await ask(site, "own")
    [asked] = await waiting(site, session)
    for path in (url(other, asked), url(session, {"id": "NONSENSE"})):
        code, _ = await site.refusal("POST", path, status=404, json={"decision": "once"})
        assert code == "NOT_FOUND"
    code, details = await site.refusal("POST", url(session, asked), status=400, json={"decision": "always"})
    assert (code, details) == ("PARAM_INVALID", {"path": "decision"})
