"""Delivery: the outbox goes to the platforms, oldest first in each chat, retried until it arrives or is given up."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

import structlog

from bridge.metrics import Metrics
from bridge.outgoing import Place, chat_lane, load_message, place_of
from bridge.verdict import Again, Dead, Decision, Done, Open, decide_after
from channels.base import CanStream, Channel, ShowsTwice
from channels.types import LivePost, OutboundMessage, Outcome, Retryable, Sent, Uncertain
from host.lanes import Lanes
from host.shelf import Shelf
from store.clock import Clock
from store.database import Database, Transaction
from store.files import find_file
from store.live import close_live
from store.outbox import Delivery, begin_attempt, chats_with_pending, finish_attempt, oldest_pending, retry_delivery

log = structlog.get_logger(__name__)

_CUT: Final = "the program ended while it was being sent"


class Running(Protocol):
    """Who knows the channels that can send now."""

    def find(self, channel_id: str) -> Channel | None:
        """The channel, unless it is not running."""


class Posts(Protocol):
    """Who knows the messages that are open while their speakers write."""

    async def post_of(self, message: OutboundMessage) -> LivePost | None:
        """The open post that this message closes."""


class Courier:
    """Drains the lanes `chat:<channel>:<chat>`.

    An attempt is recorded before it is made and its outcome after; the record of one message and the attempt of the
    next are the same transaction. A chat whose channel is not running is left alone until `resume`.
    """

    def __init__(
        self,
        *,
        database: Database,
        lanes: Lanes,
        channels: Running,
        posts: Posts,
        clock: Clock,
        metrics: Metrics,
        shelf: Shelf,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._lanes = lanes
        self._channels = channels
        self._posts = posts
        self._clock = clock
        self._metrics = metrics
        self._shelf = shelf
        self._jitter = jitter

    async def drain(self, lane: str) -> None:
        """Deliver what is due in the chat, in order; nothing is touched while its channel is not running."""
        place = place_of(lane)
        channel = self._channels.find(place[0])
        if channel is None:
            return
        taken = await self._database.write(partial(self._take, place, channel))
        while taken is not None:
            message = replace(load_message(taken.message), again=bool(taken.doubt), attempt=_attempt(taken))
            message = await self._with_bytes(message)
            post = await self._posts.post_of(message) if isinstance(channel, CanStream) else None
            outcome = await self._attempt(channel, message, post)
            record = partial(self._record_and_take, place, channel, taken, outcome, post)
            following = await self._database.write(record)
            self._observe(taken, outcome)
            taken = following

    async def resume(self, channel_id: str) -> None:
        """The channel runs (again): deliver what has been waiting for it."""
        await self._database.write(partial(self._wake_chats, channel_id))

    async def retry(self, tx: Transaction, delivery_id: str) -> bool:
        """Try a dead or uncertain delivery as if for the first time; False if it is neither."""
        delivery = await retry_delivery(tx, delivery_id)
        if delivery is not None:
            await self._lanes.wake(tx, chat_lane(delivery.channel_id, delivery.chat_id))
        return delivery is not None

    async def _with_bytes(self, message: OutboundMessage) -> OutboundMessage:
        """The message with the place of its file's bytes; where they are is not decided before they are sent."""
        if message.file is None:
            return message
        found = await self._database.read(partial(find_file, file_id=message.file.id))
        path = str(self._shelf.path(found.digest)) if found is not None and found.digest else ""
        return replace(message, file=replace(message.file, path=path))

    async def _attempt(self, channel: Channel, message: OutboundMessage, post: LivePost | None) -> Outcome:
        """A fault of the channel's own code must not block the chat for ever: like every doubt it runs out of time."""
        try:
            if post is not None and isinstance(channel, CanStream):
                return await channel.finish(post, message)
            return await channel.send(message)
        except Exception as fault:
            log.exception("A channel failed to send", channel=channel.id, delivery=message.delivery_id)
            return Uncertain(reason=type(fault).__name__)

    async def _record_and_take(
        self,
        place: Place,
        channel: Channel,
        taken: Delivery,
        outcome: Outcome,
        post: LivePost | None,
        tx: Transaction,
    ) -> Delivery | None:
        """One transaction: what came of the last attempt, and the attempt of the chat's next message."""
        if post is not None and not isinstance(outcome, Retryable):
            await close_live(tx, post.id)
        repeatable = not isinstance(channel, ShowsTwice)
        decision = decide_after(outcome, taken, tx.now, repeatable=repeatable, jitter=self._jitter())
        if not await _record(tx, taken, decision):
            log.warning("The outcome of an attempt came too late", delivery=taken.id, attempt=taken.attempts)
        return await self._take(place, channel, tx)

    async def _take(self, place: Place, channel: Channel, tx: Transaction) -> Delivery | None:
        """The chat's next message, its attempt begun; None (with a later wake) if there is none due."""
        delivery = await oldest_pending(tx, *place)
        if delivery is not None and delivery.sending and isinstance(channel, ShowsTwice):
            await _record(tx, delivery, decide_after(Uncertain(reason=_CUT), delivery, tx.now, repeatable=False))
            delivery = await oldest_pending(tx, *place)
        if delivery is None:
            return None
        if delivery.due_at > tx.now:
            await self._lanes.wake_at(tx, chat_lane(*place), delivery.due_at)
            return None
        return await begin_attempt(tx, delivery)

    async def _wake_chats(self, channel_id: str, tx: Transaction) -> None:
        for place in await chats_with_pending(tx, channel_id):
            await self._lanes.wake(tx, chat_lane(*place))

    def _observe(self, taken: Delivery, outcome: Outcome) -> None:
        now = self._clock.now()
        self._metrics.delivered(taken.channel_id, type(outcome).__name__.lower())
        if isinstance(outcome, Sent):
            self._metrics.delivery_delay((now - load_message(taken.message).created_at).total_seconds())
            if taken.asked_at is not None:
                self._metrics.answer_delay((now - taken.asked_at).total_seconds())
        else:
            log.warning(
                "A message was not delivered",
                channel=taken.channel_id,
                delivery=taken.id,
                attempt=taken.attempts,
                outcome=type(outcome).__name__.lower(),
                reason=outcome.reason,
            )


def _attempt(delivery: Delivery) -> int:
    """One that is tried anew by hand counts from one, and may have arrived all the same before it was given up."""
    return delivery.attempts + bool(delivery.reason and delivery.attempts == 1)


async def _record(tx: Transaction, delivery: Delivery, decision: Decision) -> bool:
    """Write down what came of the delivery's last attempt; False if that is not its last attempt any more."""
    finish = partial(finish_attempt, tx, delivery.id, delivery.attempts)
    match decision:
        case Done(platform_id=platform_id):
            return await finish(state="sent", platform_id=platform_id)
        case Again(due_at=due_at, reason=reason, doubt=doubt):
            return await finish(state="pending", reason=reason, due_at=due_at, doubt=doubt)
        case Dead(reason=reason):
            return await finish(state="dead", reason=reason)
        case Open(reason=reason):
            return await finish(state="uncertain", reason=reason)
