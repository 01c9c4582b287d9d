"""An answer while it is streamed: chunks in, one answer out.

Endpoints differ in what they make of the format, so little is demanded of a chunk: reasoning has two names, calls may
come without an index or all with the same one, without ids or with the same one, usage in any chunk or never.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from host.conversation import Answer, Call, Part, Text, Thought, write_answer
from host.messages import read_arguments
from host.model import Visible
from host.models.faults import CutAnswerError, GarbledAnswerError, refusal
from host.models.openai.tags import Untagged

_Json = Mapping[str, Any]
_REASONING = ("reasoning_content", "reasoning")
_UNKNOWN_STATUS = 500


@dataclass(kw_only=True)
class _Words:
    chunks: list[str] = field(default_factory=list)

    def done(self, _: str) -> Part:
        return Text(text="".join(self.chunks))


@dataclass(kw_only=True)
class _Reasoning:
    name: str
    chunks: list[str] = field(default_factory=list)

    def done(self, service: str) -> Part:
        return Thought(text="".join(self.chunks), field=self.name, service=service)


@dataclass(kw_only=True)
class _Calling:
    id: str = ""
    name: str = ""
    extra: Any = None
    chunks: list[str] = field(default_factory=list)

    def is_another(self, call_id: str, name: str) -> bool:
        """Whether a piece with this id and name begins a new call, although it has our index."""
        if not name or not self.name:
            return False
        return call_id != self.id if call_id else self._is_whole()

    def _is_whole(self) -> bool:
        arguments = "".join(self.chunks)
        return bool(arguments) and not read_arguments(arguments)[1]

    def grow(self, call_id: str, name: str, arguments: object) -> None:
        """Names come whole, in pieces, or again and again."""
        self.id = self.id or call_id
        self.name += name if name != self.name else ""
        self.chunks.append(arguments if isinstance(arguments, str) else json.dumps(arguments))

    def done(self, service: str) -> Part:
        if not self.name:
            raise GarbledAnswerError("a tool call without a name")
        return Call(id=self.id, name=self.name, arguments="".join(self.chunks), service=service, extra=self.extra)


class Draft:
    """Takes the chunks of one answer and tells its visible text."""

    def __init__(self, model: str, service: str, visible: Visible) -> None:
        self._model = model
        self._service = service
        self._visible = visible
        self._untagged = Untagged()
        self._parts: list[_Words | _Reasoning | _Calling] = []
        self._calls: dict[object, _Calling] = {}
        self._unseen: list[str] = []
        self._usage: _Json = {}
        self._ending = ""

    def take(self, events: Iterable[bytes]) -> None:
        """Events that came together: what they say is shown at once.

        Raises RefusedError for an error among them, GarbledAnswerError for what is no chunk of an answer.
        """
        try:
            for data in events:
                self._read(json.loads(data))
        except (ValueError, TypeError, LookupError, AttributeError) as fault:
            raise GarbledAnswerError(f"not a chunk of an answer: {fault}") from fault
        self._show()

    def finish(self) -> bytes:
        """The answer as a stored message. Raises CutAnswerError if nobody said that it is whole."""
        if not self._ending:
            raise CutAnswerError
        if self._ending == "error":
            raise refusal(_UNKNOWN_STATUS, "the answer ended in an error")
        self._say(self._untagged.rest())
        self._show()
        answer = Answer(
            parts=[part.done(self._service) for part in self._parts],
            model=self._model,
            service=self._service,
            ending=self._ending,
            input_tokens=self._usage.get("prompt_tokens") or 0,
            output_tokens=self._usage.get("completion_tokens") or 0,
        )
        return write_answer(answer)

    def _read(self, chunk: _Json) -> None:
        if error := chunk.get("error"):
            raise _refused(error)
        self._usage = chunk.get("usage") or self._usage
        if choices := chunk.get("choices"):
            self._grow(choices[0])

    def _grow(self, choice: _Json) -> None:
        self._ending = choice.get("finish_reason") or self._ending
        delta = choice.get("delta") or {}
        for name in _REASONING:
            if thought := delta.get(name):
                self._think(name, thought)
                break
        if text := delta.get("content") or delta.get("refusal"):
            self._say(self._untagged.words(text if isinstance(text, str) else _joined(text)))
        for piece in delta.get("tool_calls") or ():
            self._call(piece)

    def _say(self, text: str) -> None:
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Words):
            # Many models put blank lines between their reasoning, their words and their calls.
            text = text.lstrip()
            if not text:
                return
            self._parts.append(last := _Words())
        last.chunks.append(text)
        self._unseen.append(text)

    def _think(self, name: str, thought: str) -> None:
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Reasoning):
            self._begin(last := _Reasoning(name=name))
        last.chunks.append(thought)

    def _call(self, piece: _Json) -> None:
        function = piece.get("function") or {}
        call_id, name = piece.get("id") or "", function.get("name") or ""
        call = self._calls.get(piece.get("index"))
        if call is None or call.is_another(call_id, name):
            self._begin(call := _Calling())
            self._calls[piece.get("index")] = call
        call.grow(call_id, name, function.get("arguments") or "")
        call.extra = piece.get("extra_content") or call.extra

    def _begin(self, part: _Reasoning | _Calling) -> None:
        self._show()
        self._parts.append(part)
        self._visible.interrupt()

    def _show(self) -> None:
        self._visible.add("".join(self._unseen))
        self._unseen.clear()


def _joined(content: Iterable[_Json]) -> str:
    """Mistral streams text as a list of parts."""
    return "".join(part["text"] for part in content if part["type"] == "text")


def _refused(error: Any) -> Exception:
    """An error that comes inside a stream; gateways name the status of the one behind them."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else _UNKNOWN_STATUS
    return refusal(status, json.dumps(error, ensure_ascii=False))
