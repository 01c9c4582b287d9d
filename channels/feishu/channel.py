"""The Feishu and Lark platform, wired: events in, cards out."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Final

from channels.base import Emit
from channels.clock import Clock, LoopClock
from channels.errors import LiveLost, NotRunning, Unverified
from channels.feishu.fetch import fetch
from channels.feishu.http import Patience
from channels.feishu.limits import LIMITS
from channels.feishu.line import Line
from channels.feishu.settings import FeishuSettings
from channels.types import (
    Attachment,
    ChannelState,
    HookRequest,
    HookResponse,
    LivePost,
    OutboundMessage,
    Outcome,
    Retryable,
)

_STOPPED: Final = "the channel is stopped"


def _utc_now() -> datetime:
    return datetime.now(UTC)


class FeishuChannel:
    """Implements Channel, ServesHook, CanStream, CanReact, HasLink and CanFetch."""

    limits = LIMITS
    answers_inline = False

    def __init__(
        self,
        settings: FeishuSettings,
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
            self._line.receiver.emit = emit
            return
        self._line = Line(self._settings, emit, self._clock, self._now, self._patience)
        self._line.open()

    async def stop(self) -> None:
        """Receive no more and cut calls that are under way. May be called twice."""
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    def state(self) -> ChannelState:
        """Whether events can arrive and answers can go."""
        return self._line.state() if self._line else ChannelState(connected=False, reason="not started")

    def link(self) -> str:
        """Where people begin a private chat with the bot; "" for a private deployment, whose address nobody tells."""
        return self._settings.link

    async def hook(self, request: HookRequest) -> HookResponse:
        """An event over HTTP; 200 tells the platform that it is durable. Raises BadRequest, NotRunning."""
        if self._settings.mode != "webhook":
            raise Unverified(f"channel {self.id} receives over a long connection")
        if self._line is None:
            raise NotRunning(f"channel {self.id} is not started")
        return await self._line.hook(request)

    async def send(self, message: OutboundMessage) -> Outcome:
        """Show one message: as a card, else as rich text, else plain, else as a file."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        return await self._line.finals.send(message)

    def streams(self, post: LivePost) -> bool:
        """In every chat, unless the app may not make live cards."""
        return self._line is not None and self._line.stream.streams(post)

    async def open(self, post: LivePost, text: str) -> str:
        """Begin a live card. Raises LiveLost."""
        if self._line is None:
            raise LiveLost(_STOPPED)
        return await self._line.stream.open(post, text)

    async def grow(self, post: LivePost, text: str) -> None:
        """Show more of it; returns at once. Raises LiveLost."""
        if self._line is None:
            raise LiveLost(_STOPPED)
        await self._line.stream.grow(post, text)

    async def finish(self, post: LivePost, message: OutboundMessage) -> Outcome:
        """The final words in the live card."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        return await self._line.stream.finish(post, message)

    async def abandon(self, post: LivePost) -> Outcome:
        """No final words came: the card is closed as it is."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        return await self._line.stream.abandon(post)

    async def react(self, chat_id: str, message_id: str, *, seen: bool) -> None:
        """A reaction on a question while it is worked on. Never raises."""
        if self._line is not None and message_id:
            await self._line.presence.react(chat_id, message_id, seen=seen)

    async def edit(self, message: OutboundMessage, platform_id: str) -> None:
        """Change a card that stands in the chat, its buttons included."""
        if self._line is not None and platform_id:
            await self._line.finals.edit(message, platform_id)

    def fetch(self, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
        """The file in pieces. Raises ChannelError."""
        if self._line is None:
            raise NotRunning(f"channel {self.id} is not started")
        return fetch(self._line.api, attachment, limit)
