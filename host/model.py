"""What the host asks of a language model, whoever is behind it.

The interface is ours and small, because what a streamed answer costs is decided here: the loop hands over stored
messages as they are and gets one stored message back, and a token on its way passes one function. Importing
pydantic-ai takes 0.6 s and 25 MB, and OpenAI's client for it as much again. So endpoints that speak OpenAI's language
are asked without either (`host.models.openai`), and so is the offline demo. Whatever pydantic-ai alone can talk to is
adapted to the same interface (`host.models.adapted`).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from host.messages import PARAGRAPH, ToolCall, sound

Emit = Callable[[int, str], None]
"""`emit(offset, text)`: `text` continues the answer at `offset` characters."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool as the model sees it. `schema` is the JSON schema of its arguments.

    `run` gets the call (its `arguments` are never None) and answers with text or JSON-able data; it raises ToolFault
    with words for the model, anything else it raises is logged and hidden. A tool that is not `safe` is never started
    a second time: if a crash may have cut it, the model is told so. One that `asks` runs only after a person agreed.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[[ToolCall], Awaitable[object]]
    safe: bool = True
    asks: bool = False


@dataclass(frozen=True, kw_only=True)
class Question:
    """One request to a model. `messages` are checkpoints (`host.messages`), oldest first, perhaps of damaged turns.

    `pictures` are the bytes of those that it is shown, by digest.
    """

    instructions: str
    messages: Sequence[bytes]
    tools: Sequence[Tool]
    pictures: Mapping[str, bytes] = field(default_factory=dict)


class Visible:
    """The visible text of one answer while it grows."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._length = 0
        self._gap = ""

    def interrupt(self) -> None:
        """Something that is no text came: text behind it is a paragraph of its own."""
        self._gap = PARAGRAPH if self._length else ""

    def add(self, text: str) -> None:
        """The text goes on."""
        if not text:
            return
        text, self._gap = self._gap + sound(text), ""
        self._emit(self._length, text)
        self._length += len(text)


class Model(Protocol):
    """A model of one name, with connections of its own that all its runs share."""

    @property
    def name(self) -> str:
        """What the provider calls it."""

    @property
    def key(self) -> str:
        """What must never be shown."""

    async def answer(self, question: Question, visible: Visible) -> bytes:
        """The whole answer, as the JSON of one stored message; its text is told to `visible` on the way.

        Raises whatever went wrong: `host.models.faults` knows what is worth another try. Cancelling it closes the
        connection.
        """

    async def close(self) -> None:
        """Let go of the connections."""
