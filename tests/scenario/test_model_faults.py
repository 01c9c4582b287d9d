"""A model that fails in every way: invisible where it can be, one sentence where it cannot, never a dead room."""

import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
import pytest_asyncio

from tests.support.callback import Message
from tests.support.casts import ASK, FINDINGS, WRAP_UP, always, cast, dispatches, planner, sheet
from tests.support.gate import Gate
from tests.support.guest import Guest
from tests.support.keys import API_KEY
from tests.support.model_reply import Reply, Use, act, cut, fault, garbage, hang, nothing, say, use
from tests.support.model_request import Request
from tests.support.program import Nursery
from tests.support.world import World, usual, world

QUESTION = f"{ASK}，绿茶市场怎么样？"
SENTENCE = re.compile(r"抱歉，模型暂时无法回答，请稍后再试（错误编号 \w{4,12}）。")
PATIENCE = 45.0
"""Seconds: the program itself may try for thirty."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def frail(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str) -> AsyncIterator[World]:
    """A program that waits one second for a byte of its model."""
    folder = tmp_path_factory.mktemp("frail")
    async with world(folder, lambda *around: usual(*around, model_keys={"timeout": 1}), launcher=nursery) as running:
        yield running


NEVER_RECOVERS: Mapping[str, Reply] = {
    "500": fault(500, message=f"boom with {API_KEY}"),
    "429": fault(429),
    "hang": hang(Gate()),
    "cut": cut("半句"),
    "cut-before": cut(),
    "garbage": garbage(),
}


Doomed = tuple[World, Mapping[str, Guest]]


def _as_asked(request: Request) -> Reply:
    """The kind of fault that the question names."""
    return next((reply for kind, reply in NEVER_RECOVERS.items() if f"[{kind}]" in request.last), say("好了。"))


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def doomed(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[tuple[World, Mapping[str, Guest]]]:
    """A program whose model never recovers, asked now; the program tries for thirty seconds, others go first."""
    folder = tmp_path_factory.mktemp("doomed")
    async with world(folder, lambda *around: usual(*around, model_keys={"timeout": 1}), launcher=nursery) as running:
        running.model.play = cast(
            lambda request: next(
                (r for kind, r in NEVER_RECOVERS.items() if f"[{kind}]" in request.last), say("好了。")
            )
        )
        guests = {kind: running.guest() for kind in NEVER_RECOVERS}
        await asyncio.gather(*(guest.say(f"在吗 [{kind}]", message_id=kind) for kind, guest in guests.items()))
        yield running, guests


def _first(*replies: Reply) -> Callable[[Request], Reply]:
    """These replies one after the other, the last one for ever."""
    rest = iter(itertools.chain(replies, itertools.repeat(replies[-1])))
    return lambda request: next(rest)


async def _asks(frail: World, host: Callable[[Request], Reply], count: int = 1) -> list[Message]:
    """The first messages of a new chat with this host."""
    frail.reset()
    frail.model.play = cast(host)
    guest = frail.guest()
    await guest.say(QUESTION)
    return await guest.hears(count, within=PATIENCE)


def _plain(frail: World) -> str:
    return frail.program.stderr + frail.program.stdout


def _error_id(message: Message) -> str:
    found = re.search(r"错误编号 (\w+)", message.text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("reply", [fault(401), fault(400), fault(404)])
async def test_a_refusal_of_the_model_is_told_at_once(frail: World, reply: Reply) -> None:
    """Contract 3: a wrong key is not worth another try."""
    (message,) = await _asks(frail, lambda request: reply)
    assert message.kind == "failure"
    assert SENTENCE.fullmatch(message.text)
    assert len(frail.model.requests) == 1


@pytest.mark.parametrize(
    "replies",
    [
        (fault(429, "1"), say("好。")),
        (fault(500), fault(503), say("好。")),
        (cut(), say("好。")),
        (cut("不算数的半句"), say("好。")),
    ],
)
async def test_a_passing_fault_stays_invisible(frail: World, replies: tuple[Reply, ...]) -> None:
    """Contract 3: retried; what a cut stream had said before is not in the answer."""
    (message,) = await _asks(frail, _first(*replies))
    assert (message.kind, message.text) == ("host", "好。")
    assert len(frail.model.requests) == len(replies)


async def test_a_pause_longer_than_the_silence_that_is_allowed_is_a_fault_like_any_other(frail: World) -> None:
    """Contract 2: `timeout` counts seconds without a byte; the second try answers."""
    gate = Gate()
    (message,) = await _asks(frail, _first(say("半句", gate), say("好。")))
    assert message.text == "好。"
    gate.open()


async def test_no_answer_is_no_message(frail: World) -> None:
    """Contract 3: nothing is sent, no error; the round is over."""
    frail.reset()
    frail.model.play = cast(lambda request: nothing() if "嘘" in request.last else say("在。"))
    guest = frail.guest()
    reply = await guest.say("嘘", wait=20)
    assert (reply.status, reply.body["messages"]) == (200, [])
    await guest.say("在吗", wait=20)
    assert [message.text for message in await guest.hears(1)] == ["在。"]


async def test_a_wake_up_may_have_nothing_to_say(frail: World) -> None:
    """Contract 3: an empty answer after a wake-up is legal: no wrap-up, the round ends."""
    frail.reset()
    plan = act("安排。", *dispatches({"writer": sheet("writer")}))
    frail.model.play = cast(lambda request: plan if QUESTION in request.last else nothing(), writer=always("写好了。"))
    guest = frail.guest()
    reply = await guest.say(QUESTION, wait=20)
    assert reply.status == 200
    assert [message["kind"] for message in reply.body["messages"]] == ["host", "notice", "member"]


@pytest.mark.parametrize(
    "wrong",
    [
        use("launch_rocket", target="moon"),
        use("file_write", path="a", text="b"),
        Use(name="ask_agent", arguments='{"agent_id": "writer", "mess'),
        Use(name="ask_agent", arguments="[1, 2]"),
        Use(name="ask_agent", arguments="{}"),
        use("ask_agent", agent_id="researcher"),
        use("ask_agent", agent_id="search", message="后缀不算数"),
        use("ask_agent", agent_id="nobody", message="没有这个人"),
        use("ask_agent", agent_id="studio", message="自己"),
    ],
)
async def test_a_wrong_call_is_an_error_for_the_model_and_the_run_goes_on(frail: World, wrong: Use) -> None:
    """T27 and issue: unknown tool, arguments that are no JSON or lack something, unknown targets: nobody sees it."""
    heard = await _asks(
        frail, lambda request: say("改好了。") if request.answers_tools else act("试一下", wrong), count=2
    )
    assert [(message.kind, message.text) for message in heard] == [("host", "试一下"), ("host", "改好了。")]
    assert len(frail.model.requests) == 2


async def test_an_unknown_target_is_told_the_valid_ones(frail: World) -> None:
    """T27."""
    wrong = use("ask_agent", agent_id="nobody", message="没有这个人")
    await _asks(frail, lambda request: say("改好了。") if request.answers_tools else act(wrong))
    (answer,) = frail.model.requests[1].tool_answers
    assert all(member in answer for member in ("researcher", "writer", "critic"))


async def test_a_member_may_be_named_by_its_exact_name(frail: World) -> None:
    """T27: exact ids and exact names."""
    frail.reset()
    plan = act("安排。", use("ask_agent", agent_id="写手", message="写"))
    frail.model.play = cast(
        lambda request: plan if QUESTION in request.last else say(WRAP_UP), writer=always("写好了。")
    )
    guest = frail.guest()
    reply = await guest.say(QUESTION, wait=20)
    assert [message["speaker"]["id"] for message in reply.body["messages"]] == ["studio", "studio", "writer", "studio"]


async def test_a_valid_and_an_invalid_dispatch_in_one_response(frail: World) -> None:
    """Architecture 5: the valid one stands, the run goes on so that the host can correct the other."""
    frail.reset()

    def host(request: Request) -> Reply:
        if FINDINGS["writer"] in request.last:
            return say(WRAP_UP)
        if request.answers_tools:
            return say("另一位不在，先这样。")
        return act("安排。", *dispatches({"writer": sheet("writer"), "nobody": "谁？"}))

    frail.model.play = cast(host, writer=always(FINDINGS["writer"]))
    guest = frail.guest()
    reply = await guest.say(QUESTION, wait=20)
    kinds = [message["kind"] for message in reply.body["messages"]]
    assert kinds.count("notice") == 1
    assert kinds.count("member") == 1
    assert kinds.count("wrapup") == 1
    assert kinds[-1] == "wrapup"


async def test_an_endless_tool_loop_is_ended(frail: World) -> None:
    """Issue: at most 50 tool calls per turn; the user gets a sentence and the room stays usable."""
    frail.reset()
    loop = act("再查一次", use("memory_search", query="茶"))
    frail.model.play = cast(lambda request: say("在。") if "在吗" in request.last else loop)
    guest = frail.guest()
    await guest.say(QUESTION)
    heard = await guest.hears(lambda messages: any(message.kind == "failure" for message in messages))
    await guest.say("在吗")
    await guest.hears(lambda messages: messages[-1].text == "在。")
    assert len(frail.model.requests) <= 70
    assert [message.kind for message in heard if message.text != "再查一次"] == ["failure"]


async def test_a_huge_answer_arrives_whole(frail: World) -> None:
    text = "很长的一段话。" * 40_000
    (message,) = await _asks(frail, lambda request: say(*(text[at : at + 5_000] for at in range(0, len(text), 5_000))))
    assert message.text == text


async def test_surrogates_and_control_characters_do_no_harm(frail: World) -> None:
    (message,) = await _asks(frail, lambda request: say("好", "\ud83d", "\x00", "。"))
    assert message.kind == "host"
    assert message.text.startswith("好")


async def test_a_failing_member_says_why_and_hides_nobody(frail: World) -> None:
    """T15, T28: one failure line under the member's name with its reason; the other's answer and one wrap-up come."""
    frail.reset()
    gate = Gate()

    def host(request: Request) -> Reply:
        if "没能完成" in request.last or "错误编号" in request.last:
            gate.open()
            return say("一位没完成，等另一位。") if FINDINGS["writer"] not in request.last else say(WRAP_UP)
        return planner("researcher", "writer")(request)

    frail.model.play = cast(
        host, researcher=lambda request: fault(401), writer=lambda request: say(gate, FINDINGS["writer"])
    )
    guest = frail.guest()
    await guest.say(QUESTION, message_id="q")
    heard = await guest.hears_end()
    failures = [message for message in heard if message.kind == "failure"]
    assert [message.brief() for message in failures] == [("failure", "researcher")]
    assert failures[0].role == "member"
    assert failures[0].display_text == f"研究员 没能完成：{failures[0].text}"
    assert failures[0].reply_to == "q"
    assert [message.speaker for message in heard if message.kind == "member"] == ["writer"]
    assert [message.kind for message in heard].count("wrapup") == 1


async def test_a_failing_wake_up_keeps_the_results_for_the_next_turn(frail: World) -> None:
    """Architecture 5: a finally failed turn keeps what it took; the next turn's prompt repeats them."""
    frail.reset()

    def host(request: Request) -> Reply:
        if "再说说" in request.last:
            return say("好的。")
        return fault(401) if FINDINGS["writer"] in request.last else act("安排。", *dispatches({"writer": "写"}))

    frail.model.play = cast(host, writer=always(FINDINGS["writer"]))
    guest = frail.guest()
    await guest.say(QUESTION)
    heard = await guest.hears_end()
    assert [message.kind for message in heard] == ["host", "notice", "member", "failure"]
    await guest.say("再说说", wait=20)
    assert FINDINGS["writer"] in frail.model.requests[-1].whole()


async def test_what_never_recovers_ends_in_one_sentence_each(doomed: Doomed) -> None:
    """Contract 3: 500 for ever, a hang, a stream cut for ever, a page of a proxy, 429 for ever: a sentence with an
    error id that stands in the log, no key, and the room works afterwards."""
    world, guests = doomed
    for kind, guest in guests.items():
        (message,) = await guest.hears(1, within=PATIENCE)
        assert (message.kind, message.speaker, message.role) == ("failure", "studio", "host"), kind
        assert SENTENCE.fullmatch(message.text), (kind, message.text)
        assert message.reply_to == kind
        assert _error_id(message) in _plain(world), "the id stands in the log beside the cause"
    for kind, guest in guests.items():
        reply = await guest.say("好了吗", wait=20)
        assert [message["text"] for message in reply.body["messages"]] == ["好了。"], kind
    assert API_KEY not in _plain(world)


async def test_no_secret_is_ever_written(frail: World) -> None:
    """X5: last of the module, over everything that was logged and said."""
    said: list[Any] = [message.raw for message in frail.callback.taken]
    assert API_KEY not in _plain(frail)
    assert API_KEY not in str(said)
    assert "Traceback" not in str(said)
