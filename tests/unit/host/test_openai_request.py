"""What an endpoint is sent."""

import json
from typing import Any

import pytest

from host.agent import ToolCall
from host.conversation import Answer, Call, Part, Text, Thought, write_answer
from host.messages import tool_returns, user_prompt
from host.model import Question
from host.models.openai.request import request_body
from host.pictures import Picture
from tests.support.agent_run import answering

THOUGHT = Thought(text="hm", field="reasoning_content", service="deepseek")
CALL = Call(id="c1", name="look", arguments='{"at": 1}')


def response(*parts: Part) -> bytes:
    return b"[" + write_answer(Answer(parts=parts)) + b"]"


def sent(*checkpoints: bytes, service: str = "here", model: str = "m", **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"instructions": "be kind", "tools": [], **more}
    body = request_body(model, service, Question(messages=checkpoints, **given), wants_usage=True)
    return dict(json.loads(body))


def said(*checkpoints: bytes, **more: Any) -> list[dict[str, Any]]:
    return list(sent(*checkpoints, **more)["messages"])


def returned(call: Call, result: object) -> bytes:
    return tool_returns([ToolCall(id=call.id, number=1, position=0, name=call.name, arguments={})], {call.id: result})


def test_a_conversation_in_the_words_of_the_endpoint() -> None:
    history = [
        user_prompt("where?"),
        response(Text(text="I look"), CALL, Text(text="there")),
        returned(CALL, {"found": "此处"}),
        response(Text(text="here")),
        user_prompt("thanks"),
    ]
    assert said(*history) == [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "where?"},
        {
            "role": "assistant",
            "content": "I look\n\nthere",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"found": "此处"}'},
        {"role": "assistant", "content": "here"},
        {"role": "user", "content": "thanks"},
    ]


def test_tools_go_out_as_they_were_given_and_usage_is_asked_for() -> None:
    body = sent(user_prompt("hi"), tools=[answering("clock", "noon")], instructions="")
    assert body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "clock",
                "description": "does clock",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ]
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert "tools" not in sent(user_prompt("hi"))
    assert [message["role"] for message in body["messages"]] == ["user"]


@pytest.mark.parametrize("broken", ["{oops", "[1]", "7"])
def test_arguments_are_an_object_whatever_the_model_wrote(broken: str) -> None:
    """Endpoints refuse a whole history for one broken call."""
    messages = said(response(Call(id="c", name="look", arguments=broken)), user_prompt("hi"))
    arguments = messages[1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"INVALID_JSON": broken}
    empty = said(response(Call(id="c", name="look", arguments="")))
    assert empty[1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_an_open_call_is_answered_and_a_stray_answer_is_left_out() -> None:
    stray = Call(id="gone", name="look", arguments="{}")
    history = [user_prompt("hi"), returned(stray, "x"), response(CALL), user_prompt("and?")]
    roles = [message["role"] for message in said(*history)]
    assert roles == ["system", "user", "assistant", "tool", "user"]
    assert "Interrupted" in said(*history)[3]["content"]


def test_an_answer_that_said_nothing_is_left_out() -> None:
    assert [each["role"] for each in said(user_prompt("hi"), response(), user_prompt("again"))] == [
        "system",
        "user",
        "user",
    ]


def test_reasoning_goes_back_to_the_service_that_sent_it_only() -> None:
    history = [user_prompt("hi"), response(THOUGHT, Text(text="yes")), user_prompt("and?")]
    assert said(*history, service="deepseek")[2] == {
        "role": "assistant",
        "reasoning_content": "hm",
        "content": "yes",
    }
    assert said(*history, service="openai")[2] == {"role": "assistant", "content": "yes"}


def test_once_a_service_has_reasoned_every_later_call_has_the_field() -> None:
    history = [response(THOUGHT, Text(text="yes")), response(CALL), response(Text(text="end"))]
    fields = [message.get("reasoning_content") for message in said(*history, service="deepseek")]
    assert fields == [None, "hm", "", None, None]


@pytest.mark.parametrize(
    ("service", "model", "field"),
    [("deepseek", "deepseek-v4-pro", ""), ("deepseek", "deepseek-chat", None), ("here", "deepseek-v4-pro", None)],
)
def test_deepseek_refuses_a_call_without_the_field_when_it_thinks(service: str, model: str, field: str | None) -> None:
    assert said(response(CALL), service=service, model=model)[1].get("reasoning_content") == field


def test_what_a_service_wants_back_goes_to_nobody_else() -> None:
    signed = Call(id="c", name="look", arguments="{}", service="gemini", extra={"google": "s"})
    assert said(response(signed), service="gemini")[1]["tool_calls"][0]["extra_content"] == {"google": "s"}
    assert "extra_content" not in said(response(signed), service="openai")[1]["tool_calls"][0]


CAT = Picture(digest="c" * 64, mime="image/png", name="cat.png")
DOG = Picture(digest="d" * 64, mime="image/jpeg", name="dog.jpg")


def test_pictures_go_out_as_their_bytes_and_unseen_ones_as_words() -> None:
    """Issue 8 item 4: the checkpoint holds their digest, never their bytes."""
    checkpoint = user_prompt("what?", [CAT, DOG])
    (told,) = said(checkpoint, instructions="", pictures={CAT.digest: b"png"})
    assert told["content"] == [
        {"type": "text", "text": "what?\n\n[The picture dog.jpg is not shown to you.]"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
    ]


def test_a_blind_model_gets_plain_text() -> None:
    """Not every endpoint takes a list of parts."""
    (told,) = said(user_prompt("what?", [CAT]), instructions="")
    assert told["content"] == "what?\n\n[The picture cat.png is not shown to you.]"
