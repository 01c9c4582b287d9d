"""Switching and reopening over HTTP: the classes of S1 by code and text, both mounts, and the guard of "unchanged"."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from store.agents import find_agent, save_agent
from store.database import Database, Transaction
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def change(site: Site, agent_id: str, **values: Any) -> None:
    async def work(tx: Transaction) -> None:
        agent = await find_agent(tx, agent_id)
        assert agent is not None
        for name, value in values.items():
            setattr(agent, name, value)
        await save_agent(tx, agent)

    await site.parts.database.write(work)


@pytest.mark.parametrize(("path", "key"), [("/api", "agent_id"), ("/v1", "agentId")])
async def test_a_switch_answers_with_the_whole_session(site: Site, path: str, key: str) -> None:
    """S1: legal; both mounts, one of them in camelCase."""
    session_id = await site.open("loner")
    body = await site.body("PATCH", f"{path}/sessions/{session_id}", status=200, json={key: "writer"})
    assert (body["id"], body[key], body["status"]) == (session_id, "writer", "ACTIVE")


@pytest.mark.parametrize("method", ["PATCH", "POST"])
@pytest.mark.parametrize(
    ("values", "status", "code", "details", "chinese", "english"),
    [
        (None, 404, "AGENT_NOT_FOUND", {}, None, None),
        (
            {"enabled": False},
            400,
            "PARAM_INVALID",
            {"reason": "agent_disabled"},
            "该 Agent 已停用",
            "This agent is disabled",
        ),
        (
            {"client_visible": False},
            400,
            "PARAM_INVALID",
            {"reason": "agent_not_visible"},
            "该 Agent 不对客户端开放",
            "This agent is not open to clients",
        ),
    ],
)
async def test_who_cannot_be_chosen(
    site: Site,
    method: str,
    values: dict[str, Any] | None,
    status: int,
    code: str,
    details: dict[str, Any],
    chinese: str | None,
    english: str | None,
) -> None:
    """S1: missing, disabled, not visible, by code and text; switching and reopening alike."""
    target = "writer" if values else "nobody"
    if values:
        await change(site, "writer", **values)
    session_id = await site.open("loner")
    url = f"/api/sessions/{session_id}" + ("" if method == "PATCH" else "/reopen-with-agent")
    for language, text in (("zh-CN", chinese), ("en", english)):
        headers = {"Accept-Language": language}
        answer = await site.body(method, url, status=status, json={"agent_id": target}, headers=headers)
        assert (answer["error"]["code"], answer["error"]["details"]) == (code, details)
        assert text is None or answer["error"]["message"] == text


RECORDED = (
    b'{"id":"SESSION","agent_id":"loner","kind":"direct","app_id":"console","is_git":false,"model_id":null,'
    b'"title":"t","summary":"","status":"ACTIVE","session_key":"","parent_id":null,"root_id":"SESSION",'
    b'"path":"/root","project_id":"","workspace":"loner","permission_level":"default","execution_mode":"CLOUD",'
    b'"memory_enabled":true,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","seq":0,'
    b'"phase":"IDLE","waiting_for":null}'
)
"""What a PATCH without agent_id answered when there was no switching."""


@pytest.mark.parametrize("body", [{"title": "t"}, {"title": "t", "agent_id": None}])
async def test_an_answer_without_a_switch_is_the_recorded_one_byte_for_byte(site: Site, body: dict[str, Any]) -> None:
    """S1: null or absent is unchanged, and nothing was added to the answer."""
    session_id = await site.open("loner")
    response = await site.ask("PATCH", f"/api/sessions/{session_id}", json=body)
    assert (await response.read()).replace(session_id.encode(), b"SESSION") == RECORDED


async def test_a_key_of_a_reopening_is_used_for_one_agent(site: Site) -> None:
    """S7: with another agent it is a conflict, and nothing is reopened again."""
    session_id = await site.open("loner")
    url, headers = f"/api/sessions/{session_id}/reopen-with-agent", {"Idempotency-Key": "k"}
    await site.body("POST", url, status=201, json={"agent_id": "writer"}, headers=headers)
    refusal = await site.refusal("POST", url, status=409, json={"agent_id": "researcher"}, headers=headers)
    assert refusal[0] == "IDEMPOTENCY_CONFLICT"
    listed = await site.body("GET", "/api/sessions", status=200)
    assert sorted(each["agent_id"] for each in listed["items"]) == ["loner", "writer"]


async def test_null_and_absent_leave_the_agent_and_the_answer_alone(site: Site) -> None:
    """S1: the answer to a PATCH without agent_id equals the one with null, byte for byte."""
    session_id = await site.open("loner")
    answers = []
    for body in ({"title": "t"}, {"title": "t", "agent_id": None}):
        response = await site.ask("PATCH", f"/api/sessions/{session_id}", json=body)
        answers.append(await response.read())
    assert answers[0] == answers[1]
    assert b'"agent_id":"loner"' in answers[0]


@pytest.mark.parametrize(("opened", "target"), [("studio", "writer"), ("loner", "studio")])
async def test_teams_stay_teams(site: Site, opened: str, target: str) -> None:
    """S4: on either side."""
    session_id = await site.open(opened)
    refusal = await site.refusal("PATCH", f"/api/sessions/{session_id}", status=400, json={"agent_id": target})
    assert refusal == ("PARAM_INVALID", {"path": "agent_id"})
    url = f"/api/sessions/{session_id}/reopen-with-agent"
    assert await site.refusal("POST", url, status=400, json={"agent_id": target}) == refusal


async def test_an_archived_session_is_neither_switched_nor_reopened(site: Site) -> None:
    """S4."""
    session_id = await site.open("loner")
    await site.body("POST", f"/api/sessions/{session_id}/archive", status=200)
    for method, end in (("PATCH", ""), ("POST", "/reopen-with-agent")):
        url = f"/api/sessions/{session_id}{end}"
        assert (await site.refusal(method, url, status=409, json={"agent_id": "writer"}))[0] == "SESSION_ARCHIVED"


async def test_someone_elses_session_is_not_found(site: Site) -> None:
    """S7: owner first."""
    session_id = await site.open("loner")
    bob = await site.token_of("bob")
    for method, end in (("PATCH", ""), ("POST", "/reopen-with-agent")):
        url = f"/api/sessions/{session_id}{end}"
        refusal = await site.refusal(method, url, status=404, json={"agent_id": "writer"}, token=bob)
        assert refusal[0] == "SESSION_NOT_FOUND"


@pytest.mark.parametrize(
    ("path", "agent", "note"), [("/api", "agent_id", "handover_note"), ("/v1", "agentId", "handoverNote")]
)
async def test_a_reopened_session_comes_with_a_note_once(site: Site, path: str, agent: str, note: str) -> None:
    """S7: 201 with the new session and the note; the same Idempotency-Key gives the same again."""
    session_id = await site.open("loner")
    await site.body("POST", f"/api/sessions/{session_id}/inputs", status=202, json={"text": "hello"})
    await site.house.quiet()
    ask = partial(
        site.body,
        "POST",
        f"{path}/sessions/{session_id}/reopen-with-agent",
        status=201,
        json={agent: "writer"},
        headers={"Idempotency-Key": "k1"},
    )
    first = await ask()
    assert first[note] == "好的。"
    assert await ask() == first
    old = await site.body("GET", f"/api/sessions/{session_id}", status=200)
    assert old["status"] == "ARCHIVED"
    await site.body("POST", f"/api/sessions/{session_id}/restore", status=200)


async def test_the_ledger_is_shown_by_scene_in_the_readers_language(site: Site) -> None:
    """S7: scene and label."""
    session_id = await site.open("loner")
    await site.body("POST", f"/api/sessions/{session_id}/inputs", status=202, json={"text": "hello"})
    await site.house.quiet()
    for language, label in (("zh-CN", "对话"), ("en", "Chat")):
        body = await site.body("GET", "/api/usage", status=200, headers={"Accept-Language": language})
        assert [(each["scene"], each["label"], each["answers"]) for each in body["items"]] == [("chat", label, 1)]
