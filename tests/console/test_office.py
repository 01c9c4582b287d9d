"""What an admin does beside talking: people at the door, and messages that did not arrive."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.support.browser import visitor
from tests.support.callback import TAKE, Receiver, refuse
from tests.support.casts import always, cast
from tests.support.gate import DEADLINE
from tests.support.model_server import ModelServer
from tests.support.program import Nursery
from tests.support.settings import settings, webhook
from tests.support.world import World, world


def _doors(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    channels = [
        webhook("paired", "studio", callback.url("paired"), access="pairing"),
        webhook("wide", "studio", callback.url("wide")),
    ]
    return settings(model_url=model.base_url, port=port, channels=channels)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def office(browser: Browser, tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("office"), _doors, launcher=nursery) as running:
        running.model.play = cast(always("请进。"))
        yield running


async def test_a_stranger_is_approved(office: World, browser: Browser) -> None:
    """X1: the code stands beside the person; the next message is served."""
    stranger = office.guest(channel="paired", sender="kim")
    code = (await stranger.send("在吗")).body["error"]["details"]["pairing_code"]
    async with visitor(browser, office.program.url) as ann:
        await ann.go("people")
        await expect(ann.page.get_by_role("navigation", name="页面").get_by_label("1 项待处理")).to_be_visible()
        row = ann.page.get_by_role("listitem").filter(has_text="人 kim")
        await expect(row).to_contain_text(code)
        await ann.button("批准 人 kim").click()
        await expect(ann.page.get_by_text("没有人在等待")).to_be_visible()
        await expect(ann.page.get_by_role("navigation", name="页面").get_by_label("1 项待处理")).to_have_count(0)
        await ann.pick("已批准")
        await expect(row).to_be_visible()
    await stranger.say("在吗")
    assert (await stranger.hears(1))[0].text == "请进。"


async def test_somebody_is_blocked_after_a_question(office: World, browser: Browser) -> None:
    await office.guest(channel="paired", sender="mal").send("在吗")
    async with visitor(browser, office.program.url) as ann:
        await ann.go("people")
        await ann.button("屏蔽 人 mal").click()
        await ann.page.get_by_role("dialog").get_by_role("button", name="屏蔽", exact=True).click()
        await expect(ann.page.get_by_text("没有人在等待")).to_be_visible()
    assert (await office.guest(channel="paired", sender="mal").send("在吗")).code == "FORBIDDEN"


async def test_a_dead_letter_is_sent_again(office: World, browser: Browser) -> None:
    """What a callback refused waits with its reason; a retry delivers it."""
    guest = office.guest(channel="wide")
    office.callback.behave = lambda message, times: refuse(400)
    await guest.say("在吗")
    async with visitor(browser, office.program.url) as ann:
        await office.callback.until(lambda receiver: bool(receiver.arrivals))
        await ann.go("deliveries")
        row = ann.page.get_by_role("listitem").filter(has_text=guest.chat_id)
        await expect(row).to_contain_text("请进。")
        await expect(row).to_contain_text("400")
        office.callback.behave = lambda message, times: TAKE
        await row.get_by_role("button", name="重试").click()
        assert (await guest.hears(1))[0].text == "请进。"
        await expect(ann.page.get_by_text("没有失败的投递")).to_be_visible()
        async with asyncio.timeout(DEADLINE):  # the callback has it a moment before the row knows
            while guest.chat_id not in str(await office.api.ok("/api/deliveries", state="sent")):
                pass
        await ann.pick("已送达")
        await expect(row).to_be_visible()


async def test_a_channel_says_how_it_stands(office: World, browser: Browser) -> None:
    """Its state, who answers, and the steps to set it up with what has to be pasted."""
    async with visitor(browser, office.program.url) as ann:
        await ann.go("channels")
        await expect(ann.page.locator(".card", has_text="paired")).to_contain_text("已连接")
        await ann.page.get_by_role("link", name="Slack").click()
        await expect(ann.page.get_by_label("Bot Token", exact=True)).to_have_attribute("type", "password")
        await expect(ann.page.get_by_role("complementary", name="接入步骤")).to_contain_text("socket_mode_enabled")


async def test_a_channel_is_made_changed_and_deleted(office: World, browser: Browser) -> None:
    """A new webhook works at once; its secret is made here, shown while it is made, and never again (X5)."""
    async with visitor(browser, office.program.url) as ann:
        await ann.go("channels/+webhook")
        await ann.page.get_by_label("渠道标识").fill("made")
        await ann.button("生成").click()
        secret = await ann.page.get_by_label("签名密钥").input_value()
        assert secret.startswith("whsec_")
        await ann.pick("所有人")
        await ann.button("接入").click()
        await expect(ann.page.locator(".facts")).to_contain_text("已连接")
        assert secret not in await ann.page.content()
        await ann.link("编辑").click()
        await expect(ann.page.get_by_label("签名密钥")).to_have_value("")
        await ann.page.get_by_text("更多设置").click()
        await ann.page.get_by_label("免配对的人").fill("kim, lee")
        await ann.button("保存").click()
        await expect(ann.page.locator(".facts")).to_contain_text("已连接")
        assert (await office.api.ok("/api/channels/made"))["allow"] == ["kim", "lee"]
        await ann.button("检查").click()
        await expect(ann.page.locator(".finding").first).to_be_visible()
        await ann.button("关闭").click()
        await expect(ann.page.locator(".facts")).to_contain_text("已关闭")
        await ann.button("删除").click()
        await ann.page.get_by_role("dialog").get_by_role("button", name="删除").click()
        await expect(ann.page.locator(".card", has_text="paired")).to_be_visible()
        await expect(ann.page.locator(".card", has_text="made")).to_have_count(0)


async def test_a_stranger_is_approved_by_their_code(office: World, browser: Browser) -> None:
    stranger = office.guest(channel="paired", sender="lou")
    code = (await stranger.send("在吗")).body["error"]["details"]["pairing_code"]
    async with visitor(browser, office.program.url) as ann:
        ann.refusals_expected = True
        await ann.go("people")
        await ann.button("用配对码批准").click()
        await ann.page.get_by_role("textbox", name="用配对码批准").fill("WRONG222")
        await ann.page.get_by_role("dialog").get_by_role("button", name="批准", exact=True).click()
        await expect(ann.page.get_by_role("dialog").get_by_role("alert")).not_to_be_empty()
        await ann.page.get_by_role("textbox", name="用配对码批准").fill(code.lower())
        await ann.page.get_by_role("dialog").get_by_role("button", name="批准", exact=True).click()
        await expect(ann.page.get_by_text("没有人在等待")).to_be_visible()


async def test_a_chat_of_a_channel_is_only_looked_at(office: World, browser: Browser) -> None:
    """X2: the channel's owner reads it and never speaks there."""
    receipt = await office.guest(channel="wide").say("你好")
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{receipt.body['session_id']}")
        await expect(ann.page.get_by_text("这个对话来自渠道「wide」")).to_be_visible()
        await expect(ann.composer).to_have_count(0)
