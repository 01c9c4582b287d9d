"""One run of an agent: what it is given, and what it tells while it works."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from host.gallery import Gallery
from host.messages import Response
from host.model import Model, Tool
from host.pictures import Picture
from store.clock import Clock, SystemClock


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Everything a run needs: the model, what it is told, and what it may do.

    `history` are the checkpoints of earlier turns, `done` those of this turn so far: empty at its first run, else the
    prompt is already in them. `results` are answers to calls of `done` that are known by call id (receipts): their
    tools do not run again. `fresh`: none of the calls that `done` ends in has begun, so that even unsafe tools run.
    `pictures` stand in the prompt, and `gallery` shows them to a model with eyes (None: to
    none). `max_responses` ends a turn that loops.
    """

    model: Model
    instructions: str
    history: Sequence[bytes]
    prompt: str
    done: Sequence[bytes]
    tools: Sequence[Tool]
    turn_id: str
    results: Mapping[str, object] = field(default_factory=dict)
    fresh: bool = False
    pictures: Sequence[Picture] = ()
    gallery: Gallery | None = None
    max_responses: int = 40
    clock: Clock = field(default_factory=SystemClock)


class Observer(Protocol):
    """Who follows a run."""

    def text(self, offset: int, text: str) -> None:
        """`text` continues the response at `offset` characters; a retried response starts at 0 again.

        Called for every chunk, on the event loop: must be cheap and never raise.
        """

    async def responded(self, response: Response) -> bool:
        """A response is complete and none of its tools has begun. False: the turn is over, end the run now."""

    async def tools_ran(self, messages: bytes) -> None:
        """Every call of the last response is answered; `messages` is the checkpoint to store."""
