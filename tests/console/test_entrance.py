"""Coming in and going out, and how the console looks and speaks."""

from urllib.parse import urlsplit

from playwright.async_api import Browser, expect

from tests.console.conftest import Visits
from tests.support.browser import visitor
from tests.support.keys import ADMIN_TOKEN
from tests.support.world import World


async def test_the_link_works_once_and_leaves_the_address_bar(studio: World, visit: Visits) -> None:
    """X5, contract 8: no code in the address, none in the history."""
    link = (await studio.api.post("/api/users/owner/login-links")).body["url"]
    link = f"{studio.program.url}{urlsplit(link).path}?{urlsplit(link).query}"
    async with visit(token="") as ann:
        await ann.page.goto(link)
        await expect(ann.button("新对话")).to_be_visible()
        assert "code" not in ann.page.url
        assert urlsplit(ann.page.url).path == "/"
    async with visit(token="") as bob:
        bob.refusals_expected = True
        await bob.page.goto(link)
        await expect(bob.page.get_by_role("heading", name="登录 teambridge")).to_be_visible()
        await expect(bob.page.get_by_text("这个登录链接已经用过或失效")).to_be_visible()
        assert "code" not in bob.page.url


async def test_a_token_opens_the_door(studio: World, visit: Visits) -> None:
    async with visit(token="") as ann:
        ann.refusals_expected = True
        await ann.page.goto(ann.url)
        await ann.page.get_by_label("访问令牌").fill("wrong")
        await ann.button("登录").click()
        await expect(ann.page.get_by_role("alert")).not_to_be_empty()
        await ann.page.get_by_label("访问令牌").fill(ADMIN_TOKEN)
        await ann.button("登录").click()
        await expect(ann.button("新对话")).to_be_visible()
        await ann.button("退出").click()
        await expect(ann.button("登录")).to_be_visible()


async def test_a_token_is_shown_once(studio: World, visit: Visits) -> None:
    """It opens the door until it is revoked."""
    async with visit() as ann:
        await ann.go("settings")
        await ann.button("新建令牌").click()
        await ann.page.get_by_label("用途").fill("脚本")
        await ann.button("创建").click()
        token = await ann.page.get_by_role("dialog").locator("pre").inner_text()
        await ann.button("关闭").click()
        await expect(ann.page.get_by_text(token)).to_have_count(0)
        assert (await type(studio.api)(studio.http, studio.program.url, token).get("/api/me")).status == 200
        await ann.button("撤销「脚本」").click()
        await ann.page.get_by_role("dialog").get_by_role("button", name="撤销", exact=True).click()
        await expect(ann.button("撤销「脚本」")).to_have_count(0)
        assert (await type(studio.api)(studio.http, studio.program.url, token).get("/api/me")).status == 401


async def test_a_new_user_comes_in_by_a_link_and_sees_only_their_own(
    studio: World, visit: Visits, browser: Browser
) -> None:
    """A member has none of the owner's experts, channels and conversations."""
    async with visit() as ann:
        await ann.go("settings")
        await ann.button("新建用户").click()
        await ann.page.get_by_label("名称").fill("林晓")
        await ann.button("创建").click()
        link = await ann.page.get_by_role("dialog").locator("pre").inner_text()
    async with visitor(browser, studio.program.url, token="") as lin:
        await lin.page.goto(link)
        await expect(lin.page.get_by_role("heading", name="欢迎使用 teambridge")).to_be_visible()
        for place, nothing in (("experts", "还没有专家"), ("teams", "还没有团队"), ("channels", "还没有渠道")):
            await lin.go(place)
            await expect(lin.page.get_by_text(nothing)).to_be_visible()


async def test_language_and_theme_stay(studio: World, visit: Visits) -> None:
    async with visit() as ann:
        await ann.go("settings")
        await ann.pick("English")
        await expect(ann.page.get_by_role("heading", level=1)).to_have_text("Settings")
        await ann.pick("Dark")
        await expect(ann.page.locator("html")).to_have_attribute("data-theme", "dark")
        await ann.page.reload()
        await expect(ann.page.get_by_role("heading", level=1)).to_have_text("Settings")
        await expect(ann.page.locator("html")).to_have_attribute("data-theme", "dark")
        await expect(ann.page.locator("html")).to_have_attribute("lang", "en")


async def test_the_first_steps_lead_to_a_conversation(studio: World, visit: Visits) -> None:
    """Model, team, channel, and then a room that is ready to talk."""
    async with visit() as ann:
        await ann.go("guide")
        await expect(ann.page.get_by_text("已配置：main")).to_be_visible()
        await ann.link("和 内容工作室 对话").click()
        await expect(ann.composer).to_be_focused()


async def test_what_is_gone_is_a_sentence(studio: World, visit: Visits) -> None:
    async with visit() as ann:
        ann.refusals_expected = True
        await ann.go("s/no-such-session")
        await expect(ann.page.get_by_text("找不到这个对话")).to_be_visible()
        await ann.go("new/no-such-agent")
        await expect(ann.page.get_by_text("找不到对话对象")).to_be_visible()
