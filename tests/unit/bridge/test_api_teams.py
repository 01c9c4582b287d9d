"""Teams over the API: every code of the contract, with its status and details."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from store.agents import find_agent
from store.database import Database, Transaction
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock
from tests.support.house import Ask, Say

WORKSPACES = "workspaces"


class Work:
    """The host hands work to `target`, whose answer waits until the test gives it."""

    def __init__(self) -> None:
        self.target = "writer"
        self.answer: asyncio.Future[Say] | None = None

    def __call__(self, asked: Ask) -> "Say | asyncio.Future[Say]":
        if "agent_list" in asked.tools and "开始" in asked.prompt:
            arguments = json.dumps({"agent_id": self.target, "message": "干活"})
            return Say(text="好。", calls=[("ask_agent", arguments)])
        if "agent_list" in asked.tools or self.answer is None:
            return Say(text="完成。")
        return self.answer

    def hold(self) -> None:
        self.answer = asyncio.get_running_loop().create_future()

    def release(self) -> None:
        assert self.answer is not None
        self.answer.set_result(Say(text="好了。"))


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path, work: Work) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path, work) as opened:
        yield opened


def manifest(folder: Path, team_id: str) -> Path:
    return folder / WORKSPACES / team_id / ".teambridge" / "manifest.json"


async def create(site: Site, **body: Any) -> Any:
    return await site.body("POST", "/api/teams", status=201, json=body)


async def refused(site: Site, status: int, method: str = "POST", path: str = "/api/teams", **body: Any) -> Any:
    return await site.refusal(method, path, status=status, json=body)


async def busy_room(site: Site, work: Work, team_id: str) -> str:
    """A room of the team in which a member works."""
    work.hold()
    room = await site.open(team_id)
    await site.body("POST", f"/api/sessions/{room}/inputs", status=202, json={"text": "开始"})
    await site.house.until(lambda: any("干活" in asked.prompt for asked in site.house.models.asked))
    return room


@pytest.mark.both_databases
async def test_a_team_is_made_with_its_folder(site: Site, tmp_path: Path) -> None:
    """T2; architecture 8: persona, rules with the owner's guidelines, manifest."""
    team = await create(
        site,
        name="  内容  工作室 ",
        member_ids=["writer", "loner"],
        description="写作",
        model="other",
        icon_url=":memo:",
        color="#336699",
        welcome_message="你好",
        guidelines="先问清楚。",
    )
    assert team["team_id"] == team["agent_id"]
    assert (team["name"], team["kind"], team["state"], team["origin"]) == ("内容 工作室", "team", "running", "api")
    assert (team["icon_url"], team["welcome_message"], team["guidelines"]) == (":memo:", "你好", "先问清楚。")
    assert [each["agent_id"] for each in team["members"]] == team["member_ids"] == ["writer", "loner"]
    assert await site.body("GET", f"/api/teams/{team['team_id']}", status=200) == team
    agent = await site.body("GET", f"/api/agents/{team['team_id']}", status=200)
    assert (agent["icon"], agent["welcome"], agent["member_ids"]) == (":memo:", "你好", ["writer", "loner"])
    stored = json.loads(manifest(tmp_path, team["team_id"]).read_text())
    assert stored == {"kind": "team", "members": ["writer", "loner"]}


@pytest.mark.parametrize(
    ("member_ids", "wrong"),
    [
        (["writer", "nobody"], ["nobody"]),
        (["writer", "studio"], ["studio"]),
        (["writer", "theirs"], ["theirs"]),
        (["writer", ""], [""]),
        (["writer", "  "], ["  "]),
        (["writer", "writer"], ["writer"]),
        (["writer", "loner", "writer", "nobody"], ["writer", "nobody"]),
        ([""], [""]),
    ],
)
async def test_members_that_cannot_be(site: Site, member_ids: list[str], wrong: list[str]) -> None:
    """T2, T3, T4: unknown, a team, somebody else's, blank, repeated; checked before how many there are."""
    ann = await site.token_of("ann")
    await site.body("POST", "/api/agents", status=201, token=ann, json={"id": "theirs", "name": "Theirs"})
    assert await refused(site, 400, name="T", member_ids=member_ids) == (
        "TEAM_MEMBER_INVALID",
        {"member_agent_ids": wrong},
    )
    assert await refused(site, 400, "PATCH", "/api/teams/studio", member_ids=member_ids) == (
        "TEAM_MEMBER_INVALID",
        {"member_agent_ids": wrong},
    )


@pytest.mark.parametrize("member_ids", [[], ["writer"]])
async def test_too_few_members(site: Site, member_ids: list[str]) -> None:
    few = ("TEAM_MEMBERS_TOO_FEW", {"min_members": 2})
    assert await refused(site, 400, name="T", member_ids=member_ids) == few
    assert await refused(site, 400, "PATCH", "/api/teams/studio", member_ids=member_ids) == few


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": " "}, "name"),
        ({"name": None}, "name"),
        ({"model": "gone"}, "model"),
        ({"id": "Big"}, "id"),
        ({"id": "writer"}, "id"),
        ({"instructions": "x"}, "instructions"),
        ({"tools": []}, "tools"),
        ({"skills": []}, "skills"),
        ({"sub_agents": []}, "sub_agents"),
        ({"persona": "x"}, "persona"),
        ({"member_ids": None}, "member_ids"),
        ({"member_ids": [1, 2]}, "member_ids[0]"),
    ],
)
async def test_what_a_team_does_not_take(site: Site, body: dict[str, Any], path: str) -> None:
    """Contract 5: PARAM_INVALID names the key, by either route."""
    whole = {"name": "T", "member_ids": ["writer", "loner"]} | body
    assert await refused(site, 400, **whole) == ("PARAM_INVALID", {"path": path})
    assert len((await site.body("GET", "/api/teams", status=200))["items"]) == 1
    if path in ("name", "model", "instructions", "tools", "skills", "persona") and body.get(path, "") is not None:
        for route in ("teams", "agents"):
            assert await refused(site, 400, "PATCH", f"/api/{route}/studio", **body) == (
                "PARAM_INVALID",
                {"path": path},
            )


@pytest.mark.parametrize("body", [{"visibility": "shared"}, {"is_shared": True}, {"shared_with": ["ann"]}])
async def test_teams_are_not_shareable(site: Site, body: dict[str, Any]) -> None:
    """T6: in whatever way, by whatever route."""
    no: tuple[str, Any] = ("TEAM_NOT_SHAREABLE", {})
    assert await refused(site, 400, name="T", member_ids=["writer", "loner"], **body) == no
    assert await refused(site, 400, "PATCH", "/api/teams/studio", **body) == no
    if "is_shared" not in body:
        assert await refused(site, 400, "PATCH", "/api/agents/studio", **body) == no
    for method in ("POST", "DELETE"):
        assert await site.refusal(method, "/api/agents/studio/publish", status=400) == no


@pytest.mark.both_databases
async def test_a_team_is_changed_by_either_route(site: Site) -> None:
    changed = await site.body(
        "PATCH",
        "/api/teams/studio",
        status=200,
        json={"name": "新名", "icon_url": ":star:", "member_ids": ["loner", "writer"], "guidelines": "短。"},
    )
    assert (changed["name"], changed["icon_url"], changed["guidelines"]) == ("新名", ":star:", "短。")
    assert changed["member_ids"] == ["loner", "writer"]
    agent = await site.body("PATCH", "/api/agents/studio", status=200, json={"welcome": "嗨", "enabled": False})
    assert (agent["name"], agent["welcome"], agent["state"]) == ("新名", "嗨", "stopped")
    team = await site.body("GET", "/api/teams/studio", status=200)
    assert (team["welcome_message"], team["state"], team["member_ids"]) == ("嗨", "stopped", ["loner", "writer"])


@pytest.mark.both_databases
async def test_nobody_at_work_leaves_the_roster(site: Site, work: Work) -> None:
    """T7: 409 with the ids, until the job is over; others may come and go meanwhile."""
    room = await busy_room(site, work, "studio")
    busy = ("TEAM_MEMBER_BUSY", {"member_agent_ids": ["writer"]})
    members = (await site.body("GET", "/api/teams/studio", status=200))["members"]
    assert {each["agent_id"]: each["busy"] for each in members} == {"researcher": False, "writer": True}
    assert await refused(site, 409, "PATCH", "/api/teams/studio", member_ids=["researcher", "loner"]) == busy
    assert await site.refusal("DELETE", "/api/teams/studio", status=409) == busy
    assert await site.refusal("DELETE", "/api/agents/studio", status=409) == busy
    await site.body("PATCH", "/api/teams/studio", status=200, json={"member_ids": ["writer", "loner"]})
    work.release()
    await site.house.quiet()
    jobs = (await site.body("GET", f"/api/sessions/{room}/jobs", status=200))["items"]
    assert [job["state"] for job in jobs] == ["done"]
    await site.body("PATCH", "/api/teams/studio", status=200, json={"member_ids": ["researcher", "loner"]})
    assert (await site.ask("DELETE", "/api/teams/studio")).status == 204
    assert (await site.refusal("GET", "/api/teams/studio", status=404))[0] == "TEAM_NOT_FOUND"


async def test_the_lock_ends_with_a_cancel(site: Site, work: Work) -> None:
    """T7, T29."""
    room = await busy_room(site, work, "studio")
    (job,) = (await site.body("GET", f"/api/sessions/{room}/jobs", status=200))["items"]
    for _ in range(2):
        assert (await site.body("POST", f"/api/jobs/{job['id']}/cancel", status=202))["state"] == "cancelled"
    await site.body("PATCH", "/api/teams/studio", status=200, json={"member_ids": ["researcher", "loner"]})


@pytest.mark.both_databases
async def test_deleting_an_expert(site: Site, work: Work, tmp_path: Path) -> None:
    """T7: not while it works, not if a team would be left with one; then it leaves every roster."""
    await create(site, id="trio", name="Trio", member_ids=["writer", "researcher", "loner"])
    room = await busy_room(site, work, "trio")
    assert await site.refusal("DELETE", "/api/agents/writer", status=409) == (
        "TEAM_MEMBER_BUSY",
        {"member_agent_ids": ["writer"]},
    )
    work.release()
    await site.house.quiet()
    assert await site.refusal("DELETE", "/api/agents/writer", status=409) == (
        "TEAM_MEMBERS_TOO_FEW",
        {"team_ids": ["studio"]},
    )
    assert (await site.ask("DELETE", "/api/agents/loner")).status == 204
    assert (await site.body("GET", "/api/teams/trio", status=200))["member_ids"] == ["writer", "researcher"]
    assert (await site.refusal("GET", "/api/agents/loner", status=404))[0] == "AGENT_NOT_FOUND"
    assert await site.refusal("POST", "/api/agents", status=400, json={"id": "loner", "name": "L"}) == (
        "PARAM_INVALID",
        {"path": "id"},
    )
    assert (await site.body("GET", f"/api/sessions/{room}", status=200))["agent_id"] == "trio"


@pytest.mark.parametrize("content", ["{", '{"kind": "expert", "members": []}', None])
async def test_a_damaged_manifest_is_never_overwritten(site: Site, tmp_path: Path, content: str | None) -> None:
    """T37: state error with the reason; changes of the roster are refused, others are not."""
    path = manifest(tmp_path, "studio")
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    team = await site.body("GET", "/api/teams/studio", status=200)
    assert (team["state"], team["member_ids"]) == ("error", [])
    assert team["state_reason"].startswith("manifest.json: ")
    code, _ = await refused(site, 409, "PATCH", "/api/teams/studio", member_ids=["writer", "loner"])
    assert code == "TEAM_DAMAGED"
    assert (await site.body("PATCH", "/api/teams/studio", status=200, json={"name": "S"}))["name"] == "S"
    assert (await site.ask("DELETE", "/api/agents/loner")).status == 204
    assert (path.read_text() if path.exists() else None) == content


@pytest.mark.both_databases
async def test_a_failed_commit_brings_the_manifest_back(site: Site, tmp_path: Path) -> None:
    """The file is renamed into place before the commit, and goes back with it."""
    before = manifest(tmp_path, "studio").read_text()
    await site.parts.database.write(lambda tx: tx.orm.execute(text("DROP TABLE audit")))
    body = {"member_ids": ["loner", "writer"], "guidelines": "x"}
    assert (await site.ask("PATCH", "/api/teams/studio", json=body)).status in (500, 503)
    assert manifest(tmp_path, "studio").read_text() == before
    assert site.house.rosters.guidelines("studio") == ""


async def test_what_the_file_manages_is_read_only(site: Site) -> None:
    """Contract 2: 409, by every route."""

    async def adopt(tx: Transaction) -> None:
        for agent_id in ("studio", "writer"):
            agent = await find_agent(tx, agent_id)
            assert agent is not None
            agent.origin = "config"

    await site.parts.database.write(adopt)
    for path in ("teams/studio", "agents/studio", "agents/writer"):
        assert await refused(site, 409, "PATCH", f"/api/{path}", name="N") == ("MANAGED_BY_CONFIG", {})
        assert await site.refusal("DELETE", f"/api/{path}", status=409) == ("MANAGED_BY_CONFIG", {})
    for method in ("POST", "DELETE"):
        assert await site.refusal(method, "/api/agents/writer/publish", status=409) == ("MANAGED_BY_CONFIG", {})


@pytest.mark.parametrize("path", ["teams/studio", "agents/studio", "agents/writer"])
@pytest.mark.both_databases
async def test_two_editors_do_not_overwrite_each_other(site: Site, path: str) -> None:
    seen = (await site.body("GET", f"/api/{path}", status=200))["updated_at"]
    first = await site.body("PATCH", f"/api/{path}", status=200, json={"name": "A"}, headers={"If-Match": f'"{seen}"'})
    code, details = await site.refusal(
        "PATCH", f"/api/{path}", status=409, json={"name": "B"}, headers={"If-Match": f'"{seen}"'}
    )
    assert (code, details) == ("EDIT_CONFLICT", {"updated_at": first["updated_at"]})
    now = {"If-Match": first["updated_at"]}
    assert (await site.body("PATCH", f"/api/{path}", status=200, json={"name": "B"}, headers=now))["name"] == "B"
    assert (await site.body("PATCH", f"/api/{path}", status=200, json={"name": "C"}))["name"] == "C"
    bad = {"If-Match": "what"}
    assert await site.refusal("PATCH", f"/api/{path}", status=400, json={"name": "D"}, headers=bad) == (
        "PARAM_INVALID",
        {"path": "If-Match"},
    )


async def test_an_expert_has_no_members(site: Site) -> None:
    for key, value in (("member_ids", ["loner"]), ("guidelines", "x")):
        assert await refused(site, 400, "PATCH", "/api/agents/writer", **{key: value}) == (
            "PARAM_INVALID",
            {"path": key},
        )
    assert (await refused(site, 404, "PATCH", "/api/teams/writer", name="X"))[0] == "TEAM_NOT_FOUND"


@pytest.mark.both_databases
async def test_a_member_taken_off_meanwhile_gets_no_work(site: Site, work: Work) -> None:
    """A dispatch looks at the roster as it is, not as it was when the host began to think."""
    thinking: asyncio.Future[Say] = asyncio.get_running_loop().create_future()
    asked: list[Ask] = []

    def script(ask: Ask) -> "Say | asyncio.Future[Say]":
        asked.append(ask)
        return thinking if len(asked) == 1 else Say(text="那就算了。")

    site.house.models.script = script
    room = await site.open("studio")
    await site.body("POST", f"/api/sessions/{room}/inputs", status=202, json={"text": "hi"})
    await site.house.until(lambda: bool(asked))
    await site.body("PATCH", "/api/teams/studio", status=200, json={"member_ids": ["researcher", "loner"]})
    thinking.set_result(Say(calls=[("ask_agent", '{"agent_id": "writer", "message": "干活"}')]))
    await site.house.quiet()
    assert (await site.body("GET", f"/api/sessions/{room}/jobs", status=200))["items"] == []
    assert "valid ids: researcher, loner" in str(asked[-1].messages)
