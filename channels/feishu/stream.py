"""Live text: one streaming card per speaker. Beside the finals, never before them; closed always.

A card streams at most ten minutes: before that it is closed, and goes on in the same place by being replaced as a
whole. What grows is shown by a task of its own, as often as the budget bears; the newest text wins.
"""

import asyncio
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import structlog

from channels.clock import Clock
from channels.errors import LiveLost
from channels.feishu.budget import Budget
from channels.feishu.card import (
    STOP_ID,
    TEXT_ID,
    Header,
    Place,
    button,
    card,
    dumped,
    growing_card,
    markdown,
    plain,
)
from channels.feishu.faults import Exhausted, FeishuFault, Later, NotSetUp, Refusal, is_about_form
from channels.feishu.finals import Finals
from channels.feishu.growing import Growing, visible
from channels.feishu.livecard import CARDS, CLOSED, NO_CARD, LiveCard
from channels.feishu.messages import Messages, uuid_of
from channels.feishu.raw import text
from channels.feishu.render import Chunk, card_of, chunks, reference_form, speaker_header
from channels.feishu.wording import Wording
from channels.types import Action, LivePost, OutboundMessage, Outcome, Retryable, Sent

log = structlog.get_logger(__name__)

STREAMS_FOR: Final = 540.0
"""Seconds: the platform ends streaming after ten minutes, in some tenants without a word."""

SELF_CLOSING: Final = 600.0
FASTEST: Final = 0.4
SLOWEST: Final = 2.0
"""Seconds between two updates; they grow with the card's age, for each one counts against the month's quota."""

OPENS_WITHIN: Final = 2.0
"""Seconds that a card waits for its turn: a final message may be waiting for it."""

CLOSES_WITHIN: Final = 1.0
"""Seconds for closing the cards when the channel stops."""

UNWANTED_FOR: Final = 600.0
"""Seconds without live cards after the platform refused to make one."""


class Stream:
    """The live cards of one app."""

    def __init__(
        self,
        *,
        messages: Messages,
        finals: Finals,
        budget: Budget,
        clock: Clock,
        now: Callable[[], datetime],
        wording: Wording,
    ) -> None:
        self._messages = messages
        self._finals = finals
        self._budget = budget
        self._clock = clock
        self._now = now
        self._wording = wording
        self._growing: dict[str, Growing] = {}
        self._unwanted_until = float("-inf")

    def streams(self, post: LivePost) -> bool:
        return self._clock.monotonic() >= self._unwanted_until

    async def open(self, post: LivePost, words: str) -> str:
        """Make the card and send it; its id and its message's. Raises LiveLost."""
        try:
            await self._budget.spare_turn(post.chat_id, OPENS_WITHIN)
            made = growing_card(_header(post), self._elements(post, words), summary=self._summary(post))
            card_id = await self._make(post, made, waited=True)
            message_id = await self._messages.put(post, reference_form(card_id), uuid_of(post.id))
        except FeishuFault as fault:
            self._judge_opening(post, fault)
            raise LiveLost(str(fault)) from fault
        one = Growing(post, self._live(post, card_id, message_id), self._clock.monotonic())
        one.text = one.shown = words
        one.task = asyncio.create_task(self._show(one), name=f"live {post.id}")
        self._growing[post.id] = one
        return one.live.handle

    async def grow(self, post: LivePost, words: str) -> None:
        """Returns at once. Raises LiveLost when the card takes no more."""
        one = self._growing.get(post.id)
        if one is None:
            raise LiveLost("the card is not open")
        if one.lost:
            raise LiveLost(one.lost)
        one.text = words
        one.changed.set()

    async def finish(self, post: LivePost, message: OutboundMessage) -> Outcome:
        """The final words, in the same card; doing it twice shows one."""
        live = await self._ended(post)
        first, *left = chunks(message)
        try:
            message_id = await (self._close(live, message, first) if live else self._resend(post, message, first))
            if not message_id:
                return await self._finals.send(message)
            await self._finals.rest(message, left)
        except FeishuFault as fault:
            return await self._finals.judge(message, fault)
        return Sent(platform_id=message_id)

    async def abandon(self, post: LivePost) -> Outcome:
        """No final words came: the card keeps what it says, and is closed."""
        live = await self._ended(post)
        try:
            if live is None:
                live = await self._found(post)
            if live is not None:
                await live.settle(self._wording.interrupted)
                await live.drop_button()
        except Refusal as refusal:
            log.info("A live card could not be closed", channel=post.channel_id, reason=str(refusal))
        except FeishuFault as fault:
            return Retryable(reason=str(fault))
        return Sent()

    async def close(self) -> None:
        """Stop growing, and leave nothing on "is writing" if that goes quickly; the next start says the rest."""
        growing = list(self._growing.values())
        self._growing.clear()
        for one in growing:
            await one.end()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSES_WITHIN):
                await asyncio.gather(*(one.live.settle(one.text) for one in growing), return_exceptions=True)

    async def _show(self, one: Growing) -> None:
        while not one.lost:
            await one.changed.wait()
            await self._clock.sleep(self._pause(one))
            await self._budget.spare_turn(one.post.chat_id, math.inf)
            one.changed.clear()
            async with one.calling:
                await self._frame(one)

    def _pause(self, one: Growing) -> float:
        age = self._clock.monotonic() - one.since
        slowest = SLOWEST if one.live.is_streaming else 2 * SLOWEST
        return min(FASTEST + age / 60, slowest)

    async def _frame(self, one: Growing) -> None:
        """The newest text. A frame that is lost to a pause is made up for by the next one."""
        words = one.text
        if words == one.shown:
            return
        try:
            if one.live.is_streaming and self._clock.monotonic() - one.since >= STREAMS_FOR:
                await one.live.settle(self._summary(one.post))
            if one.live.is_streaming:
                await one.live.say(visible(words))
            else:
                await one.live.show(self._resting_card(one.post, words), waited=True)
            one.shown = words
        except FeishuFault as fault:
            self._judge_frame(one, fault)

    def _judge_frame(self, one: Growing, fault: FeishuFault) -> None:
        if isinstance(fault, Refusal) and fault.code in CLOSED and one.live.is_streaming:
            one.live.is_streaming = False
            one.changed.set()
        elif isinstance(fault, Refusal | Exhausted | NotSetUp):
            one.lost = str(fault)
            log.info("A live card stopped growing", channel=one.post.channel_id, reason=one.lost)
        else:
            one.changed.set()

    def _judge_opening(self, post: LivePost, fault: FeishuFault) -> None:
        """An app without the permission would be refused at every turn."""
        if isinstance(fault, Refusal | NotSetUp):
            self._unwanted_until = self._clock.monotonic() + UNWANTED_FOR
            log.warning("Live cards are not taken", channel=post.channel_id, reason=str(fault))

    async def _ended(self, post: LivePost) -> LiveCard | None:
        """The post's card, of this process or of an earlier one; it grows no more."""
        one = self._growing.pop(post.id, None)
        if one is not None:
            await one.end()
            return one.live
        card_id, _, message_id = post.handle.partition(":")
        return self._live(post, card_id, message_id) if card_id else None

    def _live(self, post: LivePost, card_id: str, message_id: str) -> LiveCard:
        return LiveCard(post, card_id, message_id, self._messages, self._now)

    async def _close(self, live: LiveCard, message: OutboundMessage, chunk: Chunk) -> str:
        """End the streaming, then say exactly this; "" if the card cannot. Raises Later, Refusal."""
        try:
            if live.is_streaming:
                await live.settle(f"{chunk.title} {chunk.source}")
            try:
                await live.show(card_of(message, chunk))
            except Refusal as refusal:
                if refusal.code in NO_CARD or not is_about_form(refusal):
                    raise
                await live.show(card_of(message, chunk, safe=True))
        except Refusal as refusal:
            log.warning("A live card did not take its final words", channel=message.channel_id, reason=str(refusal))
            return ""
        return live.message_id

    async def _resend(self, post: LivePost, message: OutboundMessage, chunk: Chunk) -> str:
        """A post whose fate is not known. Raises Later."""
        try:
            live, is_new = await self._put_once(post, card_of(message, chunk))
        except (Refusal, NotSetUp) as refusal:
            log.warning("A live card could not be sent again", channel=post.channel_id, reason=str(refusal))
            return ""
        return live.message_id if is_new else await self._close(live, message, chunk)

    async def _found(self, post: LivePost) -> LiveCard | None:
        """The card of a post whose fate is not known, if it may still be open."""
        if (self._now() - post.created_at).total_seconds() >= SELF_CLOSING:
            return None
        closed = card(_header(post), [plain(self._wording.interrupted)], summary=self._wording.interrupted)
        live, is_new = await self._put_once(post, closed)
        return None if is_new else live

    async def _put_once(self, post: LivePost, made: Mapping[str, Any]) -> tuple[LiveCard, bool]:
        """With the same id the platform shows a message once: the card that is there now, and whether it is this one.

        Raises FeishuFault.
        """
        card_id = await self._make(post, made)
        message_id = await self._messages.put(post, reference_form(card_id), uuid_of(post.id))
        try:
            told = await self._messages.call(post.chat_id, "POST", f"{CARDS}/id_convert", {"message_id": message_id})
        except Refusal:
            told = {}
        shown = text(told.get("card_id")) or card_id
        return self._live(post, shown, message_id), shown == card_id

    async def _make(self, post: LivePost, made: Mapping[str, Any], *, waited: bool = False) -> str:
        call = self._messages.noted if waited else self._messages.call
        data = await call(post.chat_id, "POST", CARDS, {"type": "card_json", "data": dumped(made)})
        card_id = text(data.get("card_id"))
        if not card_id:
            raise Later("the platform's answer was unusable")
        return card_id

    def _resting_card(self, post: LivePost, words: str) -> dict[str, Any]:
        return card(_header(post), self._elements(post, words), summary=self._summary(post))

    def _elements(self, post: LivePost, words: str) -> list[Mapping[str, Any]]:
        """What the host says can be stopped; members are cancelled, not stopped."""
        elements: list[Mapping[str, Any]] = [markdown(visible(words), TEXT_ID)]
        if not post.label or post.speaker.role == "host":
            place = Place(chat_id=post.chat_id, thread=post.thread)
            elements.append(button(Action(label=self._wording.stop, command="/stop"), place, STOP_ID))
        return elements

    def _summary(self, post: LivePost) -> str:
        return f"{post.speaker.name} {self._wording.writing}"


def _header(post: LivePost) -> Header:
    return speaker_header(post.speaker, post.label)
