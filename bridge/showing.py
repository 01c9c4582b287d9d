"""Showing: live text in the chats. Beside the outbox, not durable: a lost post costs beauty, never content.

A post's intent is stored before the platform is called and its handle right after, so that a crash leaves no message
open for ever: the final delivery of the turn closes it, and what gets no final text is abandoned.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any, Final

import structlog

from bridge.notices import Notices
from bridge.show import Show
from channels.base import CanStream, Channel
from channels.errors import LiveLost
from channels.types import LivePost, OutboundMessage, Retryable, Speaker
from host.lanes import Lanes
from host.values import Writing
from store import base
from store.chats import find_chat
from store.clock import Clock
from store.database import Database, Transaction
from store.events import Event
from store.live import (
    LiveRow,
    add_live,
    close_live,
    is_settled,
    keep_handle,
    open_post,
    open_posts,
    orphans,
)

log = structlog.get_logger(__name__)

SAID: Final = ("host_message", "member_message", "wrapup")
OVER: Final = ("turn_ended", "job_failed")
LATER: Final = timedelta(seconds=2)
"""When an orphan that cannot be closed yet is looked at again."""

LABELS: Final = {"wrapup": "label.wrapup", "member_message": "label.member"}


class Showing:
    """Implements `host.values.Live` towards the channels that can stream, and gives deliveries their open post."""

    def __init__(
        self,
        *,
        database: Database,
        lanes: Lanes,
        clock: Clock,
        find: Callable[[str], Channel | None],
        is_live: Callable[[str], bool],
        notices: Notices,
        new_id: Callable[[], str],
        wake_now: Callable[[str], None],
    ) -> None:
        self._database = database
        self._lanes = lanes
        self._clock = clock
        self._find = find
        self._is_live = is_live
        self._notices = notices
        self._new_id = new_id
        self._wake_now = wake_now
        self._shows: dict[str, Show | None] = {}
        self._settled: dict[str, list[Show]] = {}
        self._left_open: dict[str, str] = {}

    def delta(self, writing: Writing, offset: int, text: str) -> None:
        """More words of a turn; those of a chat that cannot show them cost one look-up."""
        if writing.origin is None:
            return
        if writing.turn_id not in self._shows:
            self._shows[writing.turn_id] = self._begin(writing, writing.origin)
        if (show := self._shows[writing.turn_id]) is not None:
            show.write(offset, text)

    def emitted(self, session_id: str, events: Sequence[Event]) -> None:
        """A durable message settles its turn's post: the delivery takes over. Without words it is an orphan."""
        for event in events:
            if event.turn_id is None or event.kind not in (*SAID, *OVER):
                continue
            if event.kind in OVER and (lane := self._left_open.pop(event.turn_id, "")):
                self._wake_now(lane)
            show = self._shows.pop(event.turn_id, None)
            if show is None:
                continue
            self._settled.setdefault(event.turn_id, []).append(show)
            if not event.text:
                self._wake_now(live_lane(show.post.channel_id, show.post.chat_id))

    async def post_of(self, message: OutboundMessage) -> LivePost | None:
        """The open post that this delivery closes: of the same turn in the same chat, also of an earlier process."""
        if message.turn_id is None or message.part > 1 or message.kind == "notice":
            return None
        await self._end(message.turn_id)
        find = partial(open_post, turn_id=message.turn_id, channel_id=message.channel_id, chat_id=message.chat_id)
        row = await self._database.read(find)
        return None if row is None else load_post(row)

    async def drain(self, lane: str) -> None:
        """Lane `live:<channel>:<chat>`: leave no message open whose turn is over without a final text."""
        _, channel_id, chat_id = lane.split(":", 2)
        channel = self._find(channel_id)
        if not isinstance(channel, CanStream):
            return
        if not await self._database.read(partial(is_settled, channel_id=channel_id, chat_id=chat_id)):
            await self._look_again(lane)
            return
        found = partial(orphans, channel_id=channel_id, chat_id=chat_id)
        for turn_id in {row.turn_id for row in await self._database.read(found)}:
            await self._end(turn_id)
        for row in await self._database.read(found):
            if isinstance(await channel.abandon(load_post(row)), Retryable):
                await self._look_again(lane)
                return
            await self._database.write(partial(close_live, post_id=row.id))

    async def recover(self) -> None:
        """Look after every post that an earlier process left open: called once, at start."""

        async def wake(tx: Transaction) -> dict[str, str]:
            lanes = {turn_id: live_lane(channel_id, chat_id) for turn_id, channel_id, chat_id in await open_posts(tx)}
            for lane in set(lanes.values()):
                await self._lanes.wake(tx, lane)
            return lanes

        self._left_open = await self._database.write(wake)

    def stop(self) -> None:
        """The program stops: whatever grows is closed by the next start."""
        for show in (*self._shows.values(), *chain(*self._settled.values())):
            if show is not None:
                show.drop()

    def _begin(self, writing: Writing, origin: base.Origin) -> Show | None:
        channel = self._find(origin.channel_id)
        if not self._is_live(origin.channel_id) or not isinstance(channel, CanStream):
            return None
        post = LivePost(
            id=self._new_id(),
            turn_id=writing.turn_id,
            channel_id=origin.channel_id,
            chat_id=origin.chat_id,
            chat_type="private",
            thread=origin.thread,
            speaker=_speaker(writing.speaker),
            created_at=self._clock.now(),
            label=self._label(writing),
            reply_to=origin.message_id or None,
        )
        return Show(channel, post, self._clock, partial(self._prepare, channel), self._keep_handle)

    def _label(self, writing: Writing) -> str:
        key = "" if writing.alone else LABELS.get(writing.kind, "")
        return self._notices.say(key, name=writing.speaker.name) if key else ""

    async def _prepare(self, channel: CanStream, post: LivePost) -> LivePost | None:
        return await self._database.write(partial(self._store_intent, channel, post))

    async def _store_intent(self, channel: CanStream, post: LivePost, tx: Transaction) -> LivePost | None:
        chat = await find_chat(tx, post.channel_id, post.chat_id)
        known = replace(post, chat_type="group" if chat is not None and chat.type == "group" else "private")
        if not channel.streams(known):
            raise LiveLost("it is not worth showing here")
        if not await is_settled(tx, post.channel_id, post.chat_id):
            return None  # a live message stands where it is opened: not above what was said before
        if await open_post(tx, post.turn_id, post.channel_id, post.chat_id) is not None:
            raise LiveLost("a message of an earlier process waits for the turn's final words")
        await add_live(tx, dump_post(known))
        return known

    async def _keep_handle(self, post: LivePost) -> None:
        await self._database.write(partial(keep_handle, post_id=post.id, handle=post.handle))

    async def _end(self, turn_id: str) -> None:
        """Let what still grows of the turn come to its end: afterwards the store knows every post and its handle."""
        for show in self._settled.pop(turn_id, []):
            await show.end()

    async def _look_again(self, lane: str) -> None:
        async def later(tx: Transaction) -> None:
            await self._lanes.wake_at(tx, lane, tx.now + LATER)

        await self._database.write(later)


def live_lane(channel_id: str, chat_id: str) -> str:
    """The lane that closes what was left open in this chat."""
    return f"live:{channel_id}:{chat_id}"


def dump_post(post: LivePost) -> LiveRow:
    """The post as its row; the handle has a column of its own."""
    data: dict[str, Any] = asdict(post) | {"created_at": post.created_at.isoformat(), "handle": ""}
    return LiveRow(
        id=post.id,
        turn_id=post.turn_id,
        channel_id=post.channel_id,
        chat_id=post.chat_id,
        post=data,
        created_at=post.created_at,
        handle=post.handle,
    )


def load_post(row: LiveRow) -> LivePost:
    """The post that `dump_post` dumped, with the handle as it is known now."""
    data = row.post | {
        "speaker": Speaker(**row.post["speaker"]),
        "created_at": datetime.fromisoformat(row.post["created_at"]),
        "handle": row.handle,
    }
    return LivePost(**data)


def _speaker(speaker: base.Speaker) -> Speaker:
    if speaker.role == "host":
        return Speaker(id=speaker.id, name=speaker.name, role="host", icon=speaker.icon)
    return Speaker(id=speaker.id, name=speaker.name, role="member", icon=speaker.icon)
