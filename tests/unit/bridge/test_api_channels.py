"""Channels over the API: made, changed and deleted while the program runs; their secrets only go in."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bridge.cli.findings import Finding, failed, ok
from bridge.config import ChannelConfig, WebhookChannel
from bridge.storedchannels import Broken, all_channels
from bridge.supervisor import ChannelHealth
from bridge.vault import KEY_FILE, Vault
from store.chats import Chat, add_chat
from store.database import Database, Transaction
from store.people import Person, add_person
from tests.support.api_server import SECRET, Site, StandIn, open_site
from tests.support.clock import FakeClock

OTHER = "whsec_b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXI="
TOKEN = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
HOOK: dict[str, Any] = {"platform": "webhook", "id": "second", "agent_id": "writer", "secret": OTHER}


class Linked(StandIn):
    """A channel whose bot has a link."""

    LINK = "https://t.me/tea_bot"

    def link(self) -> str:
        return self.LINK


class Probe:
    """What the platform says when it is asked."""

    def __init__(self) -> None:
        self.asked: list[ChannelConfig] = []
        self.findings: Sequence[Finding] = [ok(".token", "works")]

    async def __call__(self, config: ChannelConfig) -> Sequence[Finding]:
        self.asked.append(config)
        return self.findings


@pytest.fixture
def probe() -> Probe:
    return Probe()


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path, probe: Probe) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path, check=probe) as opened:
        yield opened


async def create(site: Site, **body: Any) -> Any:
    return await site.body("POST", "/api/channels", status=201, json=HOOK | body)


async def refused(site: Site, status: int = 400, method: str = "POST", path: str = "", **body: Any) -> Any:
    return await site.refusal(method, f"/api/channels{path}", status=status, json=body)


@pytest.mark.both_databases
async def test_a_channel_is_made_and_runs(site: Site) -> None:
    made = await create(site, access="open", allow=["u1", 7], callback_url="http://127.0.0.1:1/cb?token=hush")
    assert (made["id"], made["platform"], made["agent_id"], made["origin"]) == ("second", "webhook", "writer", "api")
    assert (made["state"], made["enabled"], made["access"], made["allow"]) == ("connected", True, "open", ["u1", "7"])
    assert (made["secrets"], made["settings"]) == (["callback_url", "secret"], {})
    assert made["hook_url"] == "http://127.0.0.1:8765/hooks/second"
    assert site.switchboard.find("second") is not None
    rules = site.lineup.gates["second"]
    assert (rules.agent_id, rules.access, sorted(rules.allow)) == ("writer", "open", ["7", "u1"])
    assert [each["id"] for each in (await site.body("GET", "/api/channels", status=200))["items"]] == ["hook", "second"]
    assert await site.body("GET", "/api/channels/second", status=200) == made


async def test_secrets_only_go_in(site: Site, tmp_path: Path) -> None:
    """X5: never returned, encrypted at rest with a key file of mode 0600, known to the redactor."""
    made = await create(site, callback_url="http://127.0.0.1:1/cb?token=hush")
    changed = await site.body("PATCH", "/api/channels/second", status=200, json={"live": False})
    shown = str([made, changed, await site.body("GET", "/api/channels", status=200)])
    stored = str((await site.parts.database.read(lambda tx: tx.orm.execute(text("SELECT * FROM channels")))).all())
    for secret in (OTHER, "hush"):
        assert secret not in shown
        assert secret not in stored
    key = tmp_path / KEY_FILE
    assert key.stat().st_mode & 0o777 == 0o600
    assert OTHER in site.learnt
    config = site.lineup.find("second")
    assert config is not None
    assert isinstance(config.config, WebhookChannel)
    assert config.config.secret.get_secret_value() == OTHER
    assert config.config.callback_url.endswith("hush")


@pytest.mark.both_databases
async def test_a_channel_is_changed_without_a_restart(site: Site) -> None:
    made = await create(site)
    body = {"access": "allowlist", "allow": ["boss"], "agent_id": "loner", "notices": False, "rate_limit": 7}
    changed = await site.body("PATCH", "/api/channels/second", status=200, json=body)
    assert {key: changed[key] for key in body} == body
    rules, shown = site.lineup.gates["second"], site.lineup.shown("second")
    assert (rules.agent_id, rules.access, rules.rate_limit) == ("loner", "allowlist", 7)
    assert shown is not None
    assert shown.notices is False
    stopped = await site.body("PATCH", "/api/channels/second", status=200, json={"enabled": False})
    assert (stopped["state"], stopped["enabled"]) == ("stopped", False)
    assert not site.switchboard.knows("second")
    assert site.lineup.shown("second") is not None, "what it has to say waits for it"
    again = await site.body("PATCH", "/api/channels/second", status=200, json={"enabled": True})
    assert again["state"] == "connected"
    seen = {"If-Match": made["updated_at"]}
    code, _ = await site.refusal("PATCH", "/api/channels/second", status=409, json={"live": True}, headers=seen)
    assert code == "EDIT_CONFLICT"


@pytest.mark.both_databases
async def test_a_deleted_channel_is_gone_and_its_id_stays_taken(site: Site) -> None:
    """Nobody takes over the people who were approved there."""
    await create(site)
    assert (await site.ask("DELETE", "/api/channels/second")).status == 204
    assert site.switchboard.find("second") is None
    assert site.lineup.shown("second") is None
    assert (await site.refusal("GET", "/api/channels/second", status=404))[0] == "NOT_FOUND"
    assert await refused(site, **HOOK) == ("PARAM_INVALID", {"path": "id"})
    assert (await create(site, id="third"))["id"] == "third"
    stored = str(
        (await site.parts.database.read(lambda tx: tx.orm.execute(text("SELECT secrets FROM channels")))).all()
    )
    assert stored.startswith("[('',), ('gAAAA")


async def test_a_team_always_streams(site: Site) -> None:
    """T31; contract 2: read back as stream, also after a PATCH with final; an expert does as it is told."""
    made = await create(site, agent_id="studio", response_mode="final")
    assert made["response_mode"] == "stream"
    changed = await site.body("PATCH", "/api/channels/second", status=200, json={"response_mode": "final"})
    assert changed["response_mode"] == "stream"
    assert site.lineup.is_live("second")
    expert = await site.body("PATCH", "/api/channels/second", status=200, json={"agent_id": "writer"})
    assert expert["response_mode"] == "final"
    assert not site.lineup.is_live("second")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"id": "Big"}, "id"),
        ({"id": "hook"}, "id"),
        ({"platform": "fax"}, "platform"),
        ({"secret": None}, "secret"),
        ({"secret": "plain"}, "secret"),
        ({"secret": SECRET}, "secret"),
        ({"callback_url": "ftp://x"}, "callback_url"),
        ({"token": TOKEN}, "token"),
        ({"access": "anybody"}, "access"),
        ({"rate_limit": 0}, "rate_limit"),
        ({"allow": [""]}, "allow[0]"),
        ({"colour": "red"}, "colour"),
        ({"platform": "telegram", "secret": None, "token": "nonsense"}, "token"),
        ({"platform": "telegram", "secret": None, "token": TOKEN, "mode": "webhook"}, "mode"),
        ({"platform": "telegram", "secret": None, "token": TOKEN, "mode": "socket"}, "mode"),
        ({"platform": "slack", "secret": None, "bot_token": "xoxb-1234567890"}, "app_token"),
        ({"platform": "slack", "secret": None, "bot_token": "wrong", "app_token": "xapp-1"}, "bot_token"),
        (
            {"platform": "feishu", "secret": None, "app_id": "cli_1", "app_secret": "s", "mode": "webhook"},
            "encrypt_key",
        ),
    ],
)
async def test_channels_that_cannot_be(site: Site, body: dict[str, Any], path: str) -> None:
    """PARAM_INVALID names the key; two channels never share a secret. Nothing is started or stored."""
    code, details = await refused(site, **(HOOK | body))
    assert (code, details["path"]) == ("PARAM_INVALID", path)
    assert set(site.switchboard.states) == {"hook"}
    assert len((await site.body("GET", "/api/channels", status=200))["items"]) == 1


async def test_a_secret_is_never_shared_by_a_change_either(site: Site) -> None:
    await create(site)
    assert await refused(site, 400, "PATCH", "/second", secret=SECRET) == ("PARAM_INVALID", {"path": "secret"})
    assert await refused(site, 400, "PATCH", "/second", platform="slack") == ("PARAM_INVALID", {"path": "platform"})


async def test_what_the_file_manages_is_read_only(site: Site) -> None:
    assert await refused(site, 409, "PATCH", "/hook", live=False) == ("MANAGED_BY_CONFIG", {})
    assert await site.refusal("DELETE", "/api/channels/hook", status=409) == ("MANAGED_BY_CONFIG", {})


async def test_members_have_channels_of_their_own(site: Site) -> None:
    """T6, T19: bound to what they may use; private addresses are for admins; others see nothing of it."""
    bob, eve = await site.token_of("bob"), await site.token_of("eve")
    await site.body("POST", "/api/agents", status=201, token=bob, json={"id": "bobs", "name": "Bobs"})

    async def bob_refused(status: int, **body: Any) -> Any:
        return await site.refusal("POST", "/api/channels", status=status, token=bob, json=HOOK | body)

    assert (await bob_refused(404, agent_id="writer"))[0] == "AGENT_NOT_FOUND"
    assert (await bob_refused(404, agent_id="studio"))[0] == "AGENT_NOT_FOUND"
    assert (await bob_refused(403, agent_id="bobs", callback_url="http://10.0.0.1/"))[0] == "FORBIDDEN"
    own = await site.body("POST", "/api/channels", status=201, token=bob, json=HOOK | {"agent_id": "bobs"})
    assert own["owner_id"] == "bob"
    assert [each["id"] for each in (await site.body("GET", "/api/channels", status=200, token=bob))["items"]] == [
        "second"
    ]
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/check"), ("GET", "/chats")):
        more: dict[str, Any] = {"json": {}} if method == "PATCH" else {}
        code, _ = await site.refusal(method, f"/api/channels/second{path}", status=404, token=eve, **more)
        assert code == "NOT_FOUND"
    assert (await site.refusal("GET", "/api/channels/hook", status=404, token=bob))[0] == "NOT_FOUND"
    admin = await site.refusal("PATCH", "/api/channels/second", status=404, json={"agent_id": "writer"})
    assert admin[0] == "AGENT_NOT_FOUND", "an admin does not bind what the channel's owner may not use"
    assert (await site.body("PATCH", "/api/channels/second", status=200, json={"live": False}))["live"] is False


async def test_the_channels_of_who_is_shut_out_stop(site: Site) -> None:
    bob = await site.token_of("bob")
    await site.body("POST", "/api/agents", status=201, token=bob, json={"id": "bobs", "name": "Bobs"})
    await site.body("POST", "/api/channels", status=201, token=bob, json=HOOK | {"agent_id": "bobs"})
    await site.body("PATCH", "/api/users/bob", status=200, json={"enabled": False})
    shown = await site.body("GET", "/api/channels/second", status=200)
    assert (shown["enabled"], shown["state"], site.switchboard.knows("second")) == (False, "stopped", False)
    assert site.switchboard.knows("hook")


@pytest.mark.both_databases
async def test_people_of_my_channels_are_mine_to_let_in(site: Site) -> None:
    """X1: whoever looks after a channel approves there, by id or by code, and nowhere else."""
    bob = await site.token_of("bob")
    await site.body("POST", "/api/agents", status=201, token=bob, json={"id": "bobs", "name": "Bobs"})
    await site.body("POST", "/api/channels", status=201, token=bob, json=HOOK | {"agent_id": "bobs"})

    async def add(tx: Transaction) -> None:
        for channel_id in ("hook", "second"):
            person = Person(
                id=f"p-{channel_id}", app_id=channel_id, external_id="u", state="pending", created_at=tx.now
            )
            person.pairing_code, person.code_made_at = f"CODE{channel_id.upper()}", tx.now
            await add_person(tx, person)

    await site.parts.database.write(add)
    people = (await site.body("GET", "/api/people", status=200, token=bob))["items"]
    assert [each["id"] for each in people] == ["p-second"]
    for path in ("approve", "block"):
        assert (await site.refusal("POST", f"/api/people/p-hook/{path}", status=404, token=bob))[0] == "NOT_FOUND"
    code = {"code": "CODEHOOK"}
    assert (await site.refusal("POST", "/api/people/approve", status=404, token=bob, json=code))[0] == "NOT_FOUND"
    approved = await site.body("POST", "/api/people/approve", status=200, token=bob, json={"code": " codesecond "})
    assert approved == {"channel_id": "second", "name": "u", "is_group": False}
    assert (await site.body("POST", "/api/people/approve", status=200, json=code))["channel_id"] == "hook"
    assert (await site.body("GET", "/api/deliveries", status=200, token=bob))["items"] == []


async def test_a_check_asks_the_platform(site: Site, probe: Probe) -> None:
    await create(site)
    assert await site.body("POST", "/api/channels/second/check", status=200) == {
        "ok": True,
        "findings": [{"key": "token", "status": "ok", "text": "works"}],
    }
    probe.findings = [failed(".token", "was revoked: make a new one")]
    answer = await site.body("POST", "/api/channels/hook/check", status=200)
    assert (answer["ok"], answer["findings"][0]["text"]) == (False, "was revoked: make a new one")
    assert [config.id for config in probe.asked] == ["second", "hook"]
    assert (await site.refusal("POST", "/api/channels/nobody/check", status=404))[0] == "NOT_FOUND"


async def test_the_chats_of_a_channel(site: Site) -> None:
    async def add(tx: Transaction) -> None:
        chat = Chat(channel_id="hook", id="g1", type="group", title="Club", created_at=tx.now)
        chat.pairing_code = "GRUP2345"
        await add_chat(tx, chat)

    await site.parts.database.write(add)
    page = await site.body("GET", "/api/channels/hook/chats", status=200)
    (chat,) = page["items"]
    assert (chat["id"], chat["type"], chat["title"], chat["served"], chat["pairing_code"]) == (
        "g1",
        "group",
        "Club",
        False,
        "GRUP2345",
    )


@pytest.mark.both_databases
async def test_after_a_restart_they_are_there_again(site: Site, database: Database, tmp_path: Path) -> None:
    """Also one that is switched off; without the key a channel shows why it cannot run, and nothing is overwritten."""
    await create(site)
    await create(site, id="off", secret=OTHER.replace("b3", "c3"), enabled=False)

    async def load(tx: Transaction, folder: Path) -> list[Any]:
        return list(await all_channels(tx, (), site.parts.rosters, Vault(folder), owner_id="owner", source=""))

    off, second = sorted(await database.read(lambda tx: load(tx, tmp_path)), key=lambda each: str(each.id))
    assert (second.id, second.enabled, second.is_team, second.origin) == ("second", True, False, "api")
    assert second.config.secret.get_secret_value() == OTHER
    assert (off.id, off.enabled) == ("off", False)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for broken in await database.read(lambda tx: load(tx, elsewhere)):
        assert isinstance(broken, Broken)
        assert "secret.key" in broken.reason
    assert list(elsewhere.iterdir()) == []
    reason = "secret.key is not the key"
    site.lineup.drop("second")
    site.switchboard.states["second"] = ChannelHealth(state="error", reason=reason)
    shown = await site.body("GET", "/api/channels/second", status=200)
    assert (shown["state"], shown["state_reason"], shown["secrets"]) == ("error", reason, [])
    code, details = await refused(site, 400, "PATCH", "/second", live=False)
    assert (code, details["path"]) == ("PARAM_INVALID", "secret")
    mended = await site.body("PATCH", "/api/channels/second", status=200, json={"secret": OTHER})
    assert (mended["state"], mended["secrets"]) == ("connected", ["secret"])


async def test_a_channels_link_is_drawn_as_a_code(site: Site) -> None:
    """Only where the platform has one; the picture runs nothing, and somebody else's channel is not found."""
    await create(site)
    assert (await site.body("GET", "/api/channels/second", status=200))["link"] == ""
    assert (await refused(site, 404, "GET", "/second/qr"))[0] == "NOT_FOUND"
    site.switchboard.running["second"] = Linked("second")
    assert (await site.body("GET", "/api/channels/second", status=200))["link"] == Linked.LINK
    answer = await site.ask("GET", "/api/channels/second/qr")
    drawing = await answer.text()
    assert (answer.status, answer.content_type) == (200, "image/svg+xml")
    assert drawing.startswith("<?xml")
    assert "<script" not in drawing
    bob = await site.token_of("bob")
    assert (await site.refusal("GET", "/api/channels/second/qr", status=404, token=bob))[0] == "NOT_FOUND"
