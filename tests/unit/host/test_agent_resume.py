"""Going on after a break: whatever checkpoints are left, the turn ends with the fewest questions."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart

from host.agent import Response, ToolCall, closing, last_response, tool_returns
from tests.support.agent_run import (
    Answer,
    Call,
    PlayedModel,
    Recorder,
    answering,
    assert_valid,
    messages,
    returns,
    run,
    tool,
)

SCRIPT: tuple[Sequence[Answer], ...] = (
    ["I look", Call(name="safe"), Call(name="unsafe"), Call(name="nope"), Call(name="safe", arguments="{")],
    [Call(name="safe", id="same"), Call(name="safe", id="same")],
    ["done"],
)
SAFE = answering("safe", "fine")
UNSAFE = answering("unsafe", "sent", safe=False)


async def whole_run() -> list[bytes]:
    return (await run(PlayedModel(*SCRIPT).model, SAFE, UNSAFE)).checkpoints


@pytest.mark.parametrize("kept", range(6))
async def test_every_cut_is_continued_with_the_fewest_questions(kept: int) -> None:
    """T30, R1."""
    checkpoints = await whole_run()
    assert len(checkpoints) == 5
    done = checkpoints[:kept]
    answered = sum(isinstance(each, ModelResponse) for each in messages(done))
    played = PlayedModel(*SCRIPT[answered:])
    recorder = await run(played.model, SAFE, UNSAFE, done=done)
    assert len(played.asked) == len(SCRIPT) - answered
    assert [each.number for each in recorder.responses] == list(range(answered + 1, len(SCRIPT) + 1))
    stored = messages([*done, *recorder.checkpoints])
    assert_valid(stored)
    for asked in played.asked:
        assert_valid(asked)
    assert isinstance(stored[-1], ModelResponse)
    assert _prompts(stored) == ["question"]


async def test_an_unsafe_tool_that_may_have_run_is_not_repeated() -> None:
    """Architecture 8."""
    ran: list[str] = []

    async def send(call: ToolCall) -> object:
        ran.append(call.id)
        return "sent"

    checkpoints = await whole_run()
    played = PlayedModel(*SCRIPT[1:])
    await run(played.model, SAFE, tool("unsafe", send, safe=False), done=checkpoints[:1])
    answer = returns(played.asked[0][-1])["unsafe"]
    assert ran == []
    assert answer.outcome == "interrupted"
    assert "not repeated" in str(answer.content)


async def test_an_unsafe_tool_runs_when_it_is_called_after_the_break() -> None:
    checkpoints = await whole_run()
    played = PlayedModel([Call(name="unsafe")], ["end"])
    await run(played.model, SAFE, UNSAFE, done=checkpoints[:1])
    assert returns(played.asked[1][-1])["unsafe"].content == "sent"


async def test_a_known_result_is_given_and_its_tool_does_not_run() -> None:
    """T26a: a repeated call finds its receipt."""
    checkpoints = (await run(PlayedModel([Call(name="ask")]).model, decide=lambda _: False)).checkpoints
    last = last_response(checkpoints)
    assert last is not None

    async def never(_: ToolCall) -> object:
        raise AssertionError

    played = PlayedModel(["end"])
    known = {last.calls[0].id: {"job_id": "j1", "status": "queued"}}
    await run(played.model, tool("ask", never), done=checkpoints, results=known)
    assert returns(played.asked[0][-1])["ask"].content == '{"job_id": "j1", "status": "queued"}'


async def test_a_finished_turn_asks_nobody() -> None:
    played = PlayedModel()
    recorder = await run(played.model, done=await whole_run())
    assert (played.asked, recorder.log) == ([], [])


async def test_last_response_shows_what_the_turn_ends_in() -> None:
    checkpoints = await whole_run()
    shown = [last_response(checkpoints[:kept]) for kept in range(6)]
    assert [each and (each.number, each.text, len(each.calls)) for each in shown] == [
        None,
        (1, "I look", 4),
        None,
        (2, "", 2),
        None,
        (3, "done", 0),
    ]


async def test_last_response_is_the_response_that_was_told() -> None:
    recorder = await run(PlayedModel(*SCRIPT).model, SAFE, UNSAFE)
    for kept, response in zip((1, 3, 5), recorder.responses, strict=True):
        assert last_response(recorder.checkpoints[:kept]) == response


async def test_dispatches_that_end_a_turn_leave_a_history_for_the_next() -> None:
    """Architecture 8: "unprocessed tool calls" must never meet the next prompt."""
    first = await run(PlayedModel(["I ask two", Call(name="ask"), Call(name="ask")]).model, decide=lambda _: False)
    calls = first.responses[0].calls
    history = [*first.checkpoints, tool_returns(calls, {call.id: {"job_id": call.id} for call in calls})]
    assert_valid(messages(history))
    played = PlayedModel(["together"])
    await run(played.model, history=history, prompt="they are back", turn_id="t2")
    assert _prompts(played.asked[0]) == ["question", "they are back"]
    assert_valid(played.asked[0])


async def test_a_history_left_open_does_not_make_the_session_unusable() -> None:
    first = await run(PlayedModel([Call(name="ask")]).model, decide=lambda _: False)
    played = PlayedModel(["ok"])
    await run(played.model, history=first.checkpoints, prompt="and?", turn_id="t2")
    assert_valid([*played.asked[0]])


@pytest.mark.parametrize("kept", range(6))
@pytest.mark.parametrize("text", ["", "half an ans"])
async def test_a_stopped_turn_is_closed_for_the_next_prompt(kept: int, text: str) -> None:
    """T16: its visible text stays."""
    done = (await whole_run())[:kept]
    rest = closing("question", done, text)
    stored = messages([*done, rest] if rest else done)
    assert_valid(stored)
    assert _prompts(stored) == ["question"]
    if kept in (0, 2, 4):
        assert _last_text(stored) == (text or "[stopped before an answer]")
    if kept == 5:
        assert rest == b""


def test_closing_answers_calls_as_the_receipts_say() -> None:
    open_turn = asyncio.run(run(PlayedModel([Call(name="ask"), Call(name="ask")]).model, decide=lambda _: False))
    known, unknown = open_turn.responses[0].calls
    rest = closing("question", open_turn.checkpoints, results={known.id: {"job_id": "j1"}})
    parts = messages([rest])[0].parts
    contents = {part.tool_call_id: part.content for part in parts if part.part_kind == "tool-return"}
    assert contents[known.id] == '{"job_id": "j1"}'
    assert "Interrupted" in str(contents[unknown.id])


steps = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.builds(Call, name=st.sampled_from(["safe", "unsafe", "nope"]), arguments=st.sampled_from(["{}", "{", "[]"])),
    ),
    max_size=4,
)


@given(script=st.lists(steps, min_size=1, max_size=4), data=st.data())
def test_any_conversation_survives_any_cut(script: list[list[Answer]], data: st.DataObject) -> None:
    """T30: whatever was said and wherever it was cut, the next request is one that providers accept."""
    script = [*script, ["end"]]

    async def check() -> None:
        full = await run(PlayedModel(*script).model, SAFE, UNSAFE)
        kept = data.draw(st.integers(0, len(full.checkpoints)))
        done = full.checkpoints[:kept]
        played = PlayedModel(*script[sum(isinstance(each, ModelResponse) for each in messages(done)) :])
        rest = await run(played.model, SAFE, UNSAFE, done=done)
        assert_valid(messages([*done, *rest.checkpoints]))
        assert_same_end(full, rest)

    asyncio.run(check())


def assert_same_end(full: Recorder, rest: Recorder) -> None:
    """The resumed run says what the whole one said, under the same ids."""
    if rest.responses:
        said = [_said(each) for each in full.responses[-len(rest.responses) :]]
        assert [_said(each) for each in rest.responses] == said


def _said(response: Response) -> tuple[int, str, tuple[ToolCall, ...]]:
    return response.number, response.text, response.calls


def _prompts(stored: Sequence[ModelMessage]) -> list[object]:
    return [part.content for each in stored for part in each.parts if part.part_kind == "user-prompt"]


def _last_text(stored: Sequence[ModelMessage]) -> str:
    part = stored[-1].parts[-1]
    assert isinstance(part, TextPart)
    return part.content
