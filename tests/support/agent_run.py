"""Running the agent loop in a test: a model that plays given answers, an observer that records, and clean calls."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from host.agent import Assignment, Response, Tool, ToolCall, run_agent
from host.models.adapted import AdaptedModel
from store.clock import Clock, SystemClock


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call that the model makes, with whatever id and arguments a provider may send."""

    name: str
    arguments: str = "{}"
    id: str | None = None


Answer = str | Call | Exception
"""A piece of text, a call, or a fault that ends the stream."""


class PlayedModel:
    """Answers in the given order; what it was asked stands in `asked`."""

    def __init__(self, *answers: Sequence[Answer]) -> None:
        self._answers = iter(answers)
        self.asked: list[list[ModelMessage]] = []
        self.infos: list[AgentInfo] = []
        self.model = AdaptedModel(FunctionModel(stream_function=self._stream))

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        self.asked.append(list(messages))
        self.infos.append(info)
        index = itertools.count()
        yield ""
        for step in next(self._answers):
            await asyncio.sleep(0)
            if isinstance(step, Exception):
                raise step
            yield step if isinstance(step, str) else {next(index): _delta(step)}


def _delta(call: Call) -> DeltaToolCall:
    return DeltaToolCall(name=call.name, json_args=call.arguments, tool_call_id=call.id)


@dataclass(kw_only=True)
class Recorder:
    """An observer that keeps everything. `decide` says whether the run goes on after a response."""

    decide: Callable[[Response], bool] = lambda _: True
    deltas: list[tuple[int, str]] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    checkpoints: list[bytes] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    """Set as soon as some text was shown."""

    def text(self, offset: int, text: str) -> None:
        self.deltas.append((offset, text))
        self.shown.set()

    async def responded(self, response: Response) -> bool:
        await asyncio.sleep(0)
        self.log.append(f"responded {response.number}")
        self.responses.append(response)
        self.checkpoints.append(response.messages)
        return self.decide(response)

    async def tools_ran(self, messages: bytes) -> None:
        self.log.append("tools ran")
        self.checkpoints.append(messages)


def tool(name: str, run: Callable[[ToolCall], Awaitable[object]], *, safe: bool = True) -> Tool:
    schema = {"type": "object", "properties": {}}
    return Tool(name=name, description=f"does {name}", schema=schema, run=run, safe=safe)


def answering(name: str, result: object, *, safe: bool = True) -> Tool:
    """A tool that always answers the same."""

    async def run(_: ToolCall) -> object:
        return result

    return tool(name, run, safe=safe)


def assignment(model: Any, *tools: Tool, **more: Any) -> Assignment:
    """An assignment with the prompt "question" in turn "t1"."""
    clock: Clock = SystemClock()
    given: dict[str, Any] = {
        "model": model,
        "instructions": "be kind",
        "history": (),
        "prompt": "question",
        "done": (),
        "tools": tools,
        "turn_id": "t1",
        "clock": clock,
    }
    return Assignment(**{**given, **more})


async def run(model: Any, *tools: Tool, decide: Callable[[Response], bool] = lambda _: True, **more: Any) -> Recorder:
    """One whole run, recorded."""
    recorder = Recorder(decide=decide)
    await run_agent(assignment(model, *tools, **more), recorder)
    return recorder


def messages(checkpoints: Iterable[bytes]) -> list[ModelMessage]:
    return [each for checkpoint in checkpoints for each in ModelMessagesTypeAdapter.validate_json(checkpoint)]


def returns(message: ModelMessage) -> dict[str, ToolReturnPart]:
    """The tool returns of a request by tool name."""
    assert isinstance(message, ModelRequest)
    return {part.tool_name: part for part in message.parts if isinstance(part, ToolReturnPart)}


def assert_valid(history: Sequence[ModelMessage]) -> None:
    """Every call is answered by the very next request, under an id that nothing else has; nothing is left open."""
    seen: set[str] = set()
    for message, following in itertools.pairwise([*history, None]):
        open_ids = [part.tool_call_id for part in message.parts if part.part_kind == "tool-call"] if message else []
        assert not seen & set(open_ids)
        assert len(set(open_ids)) == len(open_ids)
        seen |= set(open_ids)
        answered = (
            [part.tool_call_id for part in following.parts if part.part_kind == "tool-return"] if following else []
        )
        assert answered == open_ids
