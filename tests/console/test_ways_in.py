"""The way to a bot on its channel's page, and what models were used for."""

import re

import pytest
from playwright.async_api import Browser, expect

from tests.console.conftest import Visits
from tests.support.browser import visitor
from tests.support.casts import ASK, WRAP_UP, round_of
from tests.support.program import Nursery
from tests.support.telegram.world import telegram_world
from tests.support.world import World


async def test_a_telegram_bot_is_reached_by_a_code(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, nursery: Nursery
) -> None:
    """Once Telegram has told the bot's name: its link, and the same as a QR code from our own server."""
    folder = tmp_path_factory.mktemp("way-in")
    async with telegram_world(folder, launcher=nursery) as world, visitor(browser, world.program.url) as ann:
        await ann.go("channels/tg")
        code = ann.page.get_by_role("img", name="二维码：https://t.me/sim_bot")
        await expect(code).to_be_visible()
        assert await code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
        await expect(ann.link("打开")).to_have_attribute("href", "https://t.me/sim_bot")
        await expect(ann.link("打开")).to_have_attribute("rel", "noopener noreferrer")


async def test_a_channel_without_a_link_has_no_code(studio: World, visit: Visits) -> None:
    async with visit() as ann:
        await ann.go("channels/hook")
        await expect(ann.page.get_by_role("heading", name="hook")).to_be_visible()
        await expect(ann.page.get_by_text("已连接")).to_be_visible()
        await expect(ann.page.locator("img.qr")).to_have_count(0)
    assert (await studio.api.get("/api/channels/hook/qr")).status == 404


async def test_what_models_were_used_for(studio: World, visit: Visits) -> None:
    """By scene and model, in the reader's language, over the chosen days."""
    studio.model.play = round_of()
    async with visit() as ann:
        await ann.go("new/studio")
        await ann.say(f"{ASK}，绿茶市场怎么样？")
        await expect(ann.said(WRAP_UP)).to_be_visible()
        await ann.go("settings")
        usage = ann.page.get_by_role("region", name="用量")
        await expect(usage.get_by_role("columnheader")).to_have_text(["用途", "回答", "输入 token", "输出 token"])
        rows = usage.get_by_role("row").filter(has_text="main")
        await expect(rows.first.locator(".number").first).to_have_text(re.compile(r"^[1-9]\d*$"))
        async with ann.page.expect_request("**/api/usage?days=7"):
            await ann.pick("近 7 天")
        await expect(usage).to_be_visible()
    async with visit(locale="en") as bob:
        await bob.go("settings")
        await expect(bob.page.get_by_role("region", name="Usage").get_by_role("columnheader").first).to_have_text("For")
