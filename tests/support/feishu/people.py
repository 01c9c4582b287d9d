"""A person in a chat: what they write, press and take back, and what they see."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Protocol
from uuid import uuid4

from tests.support.feishu.answers import Json
from tests.support.feishu.events import dumped, envelope, mention, message_event, person_id, pressed_event
from tests.support.feishu.server import BOT_ID, FeishuServer
from tests.support.feishu.state import Message, Room, Seen
from tests.support.gate import DEADLINE


class Ack(Protocol):
    """What the bot answered."""

    @property
    def code(self) -> int: ...

    @property
    def data(self) -> Any: ...


class Person:
    """Speaks in one chat; a private one of their own unless a room is given."""

    def __init__(self, server: FeishuServer, *, open_id: str = "", name: str = "Ann", room: Room | None = None) -> None:
        self.server = server
        self.open_id = open_id or f"ou_{uuid4().hex[:12]}"
        server.names[self.open_id] = name
        self.room = room or server.state.room(f"oc_{uuid4().hex[:12]}", person=self.open_id)

    def event_of(
        self, text: str, *, at_bot: bool = False, thread: str = "", answers: str = "", event_id: str = ""
    ) -> tuple[Message, Json]:
        """A text message and its event."""
        mentions = [mention("@_user_1", BOT_ID, "SimBot", "bot")] if at_bot else []
        words = f"@_user_1 {text}" if at_bot else text
        places = {"thread_id": thread, "parent_id": answers, "root_id": answers}
        if self.room.mode == "topic" and not thread:
            places["thread_id"] = f"omt_{self.server.state.number():x}"
        message = self.server.state.write(self.room, "text", {"text": words}, self.open_id, **places)
        return message, self._event("im.message.receive_v1", message_event(message, self.room, mentions), event_id)

    async def say(self, text: str, **more: Any) -> Message:
        """Write, and have the event delivered over the long connection."""
        message, event = self.event_of(text, **more)
        ack = await self.push(event)
        assert ack is not None, "nobody answered the event"
        assert ack.code == 200, ack
        return message

    def post(self, text: str, **more: Any) -> Message:
        """Write, and leave the event to the platform, which brings it again and again until it is answered."""
        message, event = self.event_of(text, **more)
        self.server.postman.post(dumped(event))
        return message

    async def send(self, kind: str, content: Json, mentions: list[Json] | None = None) -> Message:
        """Write a message of another type."""
        message = self.server.state.write(self.room, kind, content, self.open_id)
        event = self._event("im.message.receive_v1", message_event(message, self.room, mentions or []))
        ack = await self.push(event)
        assert ack is not None
        assert ack.code == 200, ack
        return message

    async def press(self, seen: Seen, command: str) -> Json:
        """Press the button of a message; what the client shows then."""
        card = next(m for m in self.room.messages if m.id == seen.id)
        value = self._value(card, command)
        ack = await self.push(
            self._event("card.action.trigger", pressed_event(card.id, card.chat_id, self.open_id, value))
        )
        assert ack is not None
        return dict(ack.data or {})

    async def recall(self, message: Message) -> None:
        message.is_deleted = True
        event = {
            "message_id": message.id,
            "chat_id": message.chat_id,
            "recall_time": "1767225600000",
            "recall_type": "message_owner",
        }
        await self.push(self._event("im.message.recalled_v1", event))

    async def choose(self, entry: str) -> None:
        """An entry of the bot's menu."""
        operator = {"operator_name": "", "operator_id": person_id(self.open_id)}
        event = {"operator": operator, "event_key": entry, "timestamp": 1669364458}
        await self.push(self._event("application.bot.menu_v6", event))

    async def push(self, event: Json, **more: Any) -> Ack | None:
        """Deliver an event over the long connection."""
        return await self.server.connections.push(dumped(event), **more)

    @property
    def heard(self) -> list[Seen]:
        """The bot's messages in this chat, as they look now."""
        state = self.server.state
        return [state.seen(m) for m in self.room.messages if m.sender == "app" and not m.is_deleted]

    @property
    def finished(self) -> list[Seen]:
        return [seen for seen in self.heard if not seen.is_growing and not self._may_change(seen)]

    async def hears(self, done: int | Callable[[list[Seen]], bool], within: float = DEADLINE) -> list[Seen]:
        """Wait until this chat shows so many finished messages of the bot, or such ones."""
        enough = done if callable(done) else lambda seen: len(seen) >= done
        try:
            await self.server.until(lambda _: enough(self.finished), within)
        except TimeoutError:
            raise AssertionError(f"waited in vain; shown are {[seen.whole for seen in self.heard]}") from None
        return self.finished

    async def hears_end(self, rounds: int = 1, within: float = DEADLINE) -> list[Seen]:
        return await self.hears(lambda seen: sum("主持人总结" in one.title for one in seen) >= rounds, within)

    def _may_change(self, seen: Seen) -> bool:
        """A live card that was closed but has still its stop button waits for its final words."""
        return any(command == "/stop" for _, command in seen.buttons)

    def _event(self, kind: str, event: Json, event_id: str = "") -> Json:
        return envelope(self.server.app_id, kind, event, event_id=event_id)

    def _value(self, card: Message, command: str) -> Json:
        content = json.loads(card.content)
        if content.get("type") == "card":
            content = self.server.state.cards.all[content["data"]["card_id"]].content
        buttons = [each for each in content["body"]["elements"] if each["tag"] == "button"]
        values = [each["behaviors"][0]["value"] for each in buttons]
        return next(value for value in values if value["command"] == command)


async def until_connected(server: FeishuServer, count: int = 1) -> None:
    await asyncio.wait_for(server.connections.until(lambda c: len(c.clients) >= count), DEADLINE)
