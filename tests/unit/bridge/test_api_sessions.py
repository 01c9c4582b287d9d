"""Sessions over HTTP: open, say, read, stop, change, archive, delete; `/api` and `/v1` alike."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from bridge.api.phase import decide_phase
from store.agents import find_agent, save_agent
from store.database import Database, Transaction
from store.jobs import Job, add_job
from store.sessions import Session, add_session, find_session
from store.turns import Turn
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock
from tests.support.house import Ask, Say

KEYS = {
    "id", "agent_id", "is_git", "model_id", "title", "status", "session_key", "parent_id", "root_id", "path",
    "project_id", "workspace", "permission_level", "execution_mode", "updated_at", "phase", "waiting_for",
}  # fmt: skip


def script(asked: Ask) -> Say:
    """A host that dispatches on request, experts that answer."""
    if "agent_list" in asked.tools and "派活" in asked.prompt:
        return Say(text="我来安排。", calls=[("ask_agent", '{"agent_id": "writer", "message": "写一段"}')])
    return Say(text="**好的**。")


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path, script) as opened:
        yield opened


async def events(site: Site, session_id: str, **params: Any) -> list[dict[str, Any]]:
    return list((await site.body("GET", f"/api/sessions/{session_id}/events", status=200, params=params))["items"])


async def say(site: Site, session_id: str, text: str, key: str = "", path: str = "/api") -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    url = f"{path}/sessions/{session_id}/inputs"
    return await site.body("POST", url, status=202, json={"text": text}, headers=headers)


async def add(site: Site, session_id: str, **more: Any) -> str:
    """A session that was not opened over the API."""
    now = site.parts.clock.now()
    fields: dict[str, Any] = {
        "kind": "room",
        "agent_id": "studio",
        "owner_id": "owner",
        "principal": "user:owner",
        "app_id": "console",
        "created_at": now,
        "updated_at": now,
    }
    session = Session(id=session_id, **fields | more)
    await site.parts.database.write(partial(add_session, session=session))
    return session_id


async def test_a_whole_conversation_over_the_api(site: Site) -> None:
    """Open, say, read the events: the members' words come under their own names."""
    session_id = await site.open()
    assert set(await say(site, session_id, "派活")) == {"input_id"}
    await site.house.quiet()
    told = [(event["kind"], event["speaker"]["id"], event["text"]) for event in await events(site, session_id)]
    assert [each for each in told if each[0] not in ("turn_started", "turn_ended")] == [
        ("user_message", "owner", "派活"),
        ("host_message", "studio", "我来安排。"),
        ("job_dispatched", "studio", "已请 Writer 处理，请稍候…"),
        ("member_message", "writer", "**好的**。"),
        ("wrapup", "studio", "**好的**。"),
    ]


async def test_a_session_has_the_keys_of_the_contract(site: Site) -> None:
    session = await site.body("POST", "/api/sessions", status=201, json={"agent_id": "studio", "title": " 周报 "})
    assert set(session) >= KEYS
    assert (session["title"], session["phase"], session["status"], session["waiting_for"]) == (
        "周报",
        "IDLE",
        "ACTIVE",
        None,
    )
    assert (session["execution_mode"], session["permission_level"], session["path"]) == ("CLOUD", "default", "/root")
    assert await site.body("GET", f"/api/sessions/{session['id']}", status=200) == session
    row = await site.parts.database.read(partial(find_session, session_id=session["id"]))
    assert row is not None
    assert (row.principal, row.app_id, row.owner_id, row.kind) == ("user:owner", "console", "owner", "room")


async def test_v1_is_the_same_in_camel_case(site: Site) -> None:
    """Contract 5: camelCase accepted and returned, all keys; `projectKey` is project_id."""
    body = {"agentId": "studio", "executionMode": "LOCAL", "projectKey": "p1", "modelId": "other"}
    session = await site.body("POST", "/v1/sessions", status=201, json=body)
    assert {"agentId", "isGit", "modelId", "sessionKey", "permissionLevel", "projectKey", "waitingFor"} <= set(session)
    assert not [key for key in session if "_" in key]
    assert (session["projectKey"], session["executionMode"], session["modelId"]) == ("p1", "LOCAL", "other")
    same = await site.body("GET", f"/api/sessions/{session['id']}", status=200)
    assert (same["project_id"], same["execution_mode"]) == ("p1", "LOCAL")
    change = {"permissionLevel": "always_trust"}
    changed = await site.body("PATCH", f"/v1/sessions/{session['id']}", status=200, json=change)
    assert changed["permissionLevel"] == "always_trust"
    assert "inputId" in await say(site, session["id"], "hi", path="/v1")
    await site.house.quiet()
    page = await site.body("GET", f"/v1/sessions/{session['id']}/events", status=200)
    assert {"sessionId", "turnId", "jobId"} <= set(page["items"][0])
    assert page["items"][1]["speakerAgentId"] == "studio"
    assert (await site.body("GET", "/v1/sessions", status=200, params={"agentId": "studio"}))["items"]


async def test_v1_names_keys_in_errors_as_they_were_sent(site: Site) -> None:
    assert await site.refusal("POST", "/v1/sessions", status=400, json={}) == ("PARAM_INVALID", {"path": "agentId"})


async def test_the_list_is_newest_first_and_paged(site: Site, clock: FakeClock) -> None:
    opened = []
    for _ in range(5):
        opened.append(await site.open())
        await clock.advance(1)
    opened.append(await site.open("loner"))
    seen, cursor, pages = [], "", 0
    while cursor is not None:
        page = await site.body("GET", "/api/sessions", status=200, params={"limit": 2, "cursor": cursor})
        seen += [item["id"] for item in page["items"]]
        cursor, pages = page["next"], pages + 1
    assert (seen, pages) == (opened[::-1], 3)
    page = await site.body("GET", "/api/sessions", status=200, params={"agent_id": "loner"})
    assert [item["id"] for item in page["items"]] == opened[-1:]
    code, details = await site.refusal("GET", "/api/sessions", status=400, params={"cursor": "%%"})
    assert (code, details) == ("PARAM_INVALID", {"path": "cursor"})


async def test_someone_elses_session_does_not_exist(site: Site) -> None:
    """Contract 5: SESSION_NOT_FOUND, never FORBIDDEN; the same for one that never was."""
    session_id = await site.open()
    bob = await site.token_of("bob")
    for method, tail in (
        ("GET", ""),
        ("DELETE", ""),
        ("PATCH", ""),
        ("POST", "/archive"),
        ("POST", "/restore"),
        ("POST", "/inputs"),
        ("POST", "/stop"),
        ("GET", "/events"),
        ("GET", "/jobs"),
        ("GET", "/live"),
    ):
        body = {"text": "hi"} if tail == "/inputs" else {"title": "mine"}
        for path, token in ((f"/api/sessions/{session_id}", bob), ("/api/sessions/nowhere", bob)):
            code, details = await site.refusal(method, path + tail, status=404, token=token, json=body)
            assert (code, details) == ("SESSION_NOT_FOUND", {}), tail
    assert (await site.body("GET", "/api/sessions", token=bob, status=200))["items"] == []


@pytest.mark.both_databases
async def test_an_idempotency_key_is_accepted_once(site: Site) -> None:
    """The same key and body: the first receipt; another body: 409. The scope is the session."""
    session_id, other = await site.open(), await site.open()
    first = await say(site, session_id, "hi", key="k")
    assert await say(site, session_id, "hi", key="k") == first
    assert await say(site, session_id, "hi", key="k", path="/v1") == {"inputId": first["input_id"]}
    assert await say(site, other, "hi", key="k") != first
    url = f"/api/sessions/{session_id}/inputs"
    code, _ = await site.refusal("POST", url, status=409, json={"text": "ho"}, headers={"Idempotency-Key": "k"})
    assert code == "IDEMPOTENCY_CONFLICT"
    await site.house.quiet()
    assert [event["text"] for event in await events(site, session_id) if event["kind"] == "user_message"] == ["hi"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "text"),
        ({"text": "  "}, "text"),
        ({"text": 5}, "text"),
        ({"text": "x", "loud": True}, "loud"),
        ({"text": "nul \0"}, "text"),
        ({"text": "x", "attachments": [{"url": "https://a"}]}, "attachments[0].name"),
        ({"text": "x", "mentions": ["a", 1]}, "mentions[1]"),
        ([], "body"),
        (None, "body"),
    ],
)
async def test_a_bad_input_names_its_path(site: Site, body: Any, path: str) -> None:
    """Contract 5: schema errors are 400 PARAM_INVALID {path}."""
    url = f"/api/sessions/{await site.open()}/inputs"
    assert await site.refusal("POST", url, status=400, json=body) == ("PARAM_INVALID", {"path": path})


async def test_what_is_not_json_is_refused(site: Site) -> None:
    url = f"/api/sessions/{await site.open()}/inputs"
    for data in (b"", b"{", b"\xff", b"[" * 100_000):
        assert await site.refusal("POST", url, status=400, data=data) == ("PARAM_INVALID", {"path": "body"})
    lone_surrogate = b'{"text": "\\ud800"}'
    assert (await site.refusal("POST", url, status=400, data=lone_surrogate))[0] == "PARAM_INVALID"
    huge = BytesIO(b'{"text": "' + b"x" * 1_048_576 + b'"}')
    assert (await site.refusal("POST", url, status=413, data=huge))[0] == "PAYLOAD_TOO_LARGE"


async def test_errors_speak_the_language_of_the_request(site: Site) -> None:
    """Accept-Language, else the instance's own."""
    for header, message in (
        ("en-GB,en;q=0.9,zh;q=0.1", "There is no such session."),
        ("de, zh-TW;q=0.5", "会话不存在。"),
        ("en;q=0, de", "会话不存在。"),
        ("", "会话不存在。"),
        ("en;q=high", "会话不存在。"),
    ):
        body = await site.body("GET", "/api/sessions/x", status=404, headers={"Accept-Language": header})
        assert body == {"error": {"code": "SESSION_NOT_FOUND", "message": message, "details": {}}}


async def test_agents_that_cannot_be_chosen(site: Site) -> None:
    """S1's order and sentences: exists, enabled, visible."""

    async def spoil(tx: Transaction) -> None:
        for agent_id, change in (("loner", "enabled"), ("writer", "client_visible")):
            agent = await find_agent(tx, agent_id)
            assert agent is not None
            setattr(agent, change, False)
            await save_agent(tx, agent)

    await site.parts.database.write(spoil)
    nobody = {"agent_id": "nobody"}
    assert await site.refusal("POST", "/api/sessions", status=404, json=nobody) == ("AGENT_NOT_FOUND", {})
    for agent_id, reason, message in (
        ("loner", "agent_disabled", "该 Agent 已停用"),
        ("writer", "agent_not_visible", "该 Agent 不对客户端开放"),
    ):
        body = await site.body("POST", "/api/sessions", status=400, json={"agent_id": agent_id})
        assert body["error"] == {"code": "PARAM_INVALID", "message": message, "details": {"reason": reason}}
    bob = await site.token_of("bob")
    code, _ = await site.refusal("POST", "/api/sessions", status=404, token=bob, json={"agent_id": "studio"})
    assert code == "AGENT_NOT_FOUND"
    unknown = {"agent_id": "studio", "model_id": "gone"}
    assert await site.refusal("POST", "/api/sessions", status=400, json=unknown) == (
        "PARAM_INVALID",
        {"path": "model_id"},
    )


async def test_patch_changes_what_is_given(site: Site) -> None:
    url = f"/api/sessions/{await site.open(title='old')}"
    before = await site.body("GET", url, status=200)
    change = {"title": "new", "summary": "short", "memory_enabled": False, "model_id": "other"}
    after = await site.body("PATCH", url, status=200, json=change)
    assert after == before | change
    nothing = await site.ask("PATCH", url, json={"title": None})
    assert await nothing.json() == after
    assert (await site.body("PATCH", url, status=200, json={"model_id": ""}))["model_id"] is None
    code, details = await site.refusal("PATCH", url, status=400, json={"permission_level": "root"})
    assert (code, details) == ("PARAM_INVALID", {"path": "permission_level"})


async def test_archive_restore_and_delete(site: Site) -> None:
    session_id = await site.open()
    url = f"/api/sessions/{session_id}"
    assert (await site.body("POST", f"{url}/archive", status=200))["status"] == "ARCHIVED"
    code, _ = await site.refusal("POST", f"{url}/inputs", status=409, json={"text": "hi"})
    assert code == "SESSION_ARCHIVED"
    assert (await site.body("GET", "/api/sessions", status=200, params={"status": "ACTIVE"}))["items"] == []
    assert (await site.body("POST", f"{url}/restore", status=200))["status"] == "ACTIVE"
    assert (await site.ask("DELETE", url)).status == 204
    assert (await site.refusal("GET", url, status=404))[0] == "SESSION_NOT_FOUND"
    assert (await site.body("GET", "/api/sessions", status=200))["items"] == []


async def test_a_busy_session_is_neither_archived_nor_deleted(site: Site, clock: FakeClock) -> None:
    """A pending input, a live turn, an open or untaken job."""
    session_id = await site.open()
    await site.parts.database.write(partial(add_job, job=job(clock, session_id)))
    url = f"/api/sessions/{session_id}"
    for method, tail in (("POST", "/archive"), ("DELETE", "")):
        assert (await site.refusal(method, url + tail, status=409))[0] == "SESSION_BUSY"
    assert (await site.body("GET", url, status=200))["status"] == "ACTIVE"


async def test_stop_ends_the_current_turn(database: Database, clock: FakeClock, tmp_path: Path) -> None:
    """T16: 200 {"stopped"}; the phase tells before and after."""
    answers: list[Say | asyncio.Future[Say]] = [asyncio.get_running_loop().create_future(), Say(text="second")]
    async with open_site(database, clock, tmp_path, lambda asked: answers.pop(0)) as site:
        session_id = await site.open()
        url = f"/api/sessions/{session_id}"
        assert await site.body("POST", f"{url}/stop", status=200) == {"stopped": False}
        await say(site, session_id, "hi")
        await site.house.until(lambda: bool(site.house.models.asked))
        assert (await site.body("GET", url, status=200))["phase"] == "RUNNING"
        await say(site, session_id, "more")
        assert await site.body("POST", f"{url}/stop", status=200) == {"stopped": True}
        await site.house.quiet()
        assert (await site.body("GET", url, status=200))["phase"] == "IDLE"
        ends = [event["data"]["status"] for event in await events(site, session_id) if event["kind"] == "turn_ended"]
        assert ends == ["stopped", "completed"]


def job(clock: FakeClock, room_id: str, **more: Any) -> Job:
    fields: dict[str, Any] = {"id": "j1", "number": 1, "member_id": "writer", "member_name": "Writer"}
    fields |= {"side_session_id": f"{room_id}~writer", "turn_id": "t", "call": "1.0", "round_id": "r", "message": "写"}
    return Job(room_id=room_id, created_at=clock.now(), **fields | more)


async def test_a_side_session_takes_no_input_and_stop_cancels_its_job(site: Site, clock: FakeClock) -> None:
    """T17: on a member's side session stop cancels that job, and nobody speaks there from outside."""
    room = await site.open()
    side = await add(site, f"{room}~writer", kind="side", agent_id="writer", principal="room:x", root_id=room)
    url = f"/api/sessions/{side}"
    assert await site.body("POST", f"{url}/stop", status=200) == {"stopped": False}
    await site.parts.database.write(partial(add_job, job=job(clock, room)))
    assert await site.body("POST", f"{url}/stop", status=200) == {"stopped": True}
    (cancelled,) = (await site.body("GET", f"/api/sessions/{room}/jobs", status=200))["items"]
    assert (cancelled["state"], cancelled["reason"]) == ("cancelled", "已被取消")
    code, details = await site.refusal("POST", f"{url}/inputs", status=400, json={"text": "hi"})
    assert (code, details) == ("PARAM_INVALID", {"reason": "not_accepting"})


async def test_the_owner_reads_a_chats_session_but_never_speaks_there(site: Site) -> None:
    """X2: people of a channel are themselves, and the owner does not act as one of them."""
    session_id = await add(site, "chat1", principal="person:p1", app_id="hook")
    assert (await site.body("GET", f"/api/sessions/{session_id}", status=200))["id"] == session_id
    code, _ = await site.refusal("POST", f"/api/sessions/{session_id}/inputs", status=403, json={"text": "hi"})
    assert code == "FORBIDDEN"


async def test_events_are_paged_by_their_number(site: Site) -> None:
    session_id = await site.open()
    for text in ("one", "two", "three"):
        await say(site, session_id, text)
        await site.house.quiet()
    whole = await events(site, session_id)
    assert [event["seq"] for event in whole] == list(range(1, len(whole) + 1))
    assert await events(site, session_id, after=5) == whole[5:]
    url, seen, cursor = f"/api/sessions/{session_id}/events", [], ""
    while cursor is not None:
        page = await site.body("GET", url, status=200, params={"limit": 4, "cursor": cursor})
        seen += page["items"]
        cursor = page["next"]
    assert seen == whole
    for params in ({"after": -1}, {"after": "x"}, {"limit": 0}, {"limit": 1001}, {"cursor": "x"}, {"after": 2**63}):
        code, details = await site.refusal("GET", url, status=400, params=params)
        assert (code, details) == ("PARAM_INVALID", {"path": next(iter(params))})


async def test_events_come_as_html_on_request(site: Site) -> None:
    """For pages of ours: only what agents say, and never anything that runs."""
    session_id = await site.open()
    await say(site, session_id, "<b>hi</b>")
    await site.house.quiet()
    assert all("html" not in event for event in await events(site, session_id))
    by_kind = {event["kind"]: event for event in await events(site, session_id, render="html")}
    assert "html" not in by_kind["user_message"]
    assert by_kind["host_message"]["html"] == "<p><strong>好的</strong>。</p>\n"


async def test_a_job_can_be_cancelled_by_its_rooms_owner(site: Site, clock: FakeClock) -> None:
    """T29: 202 with the job; someone else's is not found."""
    room = await site.open()
    await add(site, f"{room}~writer", kind="side", agent_id="writer", principal="room:x")
    await site.parts.database.write(partial(add_job, job=job(clock, room)))
    bob = await site.token_of("bob")
    for job_id, token in (("j1", bob), ("nothing", bob)):
        assert (await site.refusal("POST", f"/api/jobs/{job_id}/cancel", status=404, token=token))[0] == "NOT_FOUND"
    cancelled = await site.body("POST", "/api/jobs/j1/cancel", status=202)
    assert (cancelled["state"], cancelled["session_id"], cancelled["agent_id"]) == ("cancelled", room, "writer")
    assert (await site.body("POST", "/api/jobs/j1/cancel", status=202))["state"] == "cancelled"


@pytest.mark.parametrize(
    ("turn", "pending", "phase"),
    [
        (None, False, "IDLE"),
        (None, True, "QUEUED"),
        ({"run": "r"}, True, "RUNNING"),
        ({"run": "r", "stopping": True}, False, "CANCELLING"),
        ({"run": "r", "parked": True}, False, "RESUMING"),
        ({"run": ""}, False, "RESUMING"),
        ({"run": "", "waiting_for": "approval"}, True, "WAITING_APPROVAL"),
        ({"run": "", "waiting_for": "approval", "stopping": True}, False, "CANCELLING"),
        ({"run": "", "waiting_for": "decided"}, False, "RESUMING"),
    ],
)
def test_phases(turn: dict[str, Any] | None, pending: bool, phase: str) -> None:
    live = None if turn is None else Turn(**{"stopping": False, "parked": False} | turn)
    assert decide_phase(live, pending=pending) == phase
