"""What a scripted model answers: a short list of steps, told as a stream or as one body."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.gate import Gate


@dataclass(frozen=True, kw_only=True)
class Words:
    """Some text, as one chunk."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Use:
    """One tool call. `arguments` are JSON text, valid or not; `pieces` is the number of chunks they come in."""

    name: str
    arguments: str
    id: str = "call"
    pieces: int = 1


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Nothing more is sent until the gate is opened."""

    gate: Gate


@dataclass(frozen=True, kw_only=True)
class Cut:
    """The connection is cut here."""


Step = Words | Use | Hold | Cut


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A whole answer. With a `status` other than 200, or a `body`, the steps do not matter.

    `thinks` is the seconds before its first byte, `pace` those between its steps; both are for benches only: a
    scenario waits at a Gate.
    """

    steps: tuple[Step, ...] = ()
    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    thinks: float = 0.0
    pace: float = 0.0

    def text(self) -> str:
        return "".join(step.text for step in self.steps if isinstance(step, Words))

    def uses(self) -> tuple[Use, ...]:
        return tuple(step for step in self.steps if isinstance(step, Use))


def say(*texts: str | Gate) -> Reply:
    """Text in chunks; a gate between them holds the stream."""
    return Reply(steps=tuple(Hold(gate=part) if isinstance(part, Gate) else Words(text=part) for part in texts))


def use(name: str, call_id: str = "", pieces: int = 1, **arguments: object) -> Use:
    """One tool call. Its id is empty unless given: real providers do that too, and repeat ids."""
    return Use(name=name, arguments=json.dumps(arguments, ensure_ascii=False), id=call_id, pieces=pieces)


def act(*steps: str | Use | Gate | Cut) -> Reply:
    """Text, tool calls, gates and cuts in this order."""
    return Reply(steps=tuple(_step(step) for step in steps))


def cut(*before: str) -> Reply:
    """The connection is cut: before anything was sent, or after this text."""
    return Reply(steps=(*(Words(text=text) for text in before), Cut()))


def hang(gate: Gate) -> Reply:
    """Not even a header until the gate is opened; then an empty answer."""
    return Reply(steps=(Hold(gate=gate),))


def nothing() -> Reply:
    """An answer without text and without calls."""
    return Reply()


def fault(status: int, retry_after: str = "", message: str = "scripted fault") -> Reply:
    headers = {"Retry-After": retry_after} if retry_after else {}
    return Reply(status=status, body=json.dumps({"error": {"message": message}}), headers=headers)


def garbage() -> Reply:
    """A page of some proxy, with status 200."""
    return Reply(body="<html>502 Bad gateway</html>", headers={"Content-Type": "text/html"})


def deltas(step: Words | Use, index: int) -> list[dict[str, Any]]:
    """The `delta` objects of one step; `index` is the position of a tool call in the answer."""
    if isinstance(step, Words):
        return [{"content": step.text}]
    first, *rest = _pieces(step.arguments, step.pieces)
    start = {"index": index, "id": step.id, "type": "function", "function": {"name": step.name, "arguments": first}}
    return [
        {"tool_calls": [start]},
        *({"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in rest),
    ]


def whole(reply: Reply) -> dict[str, Any]:
    """The `message` object of an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text() or None}
    if calls := reply.uses():
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return message


def _step(step: str | Use | Gate | Cut) -> Step:
    if isinstance(step, str):
        return Words(text=step)
    return Hold(gate=step) if isinstance(step, Gate) else step


def _pieces(text: str, count: int) -> list[str]:
    size = max(1, -(-len(text) // count))
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]
