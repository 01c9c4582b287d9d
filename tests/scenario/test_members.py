"""Members that are slow, stuck, off or asked too much, and when the host is called back (T11, T15, T25, T28)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.support.callback import Message, Receiver
from tests.support.casts import ASK, FINDINGS, NARRATION, WRAP_UP, always, cast, dispatches, planner, sheet
from tests.support.gate import Gate
from tests.support.model_reply import Reply, act, hang, say, use
from tests.support.model_request import Request
from tests.support.model_server import ModelServer
from tests.support.program import Nursery
from tests.support.settings import EXPERTS, expert, settings, team, webhook
from tests.support.world import World, world

QUESTION = f"{ASK}，绿茶市场怎么样？"
CREW = ["researcher", "writer", "critic", "sleeper"]


def _teams(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    teams = [
        team("studio", "内容工作室", CREW),
        team("eager", "急性子", CREW, wake="each"),
        team("hasty", "等不久", CREW, wave_timeout=1),
        team("strict", "限时", CREW, member_timeout=1),
    ]
    agents = [*EXPERTS, expert("sleeper", "休眠者", enabled=False)]
    channels = [webhook(one["id"], one["id"], callback.url(one["id"])) for one in teams]
    return settings(model_url=model.base_url, port=port, agents=agents, teams=teams, channels=channels)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hall(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("hall"), _teams, launcher=nursery) as running:
        yield running


@pytest.fixture
def teams(hall: World) -> World:
    hall.reset()
    return hall


def _kinds(messages: list[Message]) -> list[str]:
    return [message.kind for message in messages]


def _says(text: str) -> Any:
    return lambda messages: any(message.text == text for message in messages)


async def test_a_member_that_is_off_fails_at_dispatch_and_the_host_hears_at_once(teams: World) -> None:
    """T15: no notice, one failure line, the other member's result is not hidden, nobody is started."""
    gate = Gate()

    def host(request: Request) -> Reply:
        if FINDINGS["researcher"] in request.last:
            return say(WRAP_UP)
        if QUESTION in request.last:
            return act(NARRATION, *dispatches({"sleeper": "醒醒", "researcher": sheet("researcher")}))
        return say("休眠者不在，先等研究员。")

    teams.model.play = cast(host, researcher=lambda request: say(gate, FINDINGS["researcher"]))
    guest = teams.guest(channel="studio")
    await guest.say(QUESTION)
    heard = await guest.hears(_says("休眠者不在，先等研究员。"))
    assert [message.display_text for message in heard] == [
        NARRATION,
        "休眠者 没能完成：该专家已停用",
        "已请 研究员 处理，请稍候…",
        "休眠者不在，先等研究员。",
    ]
    assert _kinds(heard) == ["host", "failure", "notice", "host"]
    gate.open()
    heard = await guest.hears_end()
    assert _kinds(heard[4:]) == ["member", "wrapup"]
    assert teams.model.asked_by("sleeper") == []


async def test_when_every_dispatch_is_born_failed_the_host_concludes(teams: World) -> None:
    """Architecture 5: a job born failed is a closed job like any other."""
    teams.model.play = cast(planner("sleeper"))
    guest = teams.guest(channel="studio")
    reply = await guest.say(QUESTION, wait=20)
    assert [message["kind"] for message in reply.body["messages"]] == ["host", "failure", "wrapup"]
    assert len(teams.model.requests) == 2


async def test_the_result_of_a_dispatch_is_its_receipt(teams: World) -> None:
    """Contract 7: `{job_id, status: queued}` or `{job_id, status: failed, reason}`, in call order."""
    members = {"sleeper": "醒醒", "researcher": sheet("researcher")}
    plan = act(NARRATION, *dispatches(members))
    teams.model.play = cast(
        lambda request: plan if QUESTION in request.last and not request.tool_answers else say(WRAP_UP),
        researcher=always(FINDINGS["researcher"]),
    )
    guest = teams.guest(channel="studio")
    await guest.say(QUESTION, wait=20)
    told = [said.text for said in teams.model.asked_by("studio")[-1].messages if said.role == "tool"]
    assert ["failed" in told[0], "queued" in told[1]] == [True, True]
    assert all("job_id" in text for text in told)
    assert "该专家已停用" in told[0]


async def test_a_stuck_member_delays_nobody_else(teams: World) -> None:
    """T25, R4: ten jobs queue up behind one member; another member answers ten other chats meanwhile."""
    gate = Gate()
    teams.model.play = cast(
        lambda request: planner("writer" if "写" in request.last else "researcher")(request),
        researcher=lambda request: say(gate, FINDINGS["researcher"]),
        writer=always(FINDINGS["writer"]),
    )
    waiting = [teams.guest(channel="studio") for _ in range(10)]
    quick = [teams.guest(channel="studio") for _ in range(10)]
    for guest in waiting:
        await guest.say(f"{ASK} 查资料")
    await gate.reached()
    for guest in quick:
        await guest.say(f"{ASK} 写稿子")
    for guest in quick:
        assert _kinds(await guest.hears_end()) == ["host", "notice", "member", "wrapup"]
    assert len(teams.model.asked_by("researcher")) == 1, "one job of a member at a time"
    gate.open()
    for guest in waiting:
        assert _kinds(await guest.hears_end()) == ["host", "notice", "member", "wrapup"]


async def test_a_member_that_takes_too_long_is_given_up(teams: World) -> None:
    """T28: member_timeout; the reason is said once, the host is told, the model request is given up."""
    gate = Gate()
    teams.model.play = cast(planner("researcher"), researcher=lambda request: hang(gate))
    guest = teams.guest(channel="strict")
    await guest.say(QUESTION)
    heard = await guest.hears_end()
    assert _kinds(heard) == ["host", "notice", "failure", "wrapup"]
    assert heard[2].display_text == f"研究员 没能完成：{heard[2].text}"
    assert heard[2].speaker == "researcher"
    await teams.model.until(lambda model: gate.waiting == 0)


async def test_one_wrap_up_however_members_finish(teams: World) -> None:
    """T11 wave: the first result waits for the second; four model calls."""
    gate = Gate()
    teams.model.play = cast(
        planner(*FINDINGS),
        researcher=always(FINDINGS["researcher"]),
        writer=lambda request: say(gate, FINDINGS["writer"]),
    )
    guest = teams.guest(channel="studio")
    await guest.say(QUESTION)
    assert (await guest.hears(4))[3].brief() == ("member", "researcher")
    assert len(teams.model.asked_by("studio")) == 1, "not woken while a job of the wave is open"
    gate.open()
    assert _kinds(await guest.hears_end())[4:] == ["member", "wrapup"]
    assert len(teams.model.requests) == 4


async def test_a_wave_that_lasts_too_long_wakes_the_host_with_what_there_is(teams: World) -> None:
    """Architecture 5: wave_timeout after the oldest untaken result; its words are no wrap-up yet."""
    gate = Gate()

    def host(request: Request) -> Reply:
        if FINDINGS["writer"] in request.last:
            return say(WRAP_UP)
        return say("资料先到了。") if FINDINGS["researcher"] in request.last else planner(*FINDINGS)(request)

    teams.model.play = cast(
        host, researcher=always(FINDINGS["researcher"]), writer=lambda request: say(gate, FINDINGS["writer"])
    )
    guest = teams.guest(channel="hasty")
    await guest.say(QUESTION)
    heard = await guest.hears(_says("资料先到了。"))
    assert heard[-1].kind == "host"
    gate.open()
    heard = await guest.hears_end()
    assert _kinds(heard[-2:]) == ["member", "wrapup"]
    assert FINDINGS["researcher"] not in teams.model.asked_by("hasty")[-1].last, "a result is taken once"


async def test_the_policy_each_wakes_the_host_after_every_member(teams: World) -> None:
    """T11 each: a word after the first, the wrap-up after the last."""
    gate = Gate()

    def host(request: Request) -> Reply:
        if FINDINGS["writer"] in request.last:
            return say(WRAP_UP)
        return say("第一份到了。") if FINDINGS["researcher"] in request.last else planner(*FINDINGS)(request)

    teams.model.play = cast(
        host, researcher=always(FINDINGS["researcher"]), writer=lambda request: say(gate, FINDINGS["writer"])
    )
    guest = teams.guest(channel="eager")
    await guest.say(QUESTION)
    heard = await guest.hears(_says("第一份到了。"))
    assert heard[-1].kind == "host"
    gate.open()
    heard = await guest.hears_end()
    assert _kinds(heard)[-2:] == ["member", "wrapup"]
    assert _kinds(heard).count("wrapup") == 1
    assert len(teams.model.asked_by("eager")) == 3


async def test_a_user_turn_takes_results_that_are_there(teams: World) -> None:
    """Architecture 5: every host turn has all untaken results; afterwards no second wrap-up for them."""
    hosts, writers = Gate(), Gate()

    def host(request: Request) -> Reply:
        if "还在吗" in request.last:
            return say(hosts, "在的，资料也到了。")
        return say(WRAP_UP) if FINDINGS["writer"] in request.last else planner(*FINDINGS)(request)

    teams.model.play = cast(
        host, researcher=always(FINDINGS["researcher"]), writer=lambda request: say(writers, FINDINGS["writer"])
    )
    guest = teams.guest(channel="studio")
    await guest.say(QUESTION)
    await guest.hears(4)
    await guest.say("还在吗")
    await hosts.reached()
    assert FINDINGS["researcher"] in teams.model.asked_by("studio")[-1].last
    hosts.open()
    await guest.hears(_says("在的，资料也到了。"))
    writers.open()
    heard = await guest.hears_end()
    assert _kinds(heard).count("wrapup") == 1
    assert FINDINGS["researcher"] not in teams.model.asked_by("studio")[-1].last


async def test_a_member_cannot_dispatch_into_the_room(teams: World) -> None:
    """T13: asking a stranger or itself is an error for the model, and the chat sees nothing."""

    def researcher(request: Request) -> Reply:
        if request.answers_tools:
            return say(FINDINGS["researcher"])
        return act(
            use("ask_agent", agent_id="researcher", message="自己"), use("ask_agent", agent_id="no", message="谁")
        )

    teams.model.play = cast(planner("researcher"), researcher=researcher)
    guest = teams.guest(channel="studio")
    await guest.say(QUESTION)
    assert _kinds(await guest.hears_end()) == ["host", "notice", "member", "wrapup"]


async def test_members_that_ask_in_a_circle_are_refused(teams: World) -> None:
    """Architecture 5: a cycle in the chain is an error for the model, and everybody still answers."""

    def member(colleague: str) -> Any:
        def play(request: Request) -> Reply:
            if request.answers_tools:
                return say(FINDINGS.get(request.asker, "知道了。"))
            return act(use("ask_agent", agent_id=colleague, message=f"请帮忙 {request.asker}"))

        return play

    teams.model.play = cast(planner("researcher"), researcher=member("critic"), critic=member("researcher"))
    guest = teams.guest(channel="studio")
    await guest.say(QUESTION)
    assert _kinds(await guest.hears_end()) == ["host", "notice", "member", "wrapup"]


async def test_a_host_that_never_stops_dispatching_is_ended(teams: World) -> None:
    """Architecture 5: at most 8 host turns and 32 jobs per user message, then it is refused with the reason."""
    plan = act("再来一轮。", *dispatches({"writer": "再写一次"}))
    teams.model.play = cast(
        lambda request: say("到此为止。") if request.answers_tools else plan, writer=always("又写好了。")
    )
    guest = teams.guest(channel="studio")
    reply = await guest.say(QUESTION, wait=60)
    assert reply.status == 200, "the round ends"
    assert len(teams.model.asked_by("studio")) <= 12
    assert len(teams.model.asked_by("writer")) <= 32
    reply = await guest.say("在吗", wait=60)
    assert reply.status == 200
