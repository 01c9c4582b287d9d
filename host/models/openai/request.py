"""From a conversation to the body of a request.

Reasoning goes back to the service that sent it, in the field it came in, and to nobody else: some endpoints answer
worse without it or not at all. Once a service has reasoned, each later message with calls has the field, be it empty.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from host.conversation import Answer, Call, Entry, Prompt, Result, Text, Thought, read_conversation, sendable_arguments
from host.messages import PARAGRAPH
from host.model import Question, Tool
from host.models.openai.service import required_field
from host.pictures import Picture, unseen

_Json = dict[str, Any]


def request_body(model: str, service: str, question: Question, *, wants_usage: bool) -> bytes:
    """The JSON of `POST /chat/completions` for a streamed answer."""
    system = [{"role": "system", "content": question.instructions}] if question.instructions else []
    entries = read_conversation(question.messages)
    said = _messages(entries, service, required_field(service, model), question.pictures)
    body: _Json = {
        "model": model,
        "messages": [*system, *said],
        "stream": True,
    }
    if question.tools:
        body["tools"] = [_tool(tool) for tool in question.tools]
    if wants_usage:
        body["stream_options"] = {"include_usage": True}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _tool(tool: Tool) -> _Json:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def _messages(entries: Iterable[Entry], service: str, field: str, seen: Mapping[str, bytes]) -> Iterator[_Json]:
    for entry in entries:
        match entry:
            case Prompt():
                yield {"role": "user", "content": _told(entry, seen)}
            case Result():
                yield {"role": "tool", "tool_call_id": entry.call_id, "content": entry.text}
            case Answer():
                reasoning = _reasoning(entry, service)
                field = next(iter(reasoning), field)
                yield from _assistant(entry, service, reasoning or ({field: ""} if field and entry.calls else {}))


def _told(prompt: Prompt, seen: Mapping[str, bytes]) -> str | list[_Json]:
    """Plain text wherever it will do: not every endpoint takes a list."""
    lines = [prompt.text, *(unseen(each) for each in prompt.pictures if each.digest not in seen)]
    text = PARAGRAPH.join(line for line in lines if line)
    shown = [_picture(each, seen[each.digest]) for each in prompt.pictures if each.digest in seen]
    return [{"type": "text", "text": text}, *shown] if shown else text


def _picture(picture: Picture, content: bytes) -> _Json:
    address = f"data:{picture.mime};base64,{base64.b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": address}}


def _reasoning(answer: Answer, service: str) -> _Json:
    """What the service thought before this answer, by the field it came in."""
    thoughts = [part for part in answer.parts if isinstance(part, Thought) and part.service == service and part.field]
    return {thoughts[0].field: PARAGRAPH.join(thought.text for thought in thoughts)} if thoughts else {}


def _assistant(answer: Answer, service: str, reasoning: _Json) -> Iterator[_Json]:
    """No message for an answer that said nothing: endpoints refuse an empty one."""
    texts = [part.text for part in answer.parts if isinstance(part, Text)]
    calls = answer.calls
    if texts or calls:
        said = {"role": "assistant", **reasoning, "content": PARAGRAPH.join(texts) if texts else None}
        yield said | ({"tool_calls": _calls(calls, service)} if calls else {})


def _calls(calls: Sequence[Call], service: str) -> list[_Json]:
    return [_call(call, call.extra if call.service == service else None) for call in calls]


def _call(call: Call, extra: object) -> _Json:
    function = {"name": call.name, "arguments": sendable_arguments(call)}
    return {"id": call.id, "type": "function", "function": function} | ({"extra_content": extra} if extra else {})
