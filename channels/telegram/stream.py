"""Live text: a native draft in private chats, one edited message per speaker in groups. Beside the finals, never
before them: a frame that the budget cannot bear is left out, and the next one shows everything.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final
from uuid import UUID

import structlog
from telegram import LinkPreviewOptions
from telegram.error import BadRequest, InvalidToken

from channels.clock import Clock
from channels.errors import LiveLost
from channels.telegram.anchor import reply_to
from channels.telegram.api import Api
from channels.telegram.budget import Budget
from channels.telegram.faults import Pause, outcome_of
from channels.telegram.forms import is_unchanged
from channels.telegram.growing import Growing
from channels.telegram.place import Place, anchor_of, place_of
from channels.telegram.render import growing
from channels.telegram.rich import Rich
from channels.types import LivePost, Uncertain

log = structlog.get_logger(__name__)

DRAFT_EVERY: Final = 1.0
"""Seconds between two frames of a draft."""

LONGEST: Final = 20 * 60.0
"""Seconds after which a draft that nobody finished is let vanish."""

DRAFT_LIVES: Final = 20.0
"""Seconds after which a draft that stands still is told again: Telegram lets it vanish after 30."""

EDITS_AT: Final = (3.0, 6.0, 12.0)
"""Seconds before each edit in a group; there are no more: with the first and the final words a message costs five."""

KEEP_OF_PRIVATE: Final = 1
KEEP_OF_GROUP: Final = 8
"""What live text leaves of a chat's budget."""

_KEPT: Final = 256
"""Posts that are remembered as never sent, until their final words come."""

_QUIET: Final = LinkPreviewOptions(is_disabled=True)
_NO_DRAFTS: Final = ("method not found", "textdraft_peer_invalid", "text must be non-empty")
_Tell = Callable[[Rich], Coroutine[Any, Any, None]]


class Stream:
    """The live posts of one bot."""

    def __init__(self, api: Api, budget: Budget, clock: Clock) -> None:
        self._api = api
        self._budget = budget
        self._clock = clock
        self._growing: dict[str, Growing] = {}
        self._unsent: OrderedDict[str, None] = OrderedDict()
        self._drafting: dict[Place, str] = {}
        self._has_drafts = True

    def is_shown_in(self, place: Place) -> bool:
        """Whether a message grows there, which says as much as a typing sign."""
        return any(one.place == place for one in self._growing.values())

    def streams(self, post: LivePost) -> bool:
        """In a group only while there is budget for it."""
        place = place_of(post.chat_id, post.thread)
        if place is None or (not place.is_group and not self._has_drafts):
            return False
        return not place.is_group or self._budget.spare(place.chat, KEEP_OF_GROUP) == 0

    async def open(self, post: LivePost, text: str) -> str:
        """Begin; the message's id in a group, "" for a draft, which has none. Raises LiveLost."""
        place = place_of(post.chat_id, post.thread)
        if place is None:
            raise LiveLost("this chat is not one of Telegram's")
        handle = await self._first_words(post, place, text) if place.is_group else ""
        show = partial(self._edit_on, target=int(handle)) if handle else self._draft_on
        one = self._growing[post.id] = Growing(post, place, show)
        one.write(text)
        return handle

    def may_stand(self, post: LivePost) -> bool:
        """Whether the chat may show the post though nobody knows its number: the answer to its first words was lost,
        here or with an earlier process."""
        place = place_of(post.chat_id, post.thread)
        return place is not None and place.is_group and not post.handle and post.id not in self._unsent

    async def grow(self, post: LivePost, text: str) -> None:
        """Raises LiveLost."""
        one = self._growing.get(post.id)
        if one is None:
            raise LiveLost("the message is not open")
        one.write(text)

    async def end(self, post: LivePost) -> None:
        """No more frames; a call that is under way is let finish."""
        one = self._growing.pop(post.id, None)
        if one is not None:
            await one.end()
        self._release(post.id)

    async def close(self) -> None:
        for one in list(self._growing.values()):
            await self.end(one.post)

    async def _first_words(self, post: LivePost, place: Place, text: str) -> str:
        """A message that answers the question, as the finished one will."""
        if self._budget.spare(place.chat, KEEP_OF_GROUP) > 0:
            self._was_not_sent(post)
            raise LiveLost("the chat's budget is used up")
        words = growing(post.label, text)
        self._budget.take(place.chat)
        try:
            sent = await self._api.call(
                self._api.bot.send_message(
                    place.chat,
                    words.text,
                    entities=words.wire() or None,
                    message_thread_id=place.thread,
                    reply_parameters=reply_to(anchor_of(post.reply_to)),
                    link_preview_options=_QUIET,
                )
            )
        except Exception as fault:
            self._note(place.chat, fault)
            if not isinstance(outcome_of(fault), Uncertain):
                self._was_not_sent(post)
            raise LiveLost(f"the live message could not be sent ({type(fault).__name__})") from fault
        return str(sent.message_id)

    def _was_not_sent(self, post: LivePost) -> None:
        self._unsent[post.id] = None
        while len(self._unsent) > _KEPT:
            self._unsent.popitem(last=False)

    async def _edit_on(self, one: Growing, target: int) -> None:
        """A few frames, each later than the one before."""
        for pause in EDITS_AT:
            await self._clock.sleep(pause)
            await one.changed.wait()
            await self._frame(one, KEEP_OF_GROUP, partial(self._edit, one.place, target))

    async def _draft_on(self, one: Growing) -> None:
        """Frames for as long as it takes, while nobody else writes there."""
        until = self._clock.monotonic() + LONGEST
        draft = partial(self._draft, one.place, draft_id(one.post.id))
        while not one.lost and self._clock.monotonic() < until:
            await self._wait_for_words(one)
            if self._drafting.setdefault(one.place, one.post.id) == one.post.id:
                await self._frame(one, KEEP_OF_PRIVATE, draft)
            await self._clock.sleep(DRAFT_EVERY)
        self._release(one.post.id)

    async def _edit(self, place: Place, target: int, words: Rich) -> None:
        entities = words.wire() or None
        await self._api.bot.edit_message_text(
            words.text, place.chat, target, entities=entities, link_preview_options=_QUIET
        )

    async def _draft(self, place: Place, number: int, words: Rich) -> None:
        entities = words.wire() or None
        await self._api.bot.send_message_draft(
            place.chat, number, words.text, message_thread_id=place.thread, entities=entities
        )

    async def _wait_for_words(self, one: Growing) -> None:
        """New words, or the time at which the old ones have to be told again."""
        again = asyncio.ensure_future(self._clock.sleep(DRAFT_LIVES))
        words = asyncio.ensure_future(one.changed.wait())
        try:
            await asyncio.wait((again, words), return_when=asyncio.FIRST_COMPLETED)
        finally:
            again.cancel()
            words.cancel()

    async def _frame(self, one: Growing, keep: int, tell: _Tell) -> None:
        """Show the newest words, as soon as the budget bears it."""
        chat = one.place.chat
        while (seconds := self._budget.spare(chat, keep)) > 0:
            await self._clock.sleep(seconds)
        one.changed.clear()
        words = growing(one.post.label, one.text)
        if not words.text:
            return
        self._budget.take(chat)
        try:
            async with one.calling:
                await self._api.call(tell(words))
        except Exception as fault:
            self._judge(one, fault)

    def _judge(self, one: Growing, fault: Exception) -> None:
        """A pause costs frames; a refusal ends the post; a server without drafts is remembered as such."""
        self._note(one.place.chat, fault)
        if isinstance(fault, BadRequest) and is_unchanged(str(fault)):
            return
        if isinstance(fault, BadRequest | InvalidToken):
            one.lost = "Telegram refuses the live message"
        if one.post.id in self._drafting.values() and any(said in str(fault).casefold() for said in _NO_DRAFTS):
            self._has_drafts = False
            log.warning("This Bot API server shows no drafts; private chats get typing signs", reason=str(fault))

    def _note(self, chat: int, fault: Exception) -> None:
        if isinstance(fault, Pause):
            self._budget.silence(chat, fault.seconds)

    def _release(self, post_id: str) -> None:
        for place in [place for place, drafting in self._drafting.items() if drafting == post_id]:
            del self._drafting[place]


def draft_id(post_id: str) -> int:
    """A number for the post, never 0; Telegram animates what comes under the same one."""
    return UUID(post_id).int % (2**31 - 1) + 1
