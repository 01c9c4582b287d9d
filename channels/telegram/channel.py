"""The Telegram platform, wired: updates in, messages out, and what a chat may see in between."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Final

from channels.base import Emit
from channels.clock import Clock, LoopClock
from channels.errors import LiveLost, NotRunning, Unverified
from channels.telegram.api import Patience
from channels.telegram.fetch import fetch
from channels.telegram.limits import LIMITS
from channels.telegram.line import Line
from channels.telegram.place import anchor_of, place_of
from channels.telegram.receive import verified_update
from channels.telegram.settings import TelegramSettings
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


class TelegramChannel:
    """Implements Channel, ServesHook, ShowsTwice, CanStream, CanType, CanReact, HasLink and CanFetch."""

    limits = LIMITS
    answers_inline = False
    shows_twice = True

    def __init__(
        self, settings: TelegramSettings, *, clock: Clock | None = None, patience: Patience | None = None
    ) -> None:
        self.id = settings.id
        self._settings = settings
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

    def link(self) -> str:
        """Where people begin a private chat with the bot; "" until Telegram has told its name."""
        return self._line.link() if self._line else ""

    async def send(self, message: OutboundMessage) -> Outcome:
        """Show one message; formatted, else plain, else as a file."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        return await self._line.finals.send(message)

    async def hook(self, request: HookRequest) -> HookResponse:
        """An update that Telegram brings; any 2xx tells it that the update is durable."""
        if self._settings.mode != "webhook":
            raise Unverified(f"channel {self.id} fetches its updates itself")
        update = verified_update(request, self._settings.hook_secret)
        if self._line is None:
            raise NotRunning(f"channel {self.id} is not started")
        await self._line.accept(update)
        return HookResponse(status=200)

    def streams(self, post: LivePost) -> bool:
        """Drafts in private chats, an edited message in groups with budget to spare."""
        return self._line is not None and self._line.stream.streams(post)

    async def open(self, post: LivePost, text: str) -> str:
        """Begin a live message. Raises LiveLost."""
        if self._line is None:
            raise LiveLost(_STOPPED)
        return await self._line.stream.open(post, text)

    async def grow(self, post: LivePost, text: str) -> None:
        """Show more of it; returns at once. Raises LiveLost."""
        if self._line is None:
            raise LiveLost(_STOPPED)
        await self._line.stream.grow(post, text)

    async def finish(self, post: LivePost, message: OutboundMessage) -> Outcome:
        """The final words in the place of the live ones. A draft vanishes when the message comes.

        Where live words may stand whose number nobody knows, the final ones say that they may be a repetition.
        """
        if self._line is None:
            return Retryable(reason=_STOPPED)
        await self._line.stream.end(post)
        target = anchor_of(post.handle)
        if target is None:
            again = message.again or self._line.stream.may_stand(post)
            return await self._line.finals.send(replace(message, again=again))
        return await self._line.finals.replace(message, target)

    async def abandon(self, post: LivePost) -> Outcome:
        """No final words came: a message in a group is taken back, a draft vanishes by itself."""
        if self._line is None:
            return Retryable(reason=_STOPPED)
        await self._line.stream.end(post)
        target, place = anchor_of(post.handle), place_of(post.chat_id, post.thread)
        if target is None or place is None:
            return Sent()
        return await self._line.finals.delete(place, target)

    async def typing(self, chat_id: str, thread: str, at_work: Sequence[Speaker]) -> None:
        """The typing sign, for as long as somebody is at work."""
        place = place_of(chat_id, thread)
        if self._line is not None and place is not None:
            self._line.presence.show(place, working=bool(at_work))

    async def react(self, chat_id: str, message_id: str, *, seen: bool) -> None:
        """👀 under the message."""
        place, message = place_of(chat_id, ""), anchor_of(message_id)
        if self._line is not None and place is not None and message is not None:
            await self._line.presence.react(place.chat, message, seen=seen)

    async def edit(self, message: OutboundMessage, platform_id: str) -> None:
        """Change a message that stands in the chat, its buttons included."""
        target = anchor_of(platform_id)
        if self._line is not None and target is not None:
            await self._line.finals.edit(message, target)

    def fetch(self, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
        """The file in pieces. Raises ChannelError."""
        if self._line is None:
            raise NotRunning(f"channel {self.id} is not started")
        return fetch(self._line.api, self._settings, attachment, limit)
