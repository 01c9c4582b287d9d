"""C12 in the browser: a question is a card with three answers, wherever one looks somebody is seen to wait."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, expect

from tests.console.test_access import faults
from tests.support.browser import Visitor, visitor
from tests.support.callback import Receiver
from tests.support.letters import LETTER, TOOLS, letters_of, writes_letters
from tests.support.model_server import ModelServer
from tests.support.postbox import letters, server
from tests.support.program import Nursery
from tests.support.settings import expert
from tests.support.world import World, usual, world

EXPERTS = (expert("researcher", "研究员", **TOOLS), expert("writer", "写手", **TOOLS), expert("critic", "评审"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def postal(browser: Browser, tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("letters")

    def configure(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
        return usual(model, callback, port, agents=EXPERTS, mcp=server(folder))

    async with world(folder, configure, launcher=nursery) as running:
        yield running


@pytest.fixture
def office(postal: World) -> World:
    postal.reset()
    postal.model.play = writes_letters("bob")
    Path(postal.program.folder / "postbox").unlink(missing_ok=True)
    return postal


async def _open(office: World, person: Visitor, agent_id: str = "writer") -> str:
    session = str((await office.api.post("/api/sessions", {"agent_id": agent_id})).body["id"])
    await person.go(f"s/{session}")
    await expect(person.composer).to_be_visible()
    return session


def _card(person: Visitor) -> Locator:
    return person.page.locator(".said .approval")


async def test_allowed_once(office: World, browser: Browser) -> None:
    """The card tells who, which tool and with what; nothing ran before; afterwards it says what was decided."""
    async with visitor(browser, office.program.url) as ann:
        await _open(office, ann)
        await ann.say(LETTER)
        card = ann.page.get_by_role("group", name="写手 想使用工具 post 的 mail")
        await expect(card).to_contain_text("to: bob")
        await expect(card.get_by_role("button")).to_have_text(["允许一次", "本会话都允许", "拒绝"])
        assert letters(office.program.folder) == []
        await card.get_by_role("button", name="允许一次").click()
        await expect(card.get_by_role("status")).to_have_text("已允许这一次")
        await expect(card.get_by_role("button")).to_have_count(0)
        await expect(ann.said("结果：")).to_be_visible()
        await expect(_card(ann)).to_have_count(1)
        await ann.page.reload()
        await expect(_card(ann).get_by_role("status")).to_have_text("已允许这一次")
        await expect(_card(ann)).to_have_count(1)
    assert letters(office.program.folder) == ["bob"]


async def test_denied(office: World, browser: Browser) -> None:
    async with visitor(browser, office.program.url) as ann:
        await _open(office, ann)
        await ann.say(LETTER)
        await _card(ann).get_by_role("button", name="拒绝").click()
        await expect(_card(ann).get_by_role("status")).to_have_text("已拒绝")
        await expect(ann.said("结果：")).to_be_visible()
    assert letters(office.program.folder) == []


async def test_allowed_for_the_session(office: World, browser: Browser) -> None:
    """Asked once, not again."""
    async with visitor(browser, office.program.url) as ann:
        await _open(office, ann)
        await ann.say(LETTER)
        await _card(ann).get_by_role("button", name="本会话都允许").click()
        await expect(ann.said("结果：")).to_have_count(1)
        await ann.say(f"再{LETTER}")
        await expect(ann.said("结果：")).to_have_count(2)
        await expect(_card(ann)).to_have_count(1)


async def test_one_sees_everywhere_that_somebody_waits(office: World, browser: Browser) -> None:
    """A member of a room asks: the list of conversations, strip, jobs and composer say so, until decided."""
    office.model.play = letters_of("writer", "bob")
    async with visitor(browser, office.program.url) as ann:
        await _open(office, ann, "studio")
        await ann.say(LETTER)
        row = ann.page.get_by_role("navigation", name="对话").get_by_role("listitem").filter(has_text=LETTER).first
        await expect(_card(ann)).to_contain_text("写手 想使用工具")
        await expect(ann.page.get_by_role("region", name="成员").get_by_text("待审批")).to_have_count(1)
        await expect(ann.page.get_by_role("region", name="进行中的任务")).to_contain_text("待审批")
        await ann.again()
        await expect(row).to_contain_text("待审批")
        await ann.page.get_by_role("button", name="写手 正在等待审批").click()
        await expect(_card(ann).get_by_role("button", name="允许一次")).to_be_focused()
        await ann.page.keyboard.press("Enter")
        await expect(ann.said("都办完了。")).to_be_visible()
        await expect(ann.page.get_by_role("button", name="写手 正在等待审批")).to_have_count(0)
        await expect(ann.page.get_by_role("region", name="成员").get_by_text("待审批")).to_have_count(0)
        await ann.again()
        await expect(row).not_to_contain_text("待审批")


async def test_decided_elsewhere(office: World, browser: Browser) -> None:
    """Two tabs: the second is told what was decided in the first, also if it comes too late."""
    async with visitor(browser, office.program.url) as ann, visitor(browser, office.program.url) as bob:
        session = await _open(office, ann)
        await bob.go(f"s/{session}")
        await expect(bob.composer).to_be_visible()
        await ann.say(LETTER)
        await expect(_card(bob).get_by_role("button")).to_have_count(3)
        await _card(ann).get_by_role("button", name="拒绝").click()
        await expect(_card(bob).get_by_role("status")).to_have_text("已拒绝")


async def test_what_waits_in_a_members_session(office: World, browser: Browser) -> None:
    """There is no card of its own there, but the way to decide."""
    office.model.play = letters_of("writer", "bob")
    async with visitor(browser, office.program.url) as ann:
        room = await _open(office, ann, "studio")
        await ann.say(LETTER)
        await expect(_card(ann)).to_be_visible()
        await ann.go(f"s/{room}~writer")
        await ann.page.get_by_role("button", name="写手 正在等待审批").click()
        await _card(ann).get_by_role("button", name="允许一次").click()
        await expect(_card(ann).get_by_role("status")).to_have_text("已允许这一次")
        await expect(ann.said("结果：")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_a_question_is_readable(office: World, browser: Browser, theme: Literal["light", "dark"]) -> None:
    """Also on a phone, where nothing hangs over the edge."""
    office.model.play = letters_of("writer", "bob", "ann")
    async with visitor(browser, office.program.url, theme=theme, width=390, height=844) as ann:
        await _open(office, ann, "studio")
        await ann.say(LETTER)
        await expect(_card(ann)).to_have_count(2)
        await expect(ann.page.get_by_role("button", name="写手 有 2 项操作等待审批")).to_be_visible()
        await _card(ann).first.get_by_role("button", name="拒绝").click()
        await expect(_card(ann).first.get_by_role("status")).to_be_visible()
        assert await faults(ann) == []
        assert await ann.page.evaluate("document.documentElement.scrollWidth") == 390


async def test_stopped_meanwhile(office: World, browser: Browser) -> None:
    async with visitor(browser, office.program.url) as ann:
        await _open(office, ann)
        await ann.say(LETTER)
        await expect(_card(ann).get_by_role("button")).to_have_count(3)
        await ann.button("停止").click()
        await expect(_card(ann).get_by_role("status")).to_have_text("已失效：这项工作已经结束")
