"""`teambridge check` and `teambridge init` for Feishu and Lark."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.cli.findings import Finding
from bridge.cli.probe_channels import check_channel
from bridge.config import FeishuChannel, load_config
from channels.feishu.scopes import SCOPES
from tests.support.feishu.server import APP_ID, APP_SECRET, FeishuServer


@pytest.fixture
async def server() -> AsyncIterator[FeishuServer]:
    async with FeishuServer() as running:
        running.scopes = [scope.name for scope in SCOPES]
        yield running


async def _check(server: FeishuServer, **keys: str) -> list[Finding]:
    channel = FeishuChannel.model_validate(
        {"id": "fs", "platform": "feishu", "agent": "studio", "app_id": APP_ID, "app_secret": APP_SECRET}
        | {"domain": server.base_url}
        | keys
    )
    return await check_channel(channel)


def _troubles(found: list[Finding]) -> list[str]:
    return [f"{one.status}: {one.words}" for one in found if one.status != "ok"]


async def test_an_app_that_is_set_up_passes(server: FeishuServer) -> None:
    found = await _check(server)
    assert _troubles(found) == []
    assert any("SimBot answers" in one.words for one in found)


async def test_a_wrong_secret_fails(server: FeishuServer) -> None:
    found = await _check(server, app_secret="wrong")
    assert any("app_secret" in line for line in _troubles(found))
    assert not any("wrong" in one.words for one in found)


async def test_the_wrong_brand_is_told(server: FeishuServer) -> None:
    """Contract 1: the long-connection endpoint alone tells it."""
    server.endpoint_answer = {"code": 1000040351, "msg": "Incorrect domain name"}
    (trouble,) = _troubles(await _check(server))
    assert 'set domain = "lark"' in trouble


async def test_missing_permissions_are_told_apart(server: FeishuServer) -> None:
    """Contract 8: a necessary one fails, an optional one warns and says what is lost."""
    server.scopes = ["im:message:send_as_bot", "im:message.p2p_msg:readonly"]
    troubles = _troubles(await _check(server))
    assert [line for line in troubles if line.startswith("failed")] == [
        (
            "failed: lacks the permission im:message.group_at_msg:readonly (hearing groups that mention the bot): "
            "add it under Permissions, then publish a new version"
        )
    ]
    assert any("cardkit:card:write (answers that grow" in line for line in troubles)


@pytest.mark.parametrize(("status", "app"), [(3, None), (2, {"online_version_id": ""})])
async def test_an_unpublished_version_is_told(server: FeishuServer, status: int, app: dict[str, str] | None) -> None:
    """Issue 5.6."""
    server.activate_status, server.application = status, app
    (trouble,) = _troubles(await _check(server))
    assert trouble.startswith("failed: no version of the app is published")


async def test_a_version_that_waits_for_approval_is_told(server: FeishuServer) -> None:
    server.application = {"online_version_id": "v1", "unaudit_version_id": "v2"}
    (trouble,) = _troubles(await _check(server))
    assert "approval" in trouble


async def test_permissions_that_cannot_be_read_are_a_warning(server: FeishuServer) -> None:
    server.scopes = None
    (trouble,) = _troubles(await _check(server))
    assert trouble.startswith("warning")


async def test_a_platform_that_is_away_is_told(server: FeishuServer) -> None:
    await server.close_port()
    assert any("not reachable" in line for line in _troubles(await _check(server)))


async def _init(folder: Path, *argv: str) -> tuple[int, str, str]:
    import sys  # noqa: PLC0415

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge", "init", "--platform", "feishu", "--provider", "scripted", *argv),
        *("--output", str(folder / "config.toml")),
        cwd=Path(__file__).parents[3],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return int(process.returncode or 0), out.decode(), err.decode()


async def test_init_makes_an_app_by_a_link(server: FeishuServer, tmp_path: Path) -> None:
    """Issue 5.6: who scanned is the admin, and the file is complete."""
    server.registration = [
        {"supported_auth_methods": ["client_secret"]},
        {"device_code": "dc", "verification_uri_complete": "https://x.cn/scan?c=1", "interval": 1, "expires_in": 60},
        {"client_id": "cli_new", "client_secret": "s3cret", "user_info": {"open_id": "ou_owner"}},
    ]
    code, out, err = await _init(tmp_path, "--domain", server.base_url)
    assert code == 0, err
    assert "https://x.cn/scan?c=1" in out
    assert "s3cret" not in out
    (channel,) = load_config(tmp_path / "config.toml").channels
    assert isinstance(channel, FeishuChannel)
    assert (channel.app_id, channel.app_secret.get_secret_value(), channel.admins) == (
        "cli_new",
        "s3cret",
        ("ou_owner",),
    )
    assert (tmp_path / "config.toml").stat().st_mode & 0o777 == 0o600


async def test_init_says_why_no_app_was_made(server: FeishuServer, tmp_path: Path) -> None:
    server.registration = [
        {"supported_auth_methods": ["client_secret"]},
        {"device_code": "dc", "verification_uri_complete": "https://x.cn/scan", "interval": 1, "expires_in": 60},
        {"error": "access_denied"},
    ]
    code, _, err = await _init(tmp_path, "--domain", server.base_url)
    assert code == 2
    assert "it was refused" in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "config.toml").exists()


async def test_init_takes_an_app_that_is_there(tmp_path: Path) -> None:
    code, out, err = await _init(tmp_path, "--app-id", "cli_x", "--domain", "lark")
    assert code == 0, err
    assert "FEISHU_APP_SECRET" in out
    (channel,) = load_config(tmp_path / "config.toml", {"FEISHU_APP_SECRET": "s"}).channels
    assert isinstance(channel, FeishuChannel)
    assert channel.domain == "lark"
