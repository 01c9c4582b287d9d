"""Stored messages: reading and writing the JSON that pydantic-ai keeps conversations in, without importing it.

A checkpoint is a JSON list of messages. A message is a request (what the model was told: a user prompt or tool
returns) or a response (text and tool calls). Format: pydantic_ai.messages.ModelMessagesTypeAdapter, 2.68; keys that
are left out take their defaults there. A history is valid for the next prompt when every call has been answered.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from host.errors import Interrupted
from host.pictures import Picture, write_picture

CUT_TOOL = "Interrupted: it is unknown whether this call took effect. It was not repeated."
STOPPED = "[stopped before an answer]"
HEARD = "OK."
PARAGRAPH = "\n\n"

_Message = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One tool call of a response.

    `id` is ours, never the provider's: nine letters and digits, a function of (turn, number, position), so it is
    unique in the session and the same after a resume. `number` is the response's in its turn, from 1, `position` the
    call's in the response, from 0. `arguments` is None, and `fault` says why, if they were not a JSON object.
    """

    id: str
    number: int
    position: int
    name: str
    arguments: Mapping[str, Any] | None
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class Response:
    """One complete answer of the model, before any of its tools runs; without calls it is the final one.

    `number` counts the turn's responses from 1, across resumes. `messages` is the checkpoint to store: the messages
    that are new since the last one, as pydantic-ai's JSON (the turn's first has the prompt in front).
    """

    number: int
    text: str
    calls: tuple[ToolCall, ...]
    messages: bytes
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class Returned:
    """One answered call as the model reads it; not `ok`: the text is about a failure, or that it was `interrupted`."""

    call_id: str
    name: str
    text: str
    ok: bool
    interrupted: bool


def call_id(turn_id: str, number: int, position: int) -> str:
    """Our own id of a tool call.

    Nine letters and digits, 45 bits: Mistral takes no other length, everybody else takes these too.
    """
    digest = hashlib.sha256(f"{turn_id}/{number}/{position}".encode()).digest()
    return base64.b32encode(digest)[:9].decode().lower()


def user_prompt(text: str, pictures: Sequence[Picture] = ()) -> bytes:
    """A checkpoint with one user message. Of pictures it holds where they are found, never their bytes."""
    content = [sound(text), *map(write_picture, pictures)] if pictures else sound(text)
    return _dump([_request({"part_kind": "user-prompt", "content": content})])


def remark(text: str) -> bytes:
    """A checkpoint that tells the model something outside of any turn, and lets it have heard that."""
    return _dump([_request({"part_kind": "user-prompt", "content": sound(text)}), _answer(HEARD)])


def own_response(
    asked: bytes, answer: bytes, turn_id: str, number: int, full_names: Mapping[str, str] | None = None
) -> Response:
    """A model's answer as the turn's `number`-th response, with the checkpoint to store.

    `answer` is the JSON of one message, `asked` the checkpoint of the prompt if that is not stored yet, else b"".
    Providers send empty call ids, and the same id twice; ours are a function of the place. A call of one of
    `full_names` is a call of the tool behind it.
    """
    message = json.loads(answer)
    positions = count()
    known = full_names or {}
    message["parts"] = [
        _own_call(part, call_id(turn_id, number, next(positions)), known)
        if part["part_kind"] == "tool-call"
        else sound_data(part)
        for part in message["parts"]
    ]
    return read_response(_dump([*_load([asked] if asked else []), message]), number)


def last_response(done: Sequence[bytes]) -> Response | None:
    """The response that a turn's checkpoints end in: final if it has no calls, else its calls are unanswered.

    None if the model is to be asked next: nothing is done yet, or the last calls have been answered.
    """
    if not done or _load(done[-1:])[-1]["kind"] != "response":
        return None
    return read_response(done[-1], count_responses(done))


def count_responses(done: Sequence[bytes]) -> int:
    """How often the model has answered in these checkpoints."""
    return sum(message["kind"] == "response" for message in _load(done))


def tool_returns(calls: Sequence[ToolCall], results: Mapping[str, object]) -> bytes:
    """The checkpoint that answers `calls`; `results` has each call's answer by call id.

    A result is text, JSON-able data, or an exception whose words the model gets as an error. A call without a result
    is answered with its fault, or as interrupted.
    """
    return _dump([_request(*(_tool_return(call, results) for call in calls))])


def returned(checkpoint: bytes) -> list[Returned]:
    """The answers to calls in a checkpoint that `tool_returns` wrote."""
    parts = [part for message in _load([checkpoint]) for part in message["parts"]]
    return [_returned(part) for part in parts if part["part_kind"] == "tool-return"]


def closing(
    prompt: str,
    done: Sequence[bytes],
    text: str = "",
    *,
    results: Mapping[str, object] | None = None,
    note: str = STOPPED,
) -> bytes:
    """The last checkpoint of a turn that was stopped or failed: makes its messages valid for the next prompt.

    `prompt` is the turn's, `done` its checkpoints. Unanswered calls are answered with `results` (by call id) or as
    interrupted. If the model owes an answer, the part of it that people saw (`text`), else `note`, stands for it.
    b"" if nothing is missing.
    """
    response = last_response(done)
    if response is None:
        asked = [] if done else [user_prompt(prompt)]
        return _dump([*_load(asked), _answer(sound(text) or note)])
    return tool_returns(response.calls, results or {}) if response.calls else b""


def sound(text: str) -> str:
    """`text` with a mark, as long, for what models do send and no database or socket takes: lone surrogates, NUL."""
    text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def sound_data(value: Any) -> Any:
    """The same for every text of JSON data."""
    match value:
        case str():
            return sound(value)
        case list():
            return [sound_data(each) for each in value]
        case dict():
            return {sound(key): sound_data(each) for key, each in value.items()}
    return value


def as_text(result: object) -> str:
    """A tool's result as the model reads it. Raises TypeError, ValueError if it is not JSON-able.

    Data goes in as text: read back as data, a result could pass for one of pydantic-ai's file types.
    """
    return sound(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False))


def _load(checkpoints: Iterable[bytes]) -> list[_Message]:
    return [message for checkpoint in checkpoints for message in json.loads(checkpoint)]


def _dump(messages: Sequence[_Message]) -> bytes:
    return sound(json.dumps(messages, ensure_ascii=False, separators=(",", ":"))).encode()


def _own_call(part: _Message, own_id: str, full_names: Mapping[str, str]) -> _Message:
    """A plain call, whatever else is known about tools of this name."""
    kept: _Message = {key: part[key] for key in ("args", "provider_name", "provider_details") if key in part}
    name = full_names.get(part["tool_name"], part["tool_name"])
    return {"part_kind": "tool-call", "tool_name": name, **kept, "tool_call_id": own_id}


def _request(*parts: Mapping[str, Any]) -> _Message:
    return {"kind": "request", "parts": list(parts)}


def _answer(text: str) -> _Message:
    return {"kind": "response", "parts": [{"part_kind": "text", "content": text}]}


def read_response(checkpoint: bytes, number: int) -> Response:
    """The response that a checkpoint ends in, the turn's `number`-th."""
    message = _load([checkpoint])[-1]
    usage = message.get("usage") or {}
    parts = [part for part in message["parts"] if part["part_kind"] == "tool-call"]
    return Response(
        number=number,
        text=_text(message["parts"]),
        calls=tuple(_read_call(part, number, position) for position, part in enumerate(parts)),
        messages=checkpoint,
        input_tokens=usage.get("input_tokens", 0),
        output_tokens=usage.get("output_tokens", 0),
    )


def _returned(part: _Message) -> Returned:
    outcome = part.get("outcome", "success")
    return Returned(
        call_id=part["tool_call_id"],
        name=part["tool_name"],
        text=str(part["content"]),
        ok=outcome == "success",
        interrupted=outcome == "interrupted",
    )


def _text(parts: Iterable[Mapping[str, Any]]) -> str:
    """What people read: text that something else interrupted goes on in a new paragraph."""
    text, before = "", "text"
    for part in parts:
        if part["part_kind"] == "text" and part["content"]:
            text += PARAGRAPH + part["content"] if text and before != "text" else part["content"]
        before = part["part_kind"]
    return text


def _read_call(part: Mapping[str, Any], number: int, position: int) -> ToolCall:
    arguments, fault = read_arguments(part.get("args"))
    return ToolCall(
        id=part["tool_call_id"],
        number=number,
        position=position,
        name=part["tool_name"],
        arguments=arguments,
        fault=fault,
    )


def read_arguments(raw: object) -> tuple[Mapping[str, Any] | None, str]:
    """A call's arguments and "", or None and what is wrong with them. No text at all means no arguments."""
    if not raw:
        return {}, ""
    try:
        value = _parse(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError) as error:
        return None, f"The arguments are not valid JSON ({error}). Send one JSON object."
    if not isinstance(value, dict):
        return None, "The arguments are not a JSON object. Send one JSON object."
    return value, ""


def _parse(raw: str) -> object:
    """JSON text as data; an escape may stand for half a character, or for NUL."""
    value = json.loads(raw)
    return sound_data(value) if "\\u" in raw else value


def _tool_return(call: ToolCall, results: Mapping[str, object]) -> _Message:
    content, outcome = _content(call, results)
    return {
        "part_kind": "tool-return",
        "tool_name": call.name,
        "tool_call_id": call.id,
        "content": content,
        "outcome": outcome,
    }


def _content(call: ToolCall, results: Mapping[str, object]) -> tuple[str, str]:
    if call.id not in results:
        return (call.fault, "failed") if call.fault else (CUT_TOOL, "interrupted")
    match results[call.id]:
        case Interrupted() as fault:
            return sound(str(fault)), "interrupted"
        case Exception() as fault:
            return sound(str(fault)), "failed"
        case result:
            return as_text(result), "success"
