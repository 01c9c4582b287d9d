"""The agent loop with played models: order, ids, broken calls, tools."""

import asyncio

import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, UserPromptPart
from structlog.testing import capture_logs

from host.agent import ToolCall, run_agent
from host.errors import LoopLimit, ToolFault
from store.errors import Lost
from tests.support.agent_run import (
    Call,
    PlayedModel,
    Recorder,
    answering,
    assert_valid,
    assignment,
    messages,
    returns,
    run,
    tool,
)


async def test_a_plain_answer_costs_one_call_and_one_checkpoint() -> None:
    played = PlayedModel(["Good ", "day"])
    recorder = await run(played.model)
    (response,) = recorder.responses
    assert (response.number, response.text, response.calls) == (1, "Good day", ())
    assert recorder.deltas == [(0, "Good "), (5, "day")]
    asked, answered = messages(recorder.checkpoints)
    assert isinstance(asked, ModelRequest)
    assert isinstance(asked.parts[0], UserPromptPart)
    assert asked.parts[0].content == "question"
    assert isinstance(answered, ModelResponse)
    assert len(played.asked) == 1


async def test_instructions_and_tools_reach_the_model_and_are_not_stored() -> None:
    played = PlayedModel(["ok"])
    recorder = await run(played.model, answering("clock", "noon"), instructions="speak of ships")
    assert played.infos[0].instructions == "speak of ships"
    assert [each.name for each in played.infos[0].function_tools] == ["clock"]
    assert b"ships" not in b"".join(recorder.checkpoints)


async def test_a_response_is_told_before_any_of_its_tools_runs() -> None:
    """T26a."""
    recorder = Recorder()

    async def note(_: ToolCall) -> object:
        recorder.log.append("tool")
        return "done"

    played = PlayedModel(["look", Call(name="note"), Call(name="note")], ["done"])
    await run_agent(assignment(played.model, tool("note", note)), recorder)
    assert recorder.log == ["responded 1", "tool", "tool", "tools ran", "responded 2"]
    assert_valid(messages(recorder.checkpoints))


async def test_a_tool_called_without_its_server_is_found_where_only_one_is_meant() -> None:
    """Many models leave the server's name away; the checkpoint holds the full one, so that all else knows it."""
    played = PlayedModel([Call(name="search"), Call(name="read"), Call(name="clock")], ["done"])
    offered = [answering(name, name) for name in ("docs__search", "docs__read", "wiki__read", "clock", "wiki__clock")]
    recorder = await run(played.model, *offered)
    assert [call.name for call in recorder.responses[0].calls] == ["docs__search", "read", "clock"]
    found = returns(messages(recorder.checkpoints)[2])
    assert (found["docs__search"].content, found["clock"].content) == ("docs__search", "clock")
    assert "There is no tool 'read'" in str(found["read"].content)


async def test_false_ends_the_run_before_any_tool() -> None:
    ran: list[str] = []

    async def never(call: ToolCall) -> object:
        ran.append(call.name)
        return ""

    played = PlayedModel([Call(name="ask")])
    recorder = await run(played.model, tool("ask", never), decide=lambda _: False)
    assert recorder.log == ["responded 1"]
    assert ran == []


@pytest.mark.parametrize("ids", [(None, None), ("", ""), ("call_1", "call_1"), ("x" * 200, "y.y")])
async def test_call_ids_are_our_own_whatever_the_provider_sends(ids: tuple[str | None, str | None]) -> None:
    played = PlayedModel(
        [Call(name="clock", id=ids[0]), Call(name="clock", id=ids[1])], [Call(name="clock", id=ids[0])], ["end"]
    )
    recorder = await run(played.model, answering("clock", "noon"))
    calls = [call for response in recorder.responses for call in response.calls]
    assert [(call.number, call.position) for call in calls] == [(1, 0), (1, 1), (2, 0)]
    assert len({call.id for call in calls}) == 3
    assert all(len(call.id) == 9 and call.id.isalnum() for call in calls)
    assert_valid(messages(recorder.checkpoints))


async def test_the_same_call_has_the_same_id_when_the_turn_is_repeated() -> None:
    """C5, T26a: a turn that is repeated after a crash finds its receipts."""
    first, again = [
        await run(PlayedModel([Call(name="clock")], ["end"]).model, answering("clock", "noon")) for _ in range(2)
    ]
    other = await run(PlayedModel([Call(name="clock")], ["end"]).model, answering("clock", "noon"), turn_id="t2")
    ids = [each.responses[0].calls[0].id for each in (first, again, other)]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ("{broken", "not valid JSON"),
        ("[1]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("nil", "valid"),
    ],
)
async def test_broken_arguments_are_answered_while_the_others_run(raw: str, fault: str) -> None:
    played = PlayedModel([Call(name="note", arguments=raw), Call(name="clock")], ["end"])
    recorder = await run(played.model, answering("note", "noted"), answering("clock", "noon"))
    broken, sound = recorder.responses[0].calls
    assert broken.arguments is None
    assert fault in broken.fault
    assert sound.arguments == {}
    answers = returns(played.asked[1][-1])
    assert answers["note"].outcome == "failed"
    assert fault in str(answers["note"].content)
    assert answers["clock"].content == "noon"


async def test_an_unknown_tool_is_an_error_that_lists_the_tools() -> None:
    """T27: the run goes on, so that the model can correct itself."""
    played = PlayedModel([Call(name="serach")], ["end"])
    recorder = await run(played.model, answering("search", ""), answering("clock", ""))
    content = str(returns(played.asked[1][-1])["serach"].content)
    assert "search, clock" in content
    assert recorder.responses[-1].text == "end"


async def test_a_tool_fault_reaches_the_model_in_its_own_words() -> None:
    async def refuse(_: ToolCall) -> object:
        raise ToolFault("ask somebody else")

    played = PlayedModel([Call(name="ask")], ["end"])
    await run(played.model, tool("ask", refuse))
    assert returns(played.asked[1][-1])["ask"].content == "ask somebody else"


async def test_an_exception_of_a_tool_is_hidden_and_the_run_goes_on() -> None:
    """T15: an error of one never hides the results of the others."""

    async def crash(_: ToolCall) -> object:
        raise RuntimeError("password is 1234")

    played = PlayedModel([Call(name="crash"), Call(name="clock")], ["end"])
    recorder = await run(played.model, tool("crash", crash), answering("clock", {"now": "noon"}))
    answers = returns(played.asked[1][-1])
    assert "1234" not in str(answers["crash"].content)
    assert "internal error" in str(answers["crash"].content)
    assert answers["clock"].content == '{"now": "noon"}'
    assert recorder.responses[-1].text == "end"


async def test_a_result_that_is_not_json_is_a_tool_failure() -> None:
    played = PlayedModel([Call(name="odd")], ["end"])
    await run(played.model, answering("odd", object()))
    assert "internal error" in str(returns(played.asked[1][-1])["odd"].content)


async def test_a_result_cannot_pass_for_a_file() -> None:
    """X7: what a tool returns is text to the model, never an address that a provider would fetch."""
    disguised = {"kind": "image-url", "url": "http://169.254.169.254/"}
    played = PlayedModel([Call(name="odd")], ["end"])
    recorder = await run(played.model, answering("odd", disguised))
    assert isinstance(returns(messages(recorder.checkpoints)[2])["odd"].content, str)


async def test_a_fault_of_the_store_ends_the_run_as_itself() -> None:
    async def overtaken(_: ToolCall) -> object:
        raise Lost("t1")

    played = PlayedModel([Call(name="ask"), Call(name="clock")], ["end"])
    with pytest.raises(Lost):
        await run(played.model, tool("ask", overtaken), answering("clock", ""))


async def test_tools_of_one_response_run_side_by_side() -> None:
    both = asyncio.Barrier(2)

    async def meet(_: ToolCall) -> object:
        await both.wait()
        return "met"

    played = PlayedModel([Call(name="meet"), Call(name="meet")], ["end"])
    async with asyncio.timeout(5):
        await run(played.model, tool("meet", meet))


async def test_an_empty_answer_is_legal_and_costs_one_call() -> None:
    """Contract 3: the model answers nothing, nothing is sent."""
    played = PlayedModel([])
    recorder = await run(played.model)
    assert [(each.text, each.calls) for each in recorder.responses] == [("", ())]
    assert recorder.deltas == []
    assert len(played.asked) == 1


async def test_a_model_without_end_is_stopped() -> None:
    played = PlayedModel(*([Call(name="clock")] for _ in range(10)))
    recorder = Recorder()
    with capture_logs() as logs, pytest.raises(LoopLimit) as limit:
        await run_agent(assignment(played.model, answering("clock", "noon"), max_responses=3), recorder)
    assert [each.number for each in recorder.responses] == [1, 2, 3]
    assert len(limit.value.error_id) == 8
    assert logs[-1]["error_id"] == limit.value.error_id
    assert_valid(messages(recorder.checkpoints))


async def test_half_characters_are_mended_before_they_are_stored() -> None:
    played = PlayedModel(["a\ud83d", "\ude00 \ud83d", Call(name="note", arguments='{"x": "\\ud83d!"}')], ["end"])
    recorder = await run(played.model, answering("note", "\udc00"))
    response = recorder.responses[0]
    assert response.text == "a\U0001f600 \ufffd"
    assert response.calls[0].arguments == {"x": "\ufffd!"}
    "".join(text for _, text in recorder.deltas).encode()
    b"".join(recorder.checkpoints).decode()
