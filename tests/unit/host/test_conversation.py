"""Stored conversations: what we write pydantic-ai reads, and what it writes we read, repaired alike."""

import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)

from host.conversation import Answer, Call, Entry, Prompt, Result, Text, Thought, read_conversation, write_answer

ANSWER = Answer(
    parts=[
        Thought(text="hm", field="reasoning_content", service="deepseek"),
        Text(text="yes"),
        Call(id="c1", name="look", arguments='{"at": 1}', service="gemini", extra={"google": "s"}),
    ],
    model="m",
    service="deepseek",
    ending="tool_calls",
    input_tokens=3,
    output_tokens=4,
)


def test_an_answer_of_ours_is_read_by_pydantic_ai() -> None:
    (message,) = ModelMessagesTypeAdapter.validate_json(b"[" + write_answer(ANSWER) + b"]")
    assert isinstance(message, ModelResponse)
    thought, text, call = message.parts
    assert isinstance(thought, ThinkingPart)
    assert (thought.content, thought.id, thought.provider_name) == ("hm", "reasoning_content", "deepseek")
    assert isinstance(text, TextPart)
    assert text.content == "yes"
    assert isinstance(call, ToolCallPart)
    assert (call.tool_name, call.args, call.tool_call_id) == ("look", '{"at": 1}', "c1")
    assert (message.usage.input_tokens, message.usage.output_tokens) == (3, 4)
    assert (message.model_name, message.provider_name) == ("m", "deepseek")


def test_an_answer_of_ours_is_read_by_ourselves() -> None:
    read, *rest = read_conversation([b"[" + write_answer(ANSWER) + b"]"])
    assert isinstance(read, Answer)
    assert (read.parts, read.model, read.service) == (ANSWER.parts, "m", "deepseek")
    assert rest == [Result(call_id="c1", text=_interrupted(rest), ok=False)]


def test_data_is_read_as_json_text_and_what_is_unknown_is_left_out() -> None:
    message = {
        "kind": "response",
        "parts": [
            {"part_kind": "tool-call", "tool_name": "look", "tool_call_id": "c", "args": {"at": 1}},
            {"part_kind": "builtin-tool-call", "tool_name": "search"},
        ],
    }
    (answer, _) = read_conversation([json.dumps([message]).encode()])
    assert isinstance(answer, Answer)
    assert answer.parts == [Call(id="c", name="look", arguments='{"at": 1}')]


ids = st.sampled_from(["a", "b", "c"])
requests = st.builds(
    ModelRequest,
    parts=st.lists(
        st.one_of(
            st.builds(UserPromptPart, content=st.sampled_from(["hi", "go on"])),
            st.builds(ToolReturnPart, tool_name=st.just("look"), content=st.just("x"), tool_call_id=ids),
        ),
        min_size=1,
        max_size=3,
        unique_by=lambda part: getattr(part, "tool_call_id", id(part)),
    ),
)
responses = st.builds(
    ModelResponse,
    parts=st.lists(
        st.builds(ToolCallPart, tool_name=st.just("look"), args=st.just("{}"), tool_call_id=ids),
        max_size=2,
        unique_by=lambda part: part.tool_call_id,
    ).map(lambda calls: [TextPart(content="t"), *calls]),
)


@given(st.lists(st.tuples(requests, responses), max_size=4))
def test_any_history_becomes_one_that_providers_accept(turns: list[tuple[ModelRequest, ModelResponse]]) -> None:
    history: list[ModelMessage] = [message for turn in turns for message in turn]
    read = read_conversation([ModelMessagesTypeAdapter.dump_json(history)])
    assert _is_valid(read)
    assert _prompts(read) == [
        part.content
        for message in repair_messages(history)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    assert sum(isinstance(entry, Answer) for entry in read) == len(turns)


def _is_valid(entries: list[Entry]) -> bool:
    """Behind every answer stand the results of its calls, in order, and nowhere else."""
    due: list[str] = []
    for entry in entries:
        match entry:
            case Result():
                if not due or due.pop(0) != entry.call_id:
                    return False
            case _ if due:
                return False
            case Answer():
                due = [call.id for call in entry.calls]
    return not due


def _prompts(entries: list[Entry]) -> list[str]:
    return [entry.text for entry in entries if isinstance(entry, Prompt)]


def _interrupted(entries: list[Entry]) -> str:
    (result,) = entries
    assert isinstance(result, Result)
    assert "Interrupted" in result.text
    return result.text
