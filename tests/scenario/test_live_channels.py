"""A team and its channel are made while the program runs, and are there after the next start (T19, X5, contract 5)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from tests.support.casts import always, cast
from tests.support.keys import secret_of
from tests.support.model_request import mark
from tests.support.program import Nursery
from tests.support.world import World, world

MEMBERS = ["researcher", "writer"]


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(tmp_path: Path, nursery: Nursery) -> AsyncIterator[World]:
    async with world(tmp_path, launcher=nursery) as running:
        running.model.play = cast(always("请进。"))
        yield running


async def _make(fresh: World, **more: Any) -> str:
    """A team of mine with a channel `mine`; the team's id."""
    body: dict[str, Any] = {"name": "我的团队", "member_ids": MEMBERS, "guidelines": mark("team", "mine")}
    team = await fresh.api.post("/api/teams", body)
    assert team.status == 201, team.body
    body = {"platform": "webhook", "id": "mine", "agent_id": team.body["team_id"], "secret": secret_of("mine")}
    body |= {"access": "open", "callback_url": fresh.callback.url("mine"), "response_mode": "final"} | more
    channel = await fresh.api.post("/api/channels", body)
    assert channel.status == 201, channel.body
    assert (channel.body["state"], channel.body["response_mode"]) == ("connected", "stream")
    return str(team.body["team_id"])


async def test_a_channel_comes_changes_and_goes(fresh: World) -> None:
    """Start, re-configure and stop live: no restart, no other channel disturbed."""
    guest, other = fresh.guest(channel="mine"), fresh.guest()
    assert (await guest.send("在吗")).status == 404
    await _make(fresh)
    await guest.say("在吗")
    (heard,) = await guest.hears(1)
    assert (heard.kind, heard.text) == ("host", "请进。")
    await fresh.api.patch("/api/channels/mine", {"access": "allowlist"})
    assert (await guest.send("还在吗")).status == 403
    await fresh.api.patch("/api/channels/mine", {"enabled": False})
    assert (await guest.send("还在吗")).status == 404
    await fresh.api.patch("/api/channels/mine", {"enabled": True, "access": "open", "secret": secret_of("new")})
    assert (await guest.send("还在吗")).status == 401
    guest.secret = secret_of("new")
    await guest.say("还在吗")
    assert (await fresh.api.delete("/api/channels/mine")).status == 204
    assert (await guest.send("还在吗")).status == 404
    await other.say("在吗")
    await other.hears(1)
    assert (await fresh.api.get("/readyz")).status == 200


async def test_what_was_made_survives_a_restart_and_a_kill(fresh: World) -> None:
    """The roster, the channel and its secret; nothing of it stands readable on the disk."""
    team_id = await _make(fresh)
    await fresh.program.kill()
    await fresh.again()
    guest = fresh.guest(channel="mine")
    await guest.say("在吗")
    await guest.hears(1)
    assert (await fresh.api.ok(f"/api/teams/{team_id}"))["member_ids"] == MEMBERS
    data = fresh.program.folder / "data"
    assert data.stat().st_mode & 0o777 == 0o700
    assert (data / "secret.key").stat().st_mode & 0o777 == 0o600
    key = secret_of("mine").removeprefix("whsec_").encode()
    for path in data.rglob("*"):
        assert path.is_dir() or key not in path.read_bytes(), path
    assert key.decode() not in fresh.program.stderr


async def test_what_waits_for_a_channel_is_sent_when_it_comes_back(fresh: World) -> None:
    """Switched off it keeps its answers, re-pointed it sends them to the new place."""
    await _make(fresh, callback_url="http://127.0.0.1:9/nobody")
    guest = fresh.guest(channel="mine")
    await guest.say("在吗")
    await fresh.api.patch("/api/channels/mine", {"enabled": False})
    await fresh.api.patch("/api/channels/mine", {"enabled": True, "callback_url": fresh.callback.url("mine")})
    (heard,) = await guest.hears(1)
    assert heard.text == "请进。"
