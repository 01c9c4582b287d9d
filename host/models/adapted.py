"""Models that pydantic-ai talks to, behind our own interface: one loop for all providers.

Its conversion of messages and its parsing of answers are used, its agent graph is not.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ModelHTTPError, ModelQuotaExceededError, ModelRequestRejectedError, UserError
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    InstructionPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
    UserContent,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.models import Model as Borrowed
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from host.messages import sound
from host.model import Question, Tool, Visible
from host.models.faults import CutAnswerError, RefusedError, refusal
from host.pictures import SHELVED, Picture, unseen


async def _nothing() -> None:
    """There are no connections to let go of."""


class AdaptedModel:
    """A pydantic-ai model as a `host.model.Model`."""

    def __init__(self, model: Borrowed, *, key: str = "", close: Callable[[], Awaitable[None]] = _nothing) -> None:
        self.borrowed = model
        self.name = model.model_name
        self.key = key
        self._close = close

    async def answer(self, question: Question, visible: Visible) -> bytes:
        try:
            answer = await self._stream(question, visible)
        except (ModelQuotaExceededError, ModelRequestRejectedError, UserError) as fault:
            raise RefusedError(str(fault), transient=False) from fault
        except ModelHTTPError as fault:
            raise refusal(fault.status_code, str(fault), fault.retry_after) from fault
        if _is_cut(answer):
            raise CutAnswerError
        return ModelMessagesTypeAdapter.dump_json([_sound(answer)])[1:-1]

    async def close(self) -> None:
        await self._close()

    async def _stream(self, question: Question, visible: Visible) -> ModelResponse:
        messages = repair_messages([_seen(each, question.pictures) for each in _read(question.messages)])
        parameters = _parameters(question)
        async with model_request_stream(self.borrowed, messages, model_request_parameters=parameters) as stream:
            async for event in stream:
                _show(event, visible)
            return stream.get()


def _show(event: ModelResponseStreamEvent, visible: Visible) -> None:
    match event:
        case PartStartEvent(part=TextPart(content=text)):
            visible.add(text)
        case PartStartEvent():
            visible.interrupt()
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            visible.add(text)


def _is_cut(answer: ModelResponse) -> bool:
    """A provider says why it ends, in words we may not know; models without a provider (functions) say nothing."""
    named = answer.finish_reason or (answer.provider_details or {}).get("finish_reason")
    return answer.provider_name is not None and not named


def _sound(answer: ModelResponse) -> ModelResponse:
    return replace(answer, parts=[_sound_part(part) for part in answer.parts])


def _sound_part(part: ModelResponsePart) -> ModelResponsePart:
    match part:
        case TextPart() | ThinkingPart():
            return replace(part, content=sound(part.content))
        case ToolCallPart(args=str(args)):
            return replace(part, args=sound(args))
        case _:
            return part


def _read(checkpoints: Iterable[bytes]) -> list[ModelMessage]:
    return [message for checkpoint in checkpoints for message in ModelMessagesTypeAdapter.validate_json(checkpoint)]


def _seen(message: ModelMessage, pictures: Mapping[str, bytes]) -> ModelMessage:
    """The message with the bytes of its pictures, or with words where it has none."""
    if not isinstance(message, ModelRequest):
        return message
    return replace(message, parts=[_seen_part(part, pictures) for part in message.parts])


def _seen_part(part: ModelRequestPart, pictures: Mapping[str, bytes]) -> ModelRequestPart:
    if not isinstance(part, UserPromptPart) or isinstance(part.content, str):
        return part
    return replace(part, content=[_seen_item(item, pictures) for item in part.content])


def _seen_item(item: UserContent, pictures: Mapping[str, bytes]) -> UserContent:
    if not isinstance(item, ImageUrl) or not item.url.startswith(SHELVED):
        return item
    picture = Picture(digest=item.url.removeprefix(SHELVED), mime=item.media_type, name=item.identifier)
    if picture.digest not in pictures:
        return unseen(picture)
    return BinaryContent(data=pictures[picture.digest], media_type=picture.mime)


def _parameters(question: Question) -> ModelRequestParameters:
    instructions = question.instructions
    return ModelRequestParameters(
        function_tools=[_definition(tool) for tool in question.tools],
        instruction_parts=[InstructionPart(content=instructions)] if instructions else None,
    )


def _definition(tool: Tool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema), strict=False
    )
