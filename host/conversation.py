"""A stored conversation as values: what models of our own are shown, and what they answer.

It is read from checkpoints (`host.messages`) and repaired on the way, so that one damaged turn of the past does not
make a session unusable: every call is answered right behind its answer, and nothing is answered that nobody asked.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from host.messages import CUT_TOOL, PARAGRAPH, read_arguments
from host.pictures import Picture, read_picture

_Message = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """What a person, the host or the bridge told the model."""

    text: str
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What came of a tool call; not `ok`: the words are about a failure."""

    call_id: str
    text: str
    ok: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Words that people read."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Thought:
    """Reasoning. `service` sent it, in this `field` of its messages."""

    text: str
    field: str
    service: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A tool call. `arguments` is JSON text as the model wrote it, valid or not.

    `extra` is what the `service` wants to have back with the call, for example a signature.
    """

    id: str
    name: str
    arguments: str
    service: str = ""
    extra: Any = None


Part = Text | Thought | Call


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One response of a model. `service` is who gave it, `ending` why it ends, in the service's words."""

    parts: Sequence[Part]
    model: str = ""
    service: str = ""
    ending: str = ""
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def calls(self) -> list[Call]:
        return [part for part in self.parts if isinstance(part, Call)]


Entry = Prompt | Result | Answer


def read_conversation(checkpoints: Iterable[bytes]) -> list[Entry]:
    """What was said, oldest first, in the order that every provider accepts."""
    return list(_repaired(message for checkpoint in checkpoints for message in json.loads(checkpoint)))


def write_answer(answer: Answer) -> bytes:
    """The answer as one message of a checkpoint."""
    message = {
        "kind": "response",
        "parts": [_write_part(part) for part in answer.parts],
        "usage": {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens},
        "model_name": answer.model,
        "provider_name": answer.service or None,
        "provider_details": {"finish_reason": answer.ending} if answer.ending else None,
    }
    return json.dumps(message, separators=(",", ":")).encode()


def sendable_arguments(call: Call) -> str:
    """The arguments as one JSON object, whatever the model wrote: endpoints refuse a history with broken JSON."""
    _, fault = read_arguments(call.arguments)
    return json.dumps({"INVALID_JSON": call.arguments}) if fault else call.arguments or "{}"


def _repaired(messages: Iterable[_Message]) -> Iterator[Entry]:
    open_calls: dict[str, Call] = {}
    told: list[_Message] = []
    for message in messages:
        if message["kind"] != "response":
            told += message["parts"]
            continue
        yield from _told(told, open_calls)
        answer, told = _read_answer(message), []
        open_calls = {call.id: call for call in answer.calls}
        yield answer
    yield from _told(told, open_calls)


def _told(parts: Sequence[_Message], open_calls: Iterable[str]) -> Iterator[Entry]:
    """What stands between two answers: first one result for every open call, then prompts."""
    results = {part["tool_call_id"]: part for part in parts if part["part_kind"] == "tool-return"}
    for call_id in open_calls:
        yield _read_result(call_id, results.get(call_id))
    for part in parts:
        if part["part_kind"] == "user-prompt":
            yield _read_prompt(part["content"])


def _read_prompt(content: object) -> Prompt:
    """Words alone, or words with pictures behind them."""
    if not isinstance(content, list):
        return Prompt(text=_plain(content))
    pictures = [picture for item in content if (picture := read_picture(item)) is not None]
    words = [_plain(item) for item in content if read_picture(item) is None]
    return Prompt(text=PARAGRAPH.join(words), pictures=pictures)


def _read_result(call_id: str, part: _Message | None) -> Result:
    if part is None:
        return Result(call_id=call_id, text=CUT_TOOL, ok=False)
    return Result(call_id=call_id, text=_plain(part["content"]), ok=part.get("outcome", "success") == "success")


def _read_answer(message: _Message) -> Answer:
    parts = [part for each in message["parts"] if (part := _read_part(each)) is not None]
    return Answer(parts=parts, model=message.get("model_name") or "", service=message.get("provider_name") or "")


def _read_part(part: _Message) -> Part | None:
    """A part that this version does not know is left out."""
    match part["part_kind"]:
        case "text":
            return Text(text=part["content"])
        case "thinking":
            field, service = part.get("id") or "", part.get("provider_name") or ""
            return Thought(text=part["content"], field=field, service=service)
        case "tool-call":
            return Call(
                id=part["tool_call_id"],
                name=part["tool_name"],
                arguments=_plain(part.get("args") or ""),
                service=part.get("provider_name") or "",
                extra=(part.get("provider_details") or {}).get("extra_content"),
            )
    return None


def _write_part(part: Part) -> dict[str, Any]:
    match part:
        case Text():
            return {"part_kind": "text", "content": part.text}
        case Thought():
            return {"part_kind": "thinking", "content": part.text, "id": part.field, "provider_name": part.service}
        case Call():
            written = {"part_kind": "tool-call", "tool_name": part.name, "args": part.arguments}
            extra = {"provider_name": part.service, "provider_details": {"extra_content": part.extra}}
            return written | {"tool_call_id": part.id} | (extra if part.extra else {})


def _plain(content: object) -> str:
    """Text as it is, data as JSON text."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
