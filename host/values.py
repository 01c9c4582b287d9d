"""What callers hand to the host and get back. Frozen values, nothing of a platform or a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from store.base import Origin, Speaker
from store.events import Event

Say = Callable[..., str]
"""`say(key, **fields)`: a sentence of the catalogue in the instance's language (`bridge.notices.Notices.say`)."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """A session to be made. `principal` is "user:<id>", "person:<id>" or "chat:<channel>:<chat>"."""

    agent_id: str
    owner_id: str
    principal: str
    app_id: str
    session_key: str = ""
    project_id: str = ""
    title: str = ""
    model_id: str | None = None
    execution_mode: str = "CLOUD"


@dataclass(frozen=True, kw_only=True)
class Attached:
    """A file that comes along: at `url`, behind the channel's own `ref`, or in the session already as `file_id`.

    Where its bytes are not there yet they are fetched by a later step. `size` is in bytes, 0 if unknown.
    """

    name: str = ""
    url: str = ""
    ref: str = ""
    mime: str = ""
    size: int = 0
    file_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Submission:
    """One message for a session. `key` makes it idempotent within the session ("" = no key), `digest` is compared."""

    session_id: str
    text: str
    sender: Speaker
    origin: Origin | None = None
    attachments: tuple[Attached, ...] = ()
    mentions: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    """Lines that were said at the place before the agent was called in."""
    key: str = ""
    digest: str = ""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """The receipt: the same for every repetition of the same key."""

    session_id: str
    input_id: str
    duplicate: bool = False


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """What a stop found: a turn it cancelled, or members (their names) that go on working."""

    stopped: bool
    at_work: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Writing:
    """Somebody writes in a turn: who, seen in which sessions, posted where.

    `kind` is the event that the words will become as far as one can tell now; `alone`: a lone expert, who needs no
    label.
    """

    turn_id: str
    speaker: Speaker
    sessions: tuple[str, ...]
    kind: str
    origin: Origin | None = None
    alone: bool = False


class Live(Protocol):
    """Who shows a session while it happens. Called on the event loop; must not block or raise."""

    def delta(self, writing: Writing, offset: int, text: str) -> None:
        """`text` continues the turn's visible text at `offset` characters; an offset below replaces from there."""

    def emitted(self, session_id: str, events: Sequence[Event]) -> None:
        """These events are durable now, in this order."""
