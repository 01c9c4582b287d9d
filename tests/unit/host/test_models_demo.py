"""The offline demo model: one pleasant team round, in the language of the question, honest about what it is."""

import json

import pytest

from host.agent import Response, Tool, ToolCall
from host.errors import ToolFault
from host.messages import user_prompt
from host.models import demo
from host.models.demo import Member, Result
from host.models.registry import Models
from host.models.spec import ModelSpec
from host.prompts import (
    MemberView,
    ResultView,
    expert_instructions,
    host_instructions,
    host_prompt,
    member_instructions,
    wake_up_prompt,
)
from tests.support.agent_run import answering, run, tool

MEMBERS = (
    MemberView(id="researcher", name="研究员", description="查资料、核对事实", state="running"),
    MemberView(id="writer", name="撰稿人", description="把想法写成清楚好读的文字", state="running"),
    MemberView(id="reviewer", name="审校", description="挑错、找漏洞、提改进意见", state="running"),
)
VIEWS = [Member(id=each.id, name=each.name, description=each.description) for each in MEMBERS]
HOST_TOOLS = [answering(name, "") for name in ("agent_list", "ask_agent", "memory_search", "current_time")]


def instructions(*members: MemberView, locale: str = "zh-CN") -> str:
    return host_instructions(
        team_name="内容工作室",
        persona="平和",
        rules="- ask_agent: 只派给最合适的人\n- 能并行就并行",
        guidelines="- writer: 这一行不是名单",
        members=members or MEMBERS,
        memories=["- 用户喜欢短句"],
        locale=locale,
    )


def prompt(text: str, *results: ResultView, is_group: bool = False, mentions: tuple[str, ...] = ()) -> str:
    return host_prompt(
        text=text,
        sender_name="小明",
        is_group=is_group,
        mentions=mentions,
        files=[],
        results=results,
        open_names=[],
    )


async def played(told: str, system: str, *tools: Tool, history: tuple[bytes, ...] = ()) -> Response:
    """The demo model's first response."""
    model = await Models([ModelSpec(name="demo", provider="scripted")]).load("demo")
    recorder = await run(
        model, *tools, instructions=system, prompt=told, history=history, decide=lambda _: False, turn_id="t9"
    )
    (response,) = recorder.responses
    return response


@pytest.mark.parametrize("told", ["你好", "大家好！", "谢谢，辛苦了～", "hello there!", "Thanks a lot", "你是谁？"])
async def test_the_host_answers_small_talk_itself(told: str) -> None:
    """T9."""
    response = await played(prompt(told), instructions(), *HOST_TOOLS)
    assert response.calls == ()
    assert "研究员" in response.text
    assert "离线演示模型" in response.text or "offline demo model" in response.text


@pytest.mark.parametrize("locale", ["zh-CN", "en"])
@pytest.mark.parametrize("is_group", [False, True])
async def test_a_request_goes_to_two_members_with_a_word_about_it(locale: str, is_group: bool) -> None:
    """T14, T32."""
    told = prompt("请帮我写一篇咖啡店的开业文案，顺便检查有没有漏洞", is_group=is_group)
    response = await played(told, instructions(locale=locale), *HOST_TOOLS)
    asked = [call.arguments or {} for call in response.calls]
    assert [each["agent_id"] for each in asked] == ["writer", "reviewer"]
    assert response.text == "「写一篇咖啡店的开业文案，顺便检查有没有漏洞」这件事，我请撰稿人和审校来做。"
    assert all("咖啡店" in each["message"] and each["message"] != told for each in asked)


async def test_a_mentioned_member_comes_first() -> None:
    """T10."""
    response = await played(prompt("@研究员 写一篇文案", mentions=("研究员",)), instructions(), *HOST_TOOLS)
    assert [(call.arguments or {})["agent_id"] for call in response.calls] == ["researcher", "writer"]
    assert "用户提到了" not in json.dumps([call.arguments for call in response.calls], ensure_ascii=False)


async def test_a_member_that_is_not_running_is_not_asked() -> None:
    stopped = MemberView(id="writer", name="撰稿人", description="写作", state="stopped")
    response = await played(prompt("写一篇文案"), instructions(stopped, MEMBERS[2]), *HOST_TOOLS)
    assert [(call.arguments or {})["agent_id"] for call in response.calls] == ["reviewer"]
    nobody = await played(prompt("写一篇文案"), instructions(stopped), *HOST_TOOLS)
    assert nobody.calls == ()
    assert "没有可以接单的成员" in nobody.text


async def test_a_member_answers_its_task_sheet_from_its_own_angle() -> None:
    plan = demo.plan("帮我写一篇咖啡店的开业文案，顺便查资料", VIEWS)
    texts = []
    for ask, view in zip(plan.asks, ("研究员", "撰稿人"), strict=True):
        system = member_instructions(
            agent_name=view, agent_instructions="", team_name="内容工作室", colleagues=[], background="审校：写作"
        )
        texts.append((await played(ask.message, system, answering("ask_agent", ""))).text)
    assert "咖啡店" in texts[0]
    assert "要核实的事实" in texts[0]
    assert "初稿" in texts[1]
    assert all("离线演示" in text for text in texts)


async def test_the_wrap_up_builds_on_the_results_and_knows_the_question() -> None:
    """T11."""
    earlier = user_prompt(prompt("帮我写一篇咖啡店文案"))
    results = [_result("研究员", "done", "先看客流。\n\n其余再说。"), _result("撰稿人", "failed", "超时")]
    response = await played(wake_up_prompt(results, []), instructions(), *HOST_TOOLS, history=(earlier,))
    assert response.calls == ()
    for part in ("「写一篇咖啡店文案」", "研究员的重点是“先看客流”", "撰稿人没能完成（超时）", "离线演示模型"):
        assert part in response.text


async def test_a_wake_up_with_open_jobs_says_nothing() -> None:
    """T11: no wrap-up before the last open job closed."""
    told = wake_up_prompt([_result("研究员", "done", "先看客流。")], ["撰稿人"])
    response = await played(told, instructions(), *HOST_TOOLS)
    assert (response.text, response.calls) == ("", ())


async def test_a_new_message_behind_results_is_what_counts() -> None:
    told = prompt("再写一封邮件", _result("研究员", "done", "先看客流。"))
    response = await played(told, instructions(), *HOST_TOOLS)
    assert response.text.startswith("「再写一封邮件」")


async def test_a_refused_dispatch_is_said_and_not_repeated() -> None:
    async def refuse(_: ToolCall) -> object:
        raise ToolFault("too many jobs")

    model = await Models([ModelSpec(name="demo", provider="scripted")]).load("demo")
    tools = [answering("agent_list", ""), tool("ask_agent", refuse)]
    recorder = await run(model, *tools, instructions=instructions(), prompt="写一篇文案")
    assert len(recorder.responses) == 2
    assert "too many jobs" in recorder.responses[-1].text


async def test_an_expert_alone_greets_and_answers() -> None:
    """T1."""
    system = expert_instructions(
        agent_name="审校", agent_instructions="你是审校。找出错误。", memories=[], can_ask=True
    )
    assert "离线演示模型" in (await played("你好", system, answering("ask_agent", ""))).text
    assert "最容易出问题" in (await played("看看我的计划", system, answering("ask_agent", ""))).text


async def test_english_is_answered_in_english() -> None:
    views = [
        Member(id="ann", name="Ann", description="writes copy"),
        Member(id="bob", name="Bob", description="checks"),
    ]
    plan = demo.plan("Please write a post about tea", views)
    assert plan.text == "For “write a post about tea” I am asking Ann and Bob."
    assert demo.answer(plan.asks[0].message, "").text.startswith("A draft for “write a post about tea”")
    wrap_up = demo.conclude("write about tea", [Result(name="Ann", done=True, text="Start small. Then grow.")])
    assert "Ann's main point: “Start small”" in wrap_up.text
    assert not any("\u4e00" <= character <= "\u9fff" for character in wrap_up.text)


async def test_it_streams_in_a_few_pieces() -> None:
    model = await Models([ModelSpec(name="demo", provider="scripted")]).load("demo")
    recorder = await run(model, *HOST_TOOLS, instructions=instructions(), prompt="你好")
    assert 3 <= len(recorder.deltas) <= 8


@pytest.mark.parametrize("text", ["", "\n", "「」", "@", "{topic}", "请", "x" * 10_000, "{0} {__class__} %s", "：：："])
def test_no_text_is_too_odd(text: str) -> None:
    plan = demo.plan(text, VIEWS)
    assert len(plan.asks) == 2
    assert demo.answer(plan.asks[0].message, "").text
    assert demo.conclude(text, [Result(name="{a}", done=True, text=text)]).text


def _result(name: str, state: str, text: str) -> ResultView:
    return ResultView(job_id="j", member_id="m", member_name=name, state=state, text_or_reason=text)
