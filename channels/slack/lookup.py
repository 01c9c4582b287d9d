"""Finds what was sent before: our own messages, by the metadata that each of them carries."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from channels.clock import Clock
from channels.outfile import has_tag
from channels.slack.api import Api, pages
from channels.slack.faults import Refusal
from channels.slack.me import Me
from channels.slack.render import EVENT_TYPE
from channels.types import OutboundMessage

SETTLES: Final = 2.0
"""Seconds until a message that was just posted is surely found."""

_SKEW: Final = timedelta(minutes=10)
"""How far our clock and Slack's may differ."""

_MOST_PAGES: Final = 20

Found = Mapping[str, Any]


class Lookup:
    """Reads threads and channels. Raises SlackFault."""

    def __init__(self, api: Api, clock: Clock) -> None:
        self._api = api
        self._clock = clock

    async def delivery(self, message: OutboundMessage, me: Me) -> str:
        """The `ts` of the message, if it was delivered; "" if it surely was not."""
        since = message.created_at
        for pause in (0.0, SETTLES):
            await self._clock.sleep(pause)
            async for one in self.ours(me, message.chat_id, message.thread, since):
                if payload_of(one).get("delivery_id") == message.delivery_id or _has_file(one, message.delivery_id):
                    return str(one.get("ts", ""))
        return ""

    async def notice(self, message: OutboundMessage, me: Me, since: datetime) -> str:
        """The `ts` of the notice of this message's job; "" if there is none."""
        async for one in self.ours(me, message.chat_id, message.thread, since):
            payload = payload_of(one)
            if payload.get("job_id") == message.job_id and payload.get("kind") == "notice":
                return str(one.get("ts", ""))
        return ""

    async def ours(self, me: Me, chat_id: str, thread: str, since: datetime) -> AsyncIterator[Found]:
        """Our messages at a place since then, with their metadata. A thread that is gone holds none."""
        oldest = f"{(since - _SKEW).timestamp():.6f}"
        method = "conversations.replies" if thread else "conversations.history"
        asked: dict[str, object] = {"oldest": oldest, "include_all_metadata": True}
        try:
            async for one in pages(
                self._api, method, chat_id, _MOST_PAGES, **asked | ({"ts": thread} if thread else {})
            ):
                if me.wrote(one):
                    yield one
        except Refusal as refusal:
            if refusal.code != "thread_not_found":
                raise


def payload_of(message: Found) -> Mapping[str, Any]:
    """What we wrote into a message's metadata."""
    metadata = message.get("metadata") or {}
    return (metadata.get("event_payload") or {}) if metadata.get("event_type") == EVENT_TYPE else {}


def _has_file(message: Found, delivery_id: str) -> bool:
    """A document cannot carry metadata; its name holds the beginning of the delivery's id."""
    files = message.get("files") or ()
    return any(has_tag(str(file.get("name", "")), delivery_id[:8]) for file in files)
