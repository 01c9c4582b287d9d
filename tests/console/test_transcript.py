"""D4: what tools do, one summary line for each call of a session's transcript."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.async_api import Locator, expect

from tests.console.conftest import Visits
from tests.support.browser import Visitor
from tests.support.gate import Gate
from tests.support.model_reply import Reply, Use, act, say, use
from tests.support.model_request import Request
from tests.support.world import World

TASK = "子任务：数茶叶"
_BEGIN = Use(name="create_session", arguments=json.dumps({"name": "leaves", "description": TASK}), id="")


def _line(person: Visitor, words: str | re.Pattern[str]) -> Locator:
    return person.page.locator(".said .tool-line", has_text=words)


async def _open(studio: World, person: Visitor) -> str:
    session = str((await studio.api.post("/api/sessions", {"agent_id": "researcher"})).body["id"])
    await person.go(f"s/{session}")
    await expect(person.composer).to_be_visible()
    return session


def _waiting(child: Callable[[], Reply]) -> Callable[[Request], Reply]:
    """An expert that begins a child session and waits for it."""

    def play(request: Request) -> Reply:
        if TASK in request.last:
            return child()
        if not request.answers_tools:
            return act("我开一个子会话。", _BEGIN)
        started: dict[str, Any] = json.loads(request.tool_answers[0])
        return act(use("wait_inputs", input_ids=[started["input_id"]])) if "path" in started else say("都好了。")

    return play


async def test_lists_are_one_line_with_their_number(studio: World, visit: Visits) -> None:
    """This project's, past ones, the agents: the same look, alone or in a row, nothing to open."""
    calls = (use("list_agents"), use("list_sessions"), use("list_sessions", scope="all"))
    studio.model.play = lambda request: say("看完了。") if request.answers_tools else act("我看看。", *calls)
    async with visit() as ann:
        await _open(studio, ann)
        await ann.say("有哪些会话？")
        await expect(ann.said("看完了。")).to_be_visible()
        lines = ann.page.locator(".said .tool-line")
        shown = ("查看智能体 · 3", "查看了本项目会话 · ", "查看了历史会话 · ")
        await expect(lines).to_have_text([re.compile(f"^{words}\\d*$") for words in shown])
        await expect(lines.locator("summary, button, a")).to_have_count(0)
        looks = [await each.get_attribute("class") for each in await lines.all()]
        assert len(set(looks)) == 1
        await ann.page.reload()
        await expect(lines).to_have_count(3)


async def test_the_words_are_the_readers(studio: World, visit: Visits) -> None:
    studio.model.play = lambda request: say("done") if request.answers_tools else act(use("list_sessions"))
    async with visit(locale="en") as ann:
        await _open(studio, ann)
        await ann.say("which sessions?")
        await expect(_line(ann, re.compile(r"^Viewed this project's sessions · \d+$"))).to_have_count(1)


async def test_a_call_is_followed_from_running_to_its_end(studio: World, visit: Visits) -> None:
    """Running, then done, in the same line; other cooperation calls lead to their session."""
    gate = Gate()
    studio.model.play = _waiting(lambda: say("数", gate, "完了。"))
    async with visit() as ann:
        await _open(studio, ann)
        await ann.say("数茶叶")
        await expect(_line(ann, "等待任务结果")).to_contain_text("进行中")
        await expect(_line(ann, "创建会话")).to_have_count(1)
        gate.open()
        await expect(ann.said("都好了。")).to_be_visible()
        await expect(_line(ann, "等待任务结果")).to_have_count(1)
        await expect(_line(ann, "等待任务结果")).not_to_contain_text("进行中")
        await _line(ann, "创建会话").get_by_role("link", name="打开会话").click()
        await expect(ann.said(TASK)).to_be_visible()
        await expect(ann.said("数完了。")).to_be_visible()


async def test_what_was_cut_says_so(studio: World, visit: Visits) -> None:
    gate = Gate()
    studio.model.play = _waiting(lambda: say("数", gate, "完了。"))
    async with visit() as ann:
        await _open(studio, ann)
        await ann.say("数茶叶")
        await expect(_line(ann, "等待任务结果")).to_contain_text("进行中")
        await ann.button("停止").click()
        await expect(_line(ann, "等待任务结果")).to_contain_text("已中断")
    gate.open()


async def test_what_failed_says_so(studio: World, visit: Visits) -> None:
    """A refused call, and a list whose scope makes no sense: it counts as this project's."""
    calls = (use("get_result", input_id="nowhere"), use("list_sessions", scope="nope"))
    studio.model.play = lambda request: say("没有。") if request.answers_tools else act(*calls)
    async with visit() as ann:
        await _open(studio, ann)
        await ann.say("结果呢？")
        await expect(_line(ann, "查看结果")).to_contain_text("失败")
        await expect(_line(ann, "查看了本项目会话")).to_contain_text("失败")
