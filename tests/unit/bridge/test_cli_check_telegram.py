"""`teambridge check` for Telegram: the token, privacy mode, and how updates come."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession, ClientTimeout
from pydantic import SecretStr

from bridge.cli.findings import Finding
from bridge.cli.probe_channels import probe_channel
from bridge.config import TelegramChannel
from tests.support.telegram.server import TOKEN, BotApi


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession(timeout=ClientTimeout(total=5)) as opened:
        yield opened


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    async with BotApi() as running:
        yield running


async def check(session: ClientSession, api: BotApi, **keys: Any) -> list[Finding]:
    base: dict[str, Any] = {"id": "tg", "agent": "t", "platform": "telegram", "token": SecretStr(TOKEN)}
    return await probe_channel(session, "channels[0]", TelegramChannel(**base | {"base_url": api.base_url} | keys))


async def test_a_bot_says_who_it_is(session: ClientSession, api: BotApi) -> None:
    api.me["can_read_all_group_messages"] = True
    [found] = await check(session, api)
    assert (found.status, found.words) == ("ok", "@sim_bot answers")


@pytest.mark.parametrize(("groups", "warned"), [("all", True), ("mention", True), ("off", False)])
async def test_privacy_mode_is_explained(session: ClientSession, api: BotApi, groups: str, warned: bool) -> None:
    """Issue 3, 2: what it hides, and how to switch it off."""
    found = [one for one in await check(session, api, groups=groups) if one.status == "warning"]
    assert [(one.place, "/setprivacy" in one.words) for one in found] == [("channels[0].groups", True)] * warned


async def test_a_bot_that_may_not_join_groups(session: ClientSession, api: BotApi) -> None:
    api.me |= {"can_read_all_group_messages": True, "can_join_groups": False}
    _, found = await check(session, api)
    assert (found.status, "/setjoingroups" in found.words) == ("warning", True)


async def test_a_webhook_that_is_in_the_way(session: ClientSession, api: BotApi) -> None:
    api.hook_url = "https://old.example.com"
    found = await check(session, api, groups="off")
    assert [(one.status, one.place) for one in found] == [("ok", "channels[0]"), ("warning", "channels[0].mode")]


async def test_a_webhook_that_telegram_cannot_reach(session: ClientSession, api: BotApi) -> None:
    api.hook_url, api.hook_trouble = "https://here.example.com/hooks/tg", "Connection refused"
    found = await check(session, api, groups="off", mode="webhook")
    assert "Connection refused" in found[-1].words


async def test_a_wrong_token_is_a_failure_that_shows_no_token(session: ClientSession, api: BotApi) -> None:
    """X5."""
    [found] = await check(session, api, token=SecretStr("1:hush"))
    assert (found.status, found.place) == ("failed", "channels[0].token")
    assert "hush" not in found.words
