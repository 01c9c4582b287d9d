"""Chunks of every dialect become one answer."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from host.conversation import Answer, Call, Text, Thought, read_conversation
from host.model import Visible
from host.models.faults import CutAnswerError, GarbledAnswerError, RefusedError, is_transient
from host.models.openai.draft import Draft
from host.models.openai.tags import Untagged

STOP: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def calling(index: int | None, call_id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "function": function} | ({} if index is None else {"index": index})


def drafted(*chunks: Any) -> tuple[Draft, list[str]]:
    shown: list[str] = []
    draft = Draft("m", "here", Visible(lambda _, text: shown.append(text)))
    for chunk in chunks:
        draft.take([json.dumps(chunk).encode()])
    return draft, shown


def answer(*chunks: Any) -> Answer:
    (read,) = read_conversation([b"[" + drafted(*chunks, STOP)[0].finish() + b"]"])[:1]
    assert isinstance(read, Answer)
    return read


def calls(*pieces: dict[str, Any]) -> list[tuple[str, str]]:
    given = answer(*(delta(tool_calls=[piece]) for piece in pieces))
    return [(call.name, call.arguments) for call in given.calls]


def test_pieces_of_a_call_are_joined_by_index() -> None:
    assert calls(
        calling(0, "a", "look", ""),
        calling(1, "b", "find", '{"x"'),
        calling(0, None, None, '{"at": '),
        calling(1, "", "", ": 2}"),
        calling(0, None, None, "1}"),
    ) == [("look", '{"at": 1}'), ("find", '{"x": 2}')]


@pytest.mark.parametrize("index", [0, None])
def test_calls_that_all_have_the_same_index_are_told_apart_by_id_and_name(index: int | None) -> None:
    assert calls(
        calling(index, "a", "look", "{}"), calling(index, "b", "look", '{"x":'), calling(index, None, None, " 1}")
    ) == [("look", "{}"), ("look", '{"x": 1}')]


def test_calls_without_ids_are_told_apart_when_the_one_before_is_whole() -> None:
    assert calls(calling(0, "", "look", '{"x": 1}'), calling(0, "", "look", '{"x": 2}')) == [
        ("look", '{"x": 1}'),
        ("look", '{"x": 2}'),
    ]


def test_a_name_that_is_repeated_in_every_piece_is_one_name() -> None:
    pieces = (calling(0, "a", "look", '{"x"'), calling(0, "a", "look", ": 1"), calling(0, None, "look", "}"))
    assert calls(*pieces) == [("look", '{"x": 1}')]


def test_a_name_in_pieces_and_arguments_as_data() -> None:
    assert calls(calling(0, "a", "lo", None), calling(0, None, "ok", {"x": 1})) == [("look", '{"x": 1}')]


def test_a_call_without_a_name_is_garbage() -> None:
    draft, _ = drafted(delta(tool_calls=[calling(0, "a", None, "{}")]), STOP)
    with pytest.raises(GarbledAnswerError):
        draft.finish()


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_is_kept_apart_with_the_field_it_came_in(field: str) -> None:
    given = answer(delta(**{field: "hm", "content": None}), delta(**{field: "m"}), delta(content="yes"))
    assert given.parts == [Thought(text="hmm", field=field, service="here"), Text(text="yes")]


def test_text_that_something_interrupts_goes_on_in_a_new_paragraph() -> None:
    draft, shown = drafted(delta(content="one"), delta(reasoning="hm"), delta(content="two"), delta(content="!"), STOP)
    draft.finish()
    assert shown == ["one", "\n\ntwo", "!"]


def test_blank_text_before_words_or_calls_is_not_said() -> None:
    draft, shown = drafted(delta(content="\n\n"), delta(content="\n"), delta(content=" yes "), STOP)
    assert b'"yes "' in draft.finish()
    assert shown == ["yes "]
    assert answer(delta(content="\n\n"), delta(tool_calls=[calling(0, "a", "look", "{}")])).parts == [
        Call(id="a", name="look", arguments="{}")
    ]


def test_a_refusal_and_text_in_parts_are_text() -> None:
    assert answer(delta(refusal="No.")).parts == [Text(text="No.")]
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "yes"}]
    assert answer(delta(content=parts)).parts == [Text(text="yes")]


def test_usage_may_come_in_any_chunk() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    draft, _ = drafted({**delta(content="a"), "usage": usage}, {**STOP, "usage": None}, {"choices": []})
    assert json.loads(draft.finish())["usage"] == {"input_tokens": 3, "output_tokens": 4}


def test_what_a_service_wants_back_with_a_call_is_kept() -> None:
    """Gemini's signature of its thoughts."""
    signed = calling(0, "a", "look", "{}") | {"extra_content": {"google": {"thought_signature": "s"}}}
    (call,) = answer(delta(tool_calls=[signed])).calls
    assert (call.extra, call.service) == ({"google": {"thought_signature": "s"}}, "here")


@pytest.mark.parametrize("chunk", [{"choices": [{"delta": None}]}, {"choices": [{}]}, {}, {"choices": None}])
def test_empty_chunks_say_nothing(chunk: dict[str, Any]) -> None:
    assert answer(chunk).parts == []


@pytest.mark.parametrize("data", [b"{broken", b"[1]", b"7", b'{"choices": 7}', b'{"choices": [{"delta": 7}]}'])
def test_what_is_no_chunk_is_garbage(data: bytes) -> None:
    with pytest.raises(GarbledAnswerError):
        drafted()[0].take([data])


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        ({"message": "overloaded"}, True),
        ({"code": 429, "message": "slow down"}, True),
        ({"code": "insufficient_quota"}, False),
        ({"code": 401, "message": "no"}, False),
        ("broken", True),
    ],
)
def test_an_error_inside_the_stream(error: object, transient: bool) -> None:
    with pytest.raises(RefusedError) as refused:
        drafted({"error": error})
    assert is_transient(refused.value) is transient


def test_an_answer_must_say_that_it_is_whole() -> None:
    with pytest.raises(CutAnswerError):
        drafted(delta(content="Half"))[0].finish()
    with pytest.raises(RefusedError):
        drafted(delta(content="Half"), {"choices": [{"delta": {}, "finish_reason": "error"}]})[0].finish()


def words(chunks: Iterable[str]) -> str:
    untagged = Untagged()
    return "".join([untagged.words(chunk) for chunk in chunks]) + untagged.rest()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>hm</think>yes", "yes"),
        ("\n<think>\nhm <b> </thi </think>\n\nyes <think>no</think>", "\n\nyes <think>no</think>"),
        ("<thinking is hard", "<thinking is hard"),
        ("yes <think>no</think>", "yes <think>no</think>"),
        ("<think>never ends", ""),
        ("<th", "<th"),
        ("", ""),
    ],
)
def test_reasoning_between_tags_is_not_said_however_it_is_cut(text: str, said: str) -> None:
    assert words([text]) == said
    assert words(text) == said
    assert words([text[:9], text[9:]]) == said
