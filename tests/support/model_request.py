"""What a model server was asked: one chat completion request, read the way a test wants to ask about it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MARK = re.compile(r"<<(expert|team):([a-z0-9_-]+)>>")


def mark(kind: str, agent_id: str) -> str:
    """The words that tell the model server who is asking: in an expert's instructions or a team's guidelines."""
    return f"<<{kind}:{agent_id}>>"


@dataclass(frozen=True, kw_only=True)
class Said:
    """One message of the request; `calls` are the names and arguments of an assistant's tool calls."""

    role: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request. `number` counts the server's requests from 1, `model` is the name that was asked for."""

    number: int
    model: str
    stream: bool
    wants_usage: bool
    messages: tuple[Said, ...]
    tools: tuple[str, ...]
    authorization: str
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        return "\n\n".join(said.text for said in self.messages if said.role in ("system", "developer"))

    @property
    def last(self) -> str:
        """The text of the last user message."""
        return next((said.text for said in reversed(self.messages) if said.role == "user"), "")

    @property
    def asker(self) -> str:
        """The id of the agent that asks: an expert's mark wins, since members are shown their team's guidelines."""
        marks: list[tuple[str, str]] = sorted(_MARK.findall(self.system))
        return marks[0][1] if marks else ""

    @property
    def is_host(self) -> bool:
        """Whether a team's host asks."""
        return {kind for kind, _ in _MARK.findall(self.system)} == {"team"}

    @property
    def answers_tools(self) -> bool:
        """Whether this is the next step of a run whose tools have just answered."""
        return bool(self.messages) and self.messages[-1].role == "tool"

    @property
    def tool_answers(self) -> tuple[str, ...]:
        """What the tools of the last step answered."""
        answers: list[str] = []
        for said in reversed(self.messages):
            if said.role != "tool":
                break
            answers.insert(0, said.text)
        return tuple(answers)

    def whole(self) -> str:
        """Every word of the request, for "this must appear nowhere"."""
        return "\n".join(said.text for said in self.messages)


def parse_request(number: int, authorization: str, raw: bytes) -> Request:
    body = json.loads(raw)
    return Request(
        number=number,
        model=body["model"],
        stream=bool(body.get("stream")),
        wants_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        messages=tuple(_said(message) for message in body["messages"]),
        tools=tuple(tool["function"]["name"] for tool in body.get("tools") or ()),
        authorization=authorization,
        body=body,
    )


def _said(message: Mapping[str, Any]) -> Said:
    calls = tuple((call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls") or ())
    return Said(role=message["role"], text=_text(message.get("content")), calls=calls)


def _text(content: str | list[Mapping[str, Any]] | None) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or ())
