"""What a platform owes (three verbs) and what it may offer (small abilities)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from channels.types import (
    Attachment,
    ChannelState,
    HookRequest,
    HookResponse,
    InboundEvent,
    Limits,
    LivePost,
    OutboundMessage,
    Outcome,
    Speaker,
)


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What became of an accepted event.

    `command` names a command that ran, `ignored` why the event is not for the bot. `messages(seconds)` waits that
    long for the round to end: its messages in order, or None if it is still going on.
    """

    session_id: str | None = None
    input_id: str | None = None
    duplicate: bool = False
    command: str | None = None
    ignored: str | None = None
    messages: Callable[[float], Awaitable[tuple[OutboundMessage, ...] | None]] | None = None


Emit = Callable[[InboundEvent], Awaitable[Receipt]]
"""Durably accepts an event; returns after the commit. Raises channels.errors.Refused, and store faults as they are
(then the event must not be acknowledged)."""


class Channel(Protocol):
    """One configured account on one platform."""

    id: str
    limits: Limits
    answers_inline: bool
    """True: `emit` routes the event within the call and its Receipt is complete (the webhook platform).
    False: `emit` only stores it, so that the platform can be acknowledged at once."""

    async def start(self, emit: Emit) -> None:
        """Begin to receive. Returns soon; connecting goes on in the background. Raises NotConfigured."""

    async def stop(self) -> None:
        """Stop receiving and close everything. May be called twice."""

    async def send(self, message: OutboundMessage) -> Outcome:
        """Show one message. Never raises for what a platform or a network does: the outcome says it."""

    def state(self) -> ChannelState:
        """Whether events can arrive now."""


@runtime_checkable
class ServesHook(Protocol):
    """Receives over HTTP at `/hooks/{channel_id}`."""

    async def hook(self, request: HookRequest) -> HookResponse:
        """Verify, parse, emit, answer. Raises BadRequest and Refused, which the server renders."""


@runtime_checkable
class KeepsMessages(Protocol):
    """Lets the other side fetch its messages instead of being called (webhook without a callback URL)."""

    def verify(self, request: HookRequest) -> None:
        """Raises Unverified."""

    def payload(self, message: OutboundMessage) -> dict[str, object]:
        """The message as the contract's JSON."""


@runtime_checkable
class ShowsTwice(Protocol):
    """A message that is sent twice is shown twice, so an uncertain outcome must not simply be tried again."""

    shows_twice: bool


@runtime_checkable
class CanStream(Protocol):
    """Shows text while it is written. None of it is durable, all of it is best effort: the channel paces itself,
    drops frames it cannot afford, and lets finals go first."""

    def streams(self, post: LivePost) -> bool:
        """Whether growing text is worth showing at this place."""

    async def open(self, post: LivePost, text: str) -> str:
        """Begin the message; its handle ("" if the platform has none). Raises LiveLost."""

    async def grow(self, post: LivePost, text: str) -> None:
        """Show `text`, the whole of it so far. Raises LiveLost when the message cannot grow any more."""

    async def finish(self, post: LivePost, message: OutboundMessage) -> Outcome:
        """The final delivery: make the live message say exactly this, or send it anew where that is impossible.

        Like `send`, it never raises, and doing it twice shows one message wherever the platform allows.
        """

    async def abandon(self, post: LivePost) -> Outcome:
        """No final words came: leave no message open. A post without handle is looked up where that is possible."""


@runtime_checkable
class CanType(Protocol):
    """Shows that somebody works."""

    async def typing(self, chat_id: str, thread: str, at_work: Sequence[Speaker]) -> None:
        """These are at work at this place now; nobody: take the sign away. Never raises, paces itself."""


@runtime_checkable
class CanReact(Protocol):
    """Marks a person's message."""

    async def react(self, chat_id: str, message_id: str, *, seen: bool) -> None:
        """Set or take away the mark of being worked on. Never raises."""


@runtime_checkable
class CanEdit(Protocol):
    """Changes what stands in a chat."""

    async def edit(self, message: OutboundMessage, platform_id: str) -> None:
        """Show this in place of what the platform's message shows now. Best effort: never raises, paces itself."""


@runtime_checkable
class HasLink(Protocol):
    """People reach the bot by a link."""

    def link(self) -> str:
        """An https address that begins a private chat with the bot; "" while it is not known."""


@runtime_checkable
class CanFetch(Protocol):
    """Brings the bytes of what people sent."""

    def fetch(self, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
        """The file in pieces, at most `limit` bytes in all. Raises ChannelError; never sends a token elsewhere."""
