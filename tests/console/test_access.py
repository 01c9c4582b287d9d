"""For everybody: names of controls, landmarks, contrast, keyboard, small screens."""

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import expect

from tests.console.conftest import Visits
from tests.support.browser import Visitor
from tests.support.casts import ASK, WRAP_UP, always, cast, round_of
from tests.support.world import World

CONTRAST = (Path(__file__).parents[1] / "support" / "contrast.js").read_text(encoding="utf-8")
NAMELESS = re.compile(
    r"^\s*- (button|link|textbox|searchbox|checkbox|switch|radio|combobox|option|menuitem|img)(?=[:\n]|$| \[)",
    re.MULTILINE,
)
HANGING = """() => [...document.querySelectorAll("main, main *")]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
        && ["auto", "scroll"].includes(getComputedStyle(each).overflowX) && !each.matches("pre, .tabs, ul"))
    .map((each) => each.className || each.tagName)"""
PAGES = (
    "guide",
    "new/studio",
    "experts",
    "experts/+",
    "experts/researcher",
    "teams",
    "teams/+",
    "teams/studio",
    "market",
    "channels",
    "channels/hook",
    "channels/+slack",
    "channels/+webhook",
    "people",
    "deliveries",
    "settings",
)


async def _settled(person: Visitor) -> None:
    await expect(person.page.locator(".waiting")).to_have_count(0)
    await expect(person.page.locator("main")).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_every_page_has_names_landmarks_and_contrast(
    studio: World, visit: Visits, theme: Literal["light", "dark"]
) -> None:
    """Every control has a name, every page one main, one first heading, and texts of 4.5 : 1 at least."""
    found: list[str] = []
    async with visit(theme=theme) as ann:
        for place in PAGES:
            await ann.go(place)
            await _settled(ann)
            found += [f"{place}: {each}" for each in await faults(ann)]
    assert found == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_a_whole_round_is_readable(studio: World, visit: Visits, theme: Literal["light", "dark"]) -> None:
    studio.model.play = round_of()
    async with visit(theme=theme, locale="en") as ann:
        await ann.go("new/studio")
        await ann.say(f"{ASK}，绿茶市场怎么样？")
        await expect(ann.said(WRAP_UP)).to_be_visible()
        assert await faults(ann) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_what_opens_beside_is_readable(studio: World, visit: Visits, theme: Literal["light", "dark"]) -> None:
    """A conversation's details, the list of agents, the models, files that wait: names and contrast as everywhere."""
    session = (await studio.api.post("/api/sessions", {"agent_id": "researcher"})).body["id"]
    async with visit(theme=theme) as ann:
        await ann.go(f"s/{session}")
        await ann.button("会话信息").click()
        await ann.page.locator("tb-composer input[type=file]").set_input_files(
            {"name": "报告.txt", "mimeType": "text/plain", "buffer": b"1"}
        )
        await ann.page.get_by_role("button", name="切换 Agent").click()
        assert await faults(ann) == []
        await ann.page.keyboard.press("Escape")
        await ann.page.get_by_role("button", name="模型：").click()
        await ann.page.keyboard.press("ArrowDown")
        await expect(ann.page.get_by_role("menuitemradio", name="main", exact=True)).to_be_focused()
        assert await faults(ann) == []
        await ann.page.keyboard.press("Escape")
        await expect(ann.page.get_by_role("button", name="模型：")).to_be_focused()


async def faults(person: Visitor) -> list[str]:
    """Controls without a name, texts that are too pale, and more or fewer first headings than one."""
    tree = await person.page.locator("body").aria_snapshot()
    nameless = [f"no name: {found.group().strip()}" for found in NAMELESS.finditer(tree)]
    heads = await person.page.get_by_role("heading", level=1).count()
    contrast = [str(each) for each in await person.page.evaluate(CONTRAST)]
    return nameless + contrast + ([] if heads == 1 else [f"{heads} first headings"])


async def test_a_phone_shows_everything(studio: World, visit: Visits) -> None:
    """390 pixels wide: nothing hangs over the edge of any page."""
    hanging: list[str] = []
    async with visit(width=390, height=844) as ann:
        for place in PAGES:
            await ann.go(place)
            await _settled(ann)
            hanging += [f"{place}: {each}" for each in await ann.page.evaluate(HANGING)]
            hanging += [place] if await ann.page.evaluate("document.documentElement.scrollWidth") != 390 else []
    assert hanging == []


async def test_the_keyboard_is_enough(studio: World, visit: Visits) -> None:
    """The skip link comes first, a conversation begins and is written without a mouse, dialogs close with Escape."""
    studio.model.play = round_of()
    async with visit() as ann:
        await ann.go("teams")
        await _settled(ann)
        await ann.page.keyboard.press("Tab")
        await expect(ann.page.get_by_role("link", name="跳到正文")).to_be_focused()
        await ann.page.keyboard.press("Tab")
        await expect(ann.button("新对话")).to_be_focused()
        await ann.page.keyboard.press("Enter")
        await expect(ann.page.get_by_role("dialog")).to_be_visible()
        await ann.page.keyboard.press("Escape")
        await expect(ann.page.get_by_role("dialog")).to_have_count(0)
        await expect(ann.button("新对话")).to_be_focused()
        await ann.page.keyboard.press("Enter")
        await ann.page.get_by_role("searchbox", name="搜索团队或专家").fill("工作室")
        await ann.page.keyboard.press("Tab")
        await ann.page.keyboard.press("Enter")
        await expect(ann.composer).to_be_focused()
        await ann.page.keyboard.type(f"{ASK}，绿茶市场怎么样？")
        await ann.page.keyboard.press("Enter")
        await expect(ann.said(WRAP_UP)).to_be_visible()


async def test_focus_can_be_seen(studio: World, visit: Visits) -> None:
    """Wherever Tab leads, a ring or a border tells where one is."""
    async with visit() as ann:
        await ann.go("settings")
        await _settled(ann)
        bare: list[str] = []
        for _ in range(24):
            await ann.page.keyboard.press("Tab")
            bare += await ann.page.evaluate(
                """() => {
                    const at = document.activeElement;
                    const shown = [at, at.nextElementSibling].filter(Boolean).map((each) => getComputedStyle(each));
                    const seen = shown.some((style) => style.outlineStyle !== "none" || style.boxShadow !== "none");
                    return at === document.body || seen ? [] : [at.outerHTML.slice(0, 120)];
                }"""
            )
        assert bare == []


async def test_the_drawer_of_a_phone(studio: World, visit: Visits) -> None:
    async with visit(width=390, height=844) as ann:
        await ann.go("teams")
        await _settled(ann)
        await expect(ann.button("新对话")).to_be_hidden()
        await ann.button("打开菜单").click()
        await expect(ann.button("新对话")).to_be_focused()
        await ann.page.keyboard.press("Escape")
        await expect(ann.button("新对话")).to_be_hidden()


async def test_a_wide_table_broke_its_words_on_a_phone(studio: World, visit: Visits) -> None:
    """It is scrolled inside its bubble instead; the page itself stays as wide as the phone."""
    row = "| lorem | ipsum | dolor | consectetuer | adipiscing | elit |"
    studio.model.play = cast(always(f"{row}\n|---|---|---|---|---|---|\n{row}"))
    async with visit(width=390, height=844) as ann:
        await ann.go("new/studio")
        await ann.say(f"{ASK}，绿茶市场怎么样？")
        table = ann.page.locator(".said table")
        await expect(table).to_be_visible()
        lines = await table.evaluate(
            "(table) => [...table.querySelectorAll('td')].map((each) => { const words = document.createRange();"
            " words.selectNodeContents(each); return words.getClientRects().length; })"
        )
        assert lines == [1] * 6
        assert await ann.page.evaluate("document.documentElement.scrollWidth") == 390
