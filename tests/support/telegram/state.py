"""What the server knows: chats, their messages, drafts and topics, and the queue of updates."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.support.telegram.answers import bad

Json = dict[str, Any]


@dataclass(kw_only=True)
class Shown:
    """A message as the chat shows it now; `edits` are its earlier texts."""

    id: int
    text: str
    entities: list[Json] = field(default_factory=list)
    thread: int | None = None
    reply_to: int | None = None
    buttons: list[Json] = field(default_factory=list)
    document: bytes | None = None
    file_name: str = ""
    by_bot: bool = True
    edits: list[str] = field(default_factory=list)
    reactions: list[str] = field(default_factory=list)
    deleted: bool = False

    def styled(self, kind: str) -> list[str]:
        """What stands in entities of this type."""
        encoded = self.text.encode("utf-16-le")
        found = [entity for entity in self.entities if entity["type"] == kind]
        return [encoded[2 * e["offset"] : 2 * (e["offset"] + e["length"])].decode("utf-16-le") for e in found]


@dataclass(kw_only=True)
class Room:
    """A chat. `fault` is what the bot is told when it writes there."""

    id: int
    type: str = "private"
    title: str = ""
    is_forum: bool = False
    topics: set[int] = field(default_factory=set)
    messages: list[Shown] = field(default_factory=list)
    drafts: list[Json] = field(default_factory=list)
    draft: Json | None = None
    actions: list[Json] = field(default_factory=list)
    moved_to: int = 0
    blocked: str = ""
    last_id: int = 0

    def new_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def public(self) -> Json:
        """The chat as Telegram describes it."""
        if self.type == "private":
            return {"id": self.id, "type": "private", "first_name": self.title}
        described: Json = {"id": self.id, "type": self.type, "title": self.title}
        return described | ({"is_forum": True} if self.is_forum else {})

    def find(self, message_id: int) -> Shown | None:
        return next((one for one in self.messages if one.id == message_id and not one.deleted), None)

    @property
    def heard(self) -> list[Shown]:
        """What the bot has written, and is still there."""
        return [one for one in self.messages if one.by_bot and not one.deleted]

    def check_thread(self, thread: int | None) -> int | None:
        """The topic that a message lands in. Raises Refusal."""
        if thread is None:
            return None
        if self.type == "supergroup" and not self.is_forum:
            return None
        if thread not in self.topics:
            raise bad("message thread not found")
        return thread


class Updates:
    """The queue, confirmed by offset."""

    def __init__(self) -> None:
        self.waiting: list[Json] = []
        self.allowed: list[str] = []
        self.confirmed: list[int] = []
        self.arrived = asyncio.Event()
        self._ids = itertools.count(1000)

    def put(self, **update: Any) -> Json:
        """A new update at the end."""
        made = {"update_id": next(self._ids), **update}
        self.again(made)
        return made

    def again(self, update: Json) -> None:
        """The same update once more, or one made by hand."""
        kind = next(key for key in update if key != "update_id")
        if not self.allowed or kind in self.allowed or kind == "poison":
            self.waiting.append(update)
            self.arrived.set()

    def confirm(self, offset: int) -> None:
        """Forget everything below."""
        self.confirmed += [update["update_id"] for update in self.waiting if update["update_id"] < offset]
        self.waiting = [update for update in self.waiting if update["update_id"] >= offset]
        if not self.waiting:
            self.arrived.clear()

    def __iter__(self) -> Iterator[Json]:
        return iter(self.waiting)
