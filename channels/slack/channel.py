"""The Slack platform, wired: events in, messages out, and what a thread may see in between."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from channels.base import Emit
from channels.clock import Clock, LoopClock
from channels.errors import LiveLost, NotRunning, Unverified
from channels.slack.api import Patience
from channels.slack.faults import Unsent
from channels.slack.fetch import fetch
from channels.slack.limits import LIMITS
from channels.slack.line import Line
from channels.slack.receive import read_request
from channels.slack.settings import SlackSettings
from channels.slack.signature import verify
from channels.types import (
    Attachment,
    ChannelState,
    HookRequest,
    HookResponse,
    LivePost,
    OutboundMessage,
    Outcome,
    Retryable,
    Sent,
    Speaker,
)

_STOPPED: Final = "the channel is stopped"


def _utc_now() -> datetime:
    return datetime.now(UTC)


class SlackChannel:
    """Implements Channel, ServesHook, CanStream, CanType, CanReact and CanFetch."""

    limits = LIMITS
    answers_inline = False

    def __init__(
        self,
        settings: SlackSettings,
        *,
        now: Callable[[], datetime] = _utc_now,
        clock: Clock | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.id = settings.id
        self._settings = settings
        self._now = now
        self._clock = clock or LoopClock()
        self._patience = patience or Patience()
        self._line: Line | None = None

    async def start(self, emit: Emit) -> None:
        """Connect in the background. A second start only replaces `emit`."""
        if self._line is not None:
            self._line.emit = emit
            return
        line = Line(self._settings, self._patience, self._clock, emit)
        await line.open()
        self._line = line

    async def stop(self) -> None:
        """Receive no more, let calls that are under way finish for a moment. May be called twice."""
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    def state(self) -> ChannelState:
        """Whether events can arrive now."""
        return self._line.state() if self._line else ChannelState(connected=False, reason="not started")

    async def hook(self, request: HookRequest) -> HookResponse:
        """An event, a command or a press that Slack brings; any 2xx tells it that it is durable."""
        if self._settings.is_socket:
            raise Unverified(f"channel {self.id} receives over Socket Mode")
        verify(self._settings.signing_secret, request.headers, request.body, self._now())
        envelope = read_request(request.body)
        if envelope.challenge:
            return HookResponse(status=200, body={"challenge": envelope.challenge})
        if self._line is None:
            raise NotRunning(f"channel {self.id} is not started")
        await self._line.accept(envelope.kind, envelope.payload)
        return HookResponse(status=200)

    async def send(self, message: OutboundMessage) -> Outcome:
        """Post one message; as Markdown, else plain, else as a file. Never twice: it is looked for first."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        try:
            outcome = await self._line.finals.send(message, self._line.me)
        except Unsent as fault:
            return Retryable(reason=str(fault))
        return self._shown(outcome, message)

    def streams(self, post: LivePost) -> bool:
        """In private threads, where every reader sees the words come."""
        return self._line is not None and self._line.stream.streams(post)

    async def open(self, post: LivePost, text: str) -> str:
        """Begin a live message. Raises LiveLost."""
        if self._line is None:
            raise LiveLost(_STOPPED)
        try:
            handle = await self._line.stream.open(post, text, self._line.me)
        except Unsent as fault:
            raise LiveLost(str(fault)) from fault
        self._line.presence.cleared(post.chat_id, post.thread)
        return handle

    async def grow(self, post: LivePost, text: str) -> None:
        """Show more of it; returns at once. Raises LiveLost."""
        if self._line is None:
            raise LiveLost(_STOPPED)
        await self._line.stream.grow(post, text)

    async def finish(self, post: LivePost, message: OutboundMessage) -> Outcome:
        """Complete the live message, or post the final words in its place."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        try:
            outcome = await self._line.stream.finish(post, message, self._line.me)
        except Unsent as fault:
            return Retryable(reason=str(fault))
        return self._shown(outcome, message)

    async def abandon(self, post: LivePost) -> Outcome:
        """No final words came: take the live message back."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        try:
            return await self._line.stream.abandon(post, self._line.me)
        except Unsent as fault:
            return Retryable(reason=str(fault))

    async def typing(self, chat_id: str, thread: str, at_work: Sequence[Speaker]) -> None:
        """The status line, for as long as somebody is at work."""
        if self._line is not None:
            await self._line.presence.show(chat_id, thread, at_work)

    async def react(self, chat_id: str, message_id: str, *, seen: bool) -> None:
        """👀 under the message."""
        if self._line is not None:
            await self._line.presence.react(chat_id, message_id, seen=seen)

    async def edit(self, message: OutboundMessage, platform_id: str) -> None:
        """Change a message that stands in the chat, its buttons included."""
        if self._line is not None and platform_id:
            await self._line.finals.edit(message, platform_id)

    def fetch(self, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
        """The file in pieces. Raises ChannelError."""
        if self._line is None:
            raise NotRunning(f"channel {self.id} is not started")
        return fetch(self._line.api, self._settings, attachment, limit)

    def _shown(self, outcome: Outcome, message: OutboundMessage) -> Outcome:
        """Slack takes the status line away with each message."""
        if isinstance(outcome, Sent) and self._line is not None:
            self._line.presence.cleared(message.chat_id, message.thread)
        return outcome
