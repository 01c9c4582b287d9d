"""S8: switching the agent and the model of a conversation, its details, and reopening it with another agent."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Route, expect

from tests.support.browser import Visitor, visitor
from tests.support.callback import Receiver
from tests.support.gate import Gate
from tests.support.model_reply import Reply, say
from tests.support.model_request import Request
from tests.support.model_server import ModelServer
from tests.support.program import Nursery
from tests.support.settings import EXPERTS, expert, settings
from tests.support.world import World, world

NOTE = "任务背景：绿茶市场\n已确认的结论与产物：三份资料\n未完成事项：写成一页纸"
KEPT = "Skill / MCP / 经验库 / 子代理预设自下一轮起按新 Agent 配置，会话级审批放行规则保留"


def _settings(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    """Two models; the critic uses the second one."""
    agents = (*EXPERTS[:2], expert("critic", "评审", model="second"))
    table = settings(model_url=model.base_url, port=port, channels=[], agents=agents)
    table["models"]["second"] = table["models"]["main"] | {"model": "scripted-second"}
    return {**table, "default_model": "main"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(browser: Browser, tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("switching"), _settings, launcher=nursery) as running:
        yield running


@pytest.fixture
def office(place: World) -> World:
    place.reset()
    place.model.play = _by_name
    return place


def _by_name(request: Request) -> Reply:
    """Experts say who they are and with which model; what has no name writes notes and titles."""
    return say(f"这里是 {request.asker}，模型 {request.model}。" if request.asker else NOTE)


def _without_note(request: Request) -> Reply:
    return _by_name(request) if request.asker else Reply(status=400, body="{}")


async def _session(office: World, agent_id: str = "researcher", **more: Any) -> str:
    reply = await office.api.post("/api/sessions", {"agent_id": agent_id, **more})
    assert reply.status == 201, reply.body
    return str(reply.body["id"])


def _options(person: Visitor, name: str = "") -> Locator:
    """What the list of agents offers."""
    return person.page.get_by_role("listbox", name="专家").get_by_role("option", name=name)


async def _pick(person: Visitor, name: str) -> None:
    """By the keyboard, as far as it goes: open the list, search, Enter."""
    await person.page.get_by_role("button", name="切换 Agent").press("Enter")
    await person.page.get_by_role("combobox", name="搜索专家").fill(name)
    await expect(_options(person)).to_have_count(1)
    await person.page.get_by_role("combobox", name="搜索专家").press("Enter")


async def _model(person: Visitor, now: str, chosen: str) -> None:
    await person.button(f"模型：{now}").click()
    await expect(person.page.get_by_role("menuitemradio", name=now, exact=True)).to_be_focused()
    await person.page.get_by_role("menuitemradio", name=chosen, exact=True).click()
    await expect(person.button(f"模型：{chosen}")).to_be_visible()


async def test_another_agent_goes_on(office: World, browser: Browser) -> None:
    """S8, S2, S3: search, the question with its two lines, the details that follow the answer, the next turn."""
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{session}")
        await ann.say("你是谁？")
        await expect(ann.said("这里是 researcher，模型 scripted-main。")).to_be_visible()
        await ann.button("会话信息").click()
        details = ann.page.get_by_role("complementary", name="会话信息")
        await expect(details.get_by_role("group", name="当前 Agent")).to_contain_text("研究员")
        await expect(details.get_by_role("group", name="当前 Agent").locator("input, select, button")).to_have_count(0)
        await _pick(ann, "评审")
        dialog = ann.page.get_by_role("dialog", name="切换到「评审」？")
        await expect(dialog.locator("p").nth(0)).to_have_text("本会话没有指定模型，切换后使用新 Agent 的模型 second。")
        await expect(dialog.locator("p").nth(1)).to_have_text(KEPT)
        await dialog.get_by_role("button", name="切换").click()
        await expect(details.get_by_role("group", name="当前 Agent")).to_contain_text("评审")
        await expect(ann.composer).to_be_focused()
        await ann.say("现在呢？")
        await expect(ann.said("这里是 critic，模型 scripted-second。")).to_be_visible()


async def test_no_is_no(office: World, browser: Browser) -> None:
    """Cancelled, nothing is asked for; Escape closes the list and gives the focus back."""
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{session}")
        await _pick(ann, "评审")
        await ann.page.get_by_role("dialog").get_by_role("button", name="取消").click()
        switch = ann.page.get_by_role("button", name="切换 Agent（当前：研究员）")
        await switch.click()
        await expect(_options(ann)).to_have_count(3)
        await expect(_options(ann, "研究员")).to_have_attribute("aria-selected", "true")
        await ann.page.keyboard.press("Escape")
        await expect(_options(ann)).to_have_count(0)
        await expect(switch).to_be_focused()
    assert (await office.api.ok(f"/api/sessions/{session}"))["agent_id"] == "researcher"


async def test_the_list_stays_open_while_a_turn_ends(office: World, browser: Browser) -> None:
    """S2: one may choose while it works; what happens meanwhile closes nothing."""
    gate = Gate()
    office.model.play = lambda request: say("正在", gate, "想。")
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{session}")
        await ann.say("想一想")
        await expect(ann.page.locator(".drafts .bubble", has_text="正在")).to_be_visible()
        await ann.button("会话信息").click()
        await ann.page.get_by_role("button", name="切换 Agent").click()
        gate.open()
        await expect(ann.said("正在想。")).to_be_visible()
        await expect(ann.page.get_by_role("complementary").get_by_text("空闲")).to_be_visible()
        await expect(_options(ann)).to_have_count(3)
        await expect(ann.page.get_by_role("combobox", name="搜索专家")).to_be_focused()


async def test_a_model_of_its_own_stays(office: World, browser: Browser) -> None:
    """S3: chosen beside the switcher, kept through a switch (the question says so), and given back to the agent."""
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{session}")
        await _model(ann, "默认（main）", "main")
        await expect(ann.button("模型：main")).to_be_focused()
        await _pick(ann, "评审")
        dialog = ann.page.get_by_role("dialog")
        await expect(dialog.locator("p").nth(0)).to_have_text("本会话指定了模型 main，切换后继续使用它。")
        await dialog.get_by_role("button", name="切换").click()
        await expect(ann.page.get_by_role("button", name="切换 Agent（当前：评审）")).to_be_visible()
        await ann.say("你是谁？")
        await expect(ann.said("这里是 critic，模型 scripted-main。")).to_be_visible()
        await _model(ann, "main", "默认（second）")
        await ann.say("现在呢？")
        await expect(ann.said("这里是 critic，模型 scripted-second。")).to_be_visible()


async def test_a_conversation_begins_with_the_chosen_model(office: World, browser: Browser) -> None:
    async with visitor(browser, office.program.url) as ann:
        await ann.go("new/writer")
        await expect(ann.page.get_by_role("button", name="切换 Agent")).to_have_count(0)
        await expect(ann.button("会话信息")).to_have_count(0)
        await _model(ann, "默认（main）", "second")
        await ann.say("你是谁？")
        await expect(ann.said("这里是 writer，模型 scripted-second。")).to_be_visible()


async def test_reopened_with_another_agent(office: World, browser: Browser) -> None:
    """S8, S7: the dialog says what happens; the button waits; the note stands in the composer, unsent."""
    gate = Gate()
    office.model.play = lambda request: _by_name(request) if request.asker else say(gate, NOTE)
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{session}")
        await ann.say("绿茶市场怎么样？")
        await expect(ann.said("这里是 researcher")).to_be_visible()
        await ann.button("会话信息").click()
        await ann.button("用其他 Agent 重开").click()
        dialog = ann.page.get_by_role("dialog", name="用其他 Agent 重开")
        await expect(dialog).to_contain_text("当前会话会被归档")
        button = dialog.get_by_role("button", name="重开", exact=True)
        await expect(button).to_be_disabled()
        await dialog.get_by_role("option", name="写手").click()
        await button.click()
        await expect(button).to_be_disabled()
        await expect(dialog.get_by_role("status").last).to_have_text("正在生成接手说明…")
        gate.open()
        await expect(ann.composer).to_have_value(NOTE)
        await expect(ann.page.get_by_role("button", name="切换 Agent（当前：写手）")).to_be_visible()
        await expect(ann.page.locator(".said .bubble:not(.greeting)")).to_have_count(0)
        await ann.composer.fill(f"{NOTE}（改过）")
        await ann.composer.press("Enter")
        await expect(ann.said("（改过）")).to_be_visible()
        await expect(ann.said("这里是 writer")).to_be_visible()
    assert (await office.api.ok(f"/api/sessions/{session}"))["status"] == "ARCHIVED"


async def test_without_a_note_one_is_told(office: World, browser: Browser) -> None:
    """S8: the note failed, the conversation stands."""
    office.model.play = _without_note
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{session}")
        await ann.say("绿茶市场怎么样？")
        await expect(ann.said("这里是 researcher")).to_be_visible()
        await ann.button("会话信息").click()
        await ann.button("用其他 Agent 重开").click()
        dialog = ann.page.get_by_role("dialog")
        await dialog.get_by_role("option", name="写手").click()
        await dialog.get_by_role("button", name="重开", exact=True).click()
        await expect(ann.page.get_by_text("接手说明生成失败，可直接描述需求")).to_be_visible()
        await expect(ann.page.get_by_role("button", name="切换 Agent（当前：写手）")).to_be_visible()
        await expect(ann.composer).to_have_value("")


async def test_not_while_it_works(office: World, browser: Browser) -> None:
    """S8: only idle; one may switch meanwhile, but not reopen."""
    gate = Gate()
    office.model.play = lambda request: say("正在", gate, "想。")
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        await ann.go(f"s/{session}")
        await ann.say("想一想")
        await expect(ann.page.locator(".drafts .bubble", has_text="正在")).to_be_visible()
        await ann.button("会话信息").click()
        await expect(ann.button("用其他 Agent 重开")).to_be_disabled()
        await expect(ann.page.get_by_text("等当前工作结束后才能重开。")).to_be_visible()
        gate.open()
        await expect(ann.button("用其他 Agent 重开")).to_be_enabled()


async def test_refusals_are_sentences(office: World, browser: Browser) -> None:
    """S1: switched off, hidden or deleted after the page had read the agents (its button names one then); archived."""
    await office.api.post("/api/agents", {"id": "guest", "name": "过客"})
    session = await _session(office)
    async with visitor(browser, office.program.url) as ann:
        ann.refusals_expected = True
        await ann.go(f"s/{session}")
        await expect(ann.page.get_by_role("button", name="切换 Agent（当前：研究员）")).to_be_visible()
        for change, words in (
            ({"enabled": False}, "该 Agent 已停用"),
            ({"enabled": True, "client_visible": False}, "该 Agent 不对客户端开放"),
        ):
            await office.api.patch("/api/agents/guest", change)
            await _refused(ann, words)
        await office.api.delete("/api/agents/guest")
        await _refused(ann, "Agent 不存在。")
        await office.api.post(f"/api/sessions/{session}/archive")
        await _refused(ann, "会话已归档，请先恢复。")


async def _refused(person: Visitor, words: str) -> None:
    await _pick(person, "过客")
    await person.page.get_by_role("dialog").get_by_role("button", name="切换").click()
    await expect(person.page.locator(".toasts").get_by_text(words)).to_be_visible()


async def test_a_reopening_that_is_refused_says_why(office: World, browser: Browser) -> None:
    """S7: busy, disabled and archived meanwhile; the dialog stays, and the same choice may be tried again."""
    await office.api.post("/api/agents", {"id": "stranger", "name": "生客"})
    session = await _session(office)
    gate = Gate()
    async with visitor(browser, office.program.url) as ann:
        ann.refusals_expected = True
        await ann.go(f"s/{session}")
        await ann.button("会话信息").click()
        await ann.button("用其他 Agent 重开").click()
        dialog = ann.page.get_by_role("dialog")
        await dialog.get_by_role("option", name="生客").click()
        button = dialog.get_by_role("button", name="重开", exact=True)
        await office.api.patch("/api/agents/stranger", {"enabled": False})
        await button.click()
        await expect(dialog.get_by_role("alert")).to_have_text("该 Agent 已停用")
        await office.api.patch("/api/agents/stranger", {"enabled": True})
        office.model.play = lambda request: say("正在", gate, "想。")
        await office.api.post(f"/api/sessions/{session}/inputs", {"text": "想一想"})
        await button.click()
        await expect(dialog.get_by_role("alert")).to_have_text("会话正在进行中，请稍后再试。")
        gate.open()
        await expect(ann.said("正在想。")).to_have_count(1)
        await office.api.post(f"/api/sessions/{session}/archive")
        await button.click()
        await expect(dialog.get_by_role("alert")).to_have_text("会话已归档，请先恢复。")
        await expect(button).to_be_enabled()


async def test_neither_for_teams_nor_for_what_is_local(office: World, browser: Browser) -> None:
    """S4, S8: a room has no switcher and is not reopened; a local session is switched but not reopened."""
    room, local = await _session(office, "studio"), await _session(office, execution_mode="LOCAL")
    async with visitor(browser, office.program.url) as ann:
        for session, switchers in ((room, 0), (local, 1)):
            await ann.go(f"s/{session}")
            await expect(ann.button("模型：默认（main）")).to_be_visible()
            await expect(ann.page.get_by_role("button", name="切换 Agent")).to_have_count(switchers)
            await ann.button("会话信息").click()
            await expect(ann.page.get_by_role("complementary").get_by_role("button", name="归档")).to_be_visible()
            await expect(ann.button("用其他 Agent 重开")).to_have_count(0)


async def test_in_english(office: World, browser: Browser) -> None:
    session = await _session(office)
    async with visitor(browser, office.program.url, locale="en") as ann:
        await ann.go(f"s/{session}")
        await ann.page.get_by_role("button", name="Switch the agent").click()
        await ann.page.get_by_role("option", name="评审").click()
        dialog = ann.page.get_by_role("dialog", name="Switch to “评审”?")
        await expect(dialog).to_contain_text("No model is set for this conversation: second, the new agent's, applies.")
        await expect(dialog).to_contain_text("approvals given for this conversation stay")


async def test_what_one_reached_for_while_the_room_came_stays_open(office: World, browser: Browser) -> None:
    """S8: the writing field takes the focus when the room is complete, but not away from an open list."""
    session, come = await _session(office), Gate()

    async def late(route: Route) -> None:
        await come.wait()
        await route.continue_()

    async with visitor(browser, office.program.url) as ann:
        await ann.page.route("**/api/**/approvals*", late)
        await ann.go(f"s/{session}")
        await ann.page.get_by_role("button", name="切换 Agent").click()
        async with ann.page.expect_websocket():
            come.open()
        await _options(ann, "评审").click()
        await expect(ann.page.get_by_role("dialog").filter(has_text=KEPT)).to_be_visible()
