"""People in the simulated chats: they write, press buttons, join, block; and they see what the bot wrote."""

import itertools
from collections.abc import Callable
from typing import Any

from tests.support.gate import DEADLINE
from tests.support.telegram.methods import NOW
from tests.support.telegram.server import BotApi
from tests.support.telegram.state import Json, Room, Shown

_numbers = itertools.count(5001)


class Person:
    """Somebody in one chat: their own private one, unless a group is given. `topic` is where they write."""

    def __init__(
        self, api: BotApi, *, room: Room | None = None, user: int = 0, name: str = "Ann", topic: int | None = None
    ) -> None:
        self.api = api
        self.user = user or next(_numbers)
        self.name = name
        self.room = room or api.room(self.user, title=name)
        self.topic = topic
        if topic is not None:
            self.room.topics.add(topic)

    @property
    def chat_id(self) -> str:
        return str(self.room.id)

    def described(self) -> Json:
        return {"id": self.user, "is_bot": False, "first_name": self.name, "username": self.name.lower()}

    def message(self, **content: Any) -> Json:
        """A message as Telegram tells it, and shows it in the chat."""
        number = self.room.new_id()
        self.room.messages.append(Shown(id=number, text=str(content.get("text", "")), by_bot=False))
        place = {"message_thread_id": self.topic, "is_topic_message": True} if self.topic else {}
        told = {"message_id": number, "date": NOW, "from": self.described(), "chat": self.room.public()}
        return told | place | content

    def say(self, text: str, **more: Any) -> Json:
        """Write; mentions and commands are marked, as a client does. The update."""
        return self.api.updates.put(message=self.message(text=text, entities=marks(text), **more))

    def edit(self, message: Json, text: str) -> Json:
        edited = message["message"] | {"text": text, "edit_date": NOW + 60}
        return self.api.updates.put(edited_message=edited)

    def press(self, message: Shown, label: str) -> Json:
        button = next(each for each in message.buttons if each["text"] == label)
        press = f"press-{next(_numbers)}"
        self.api.presses.add(press)
        below = {"message_id": message.id, "date": NOW, "chat": self.room.public(), "from": self.api.me, "text": "?"}
        query = {"id": press, "from": self.described(), "chat_instance": "1", "data": button["callback_data"]}
        return self.api.updates.put(callback_query=query | {"message": below})

    def block(self) -> Json:
        self.room.blocked = "bot was blocked by the user"
        return self._change("member", "kicked")

    def unblock(self) -> Json:
        self.room.blocked = ""
        return self._change("kicked", "member")

    def add_bot(self) -> Json:
        return self._change("left", "member")

    def album(self, *captions: str) -> list[Json]:
        """Photos that belong together, one message each."""
        group = str(next(_numbers))
        pieces = []
        for number, caption in enumerate(captions):
            photo = [{"file_id": f"P{group}{number}", "file_unique_id": f"u{number}", "width": 9, "height": 9}]
            words = {"caption": caption, "caption_entities": marks(caption)} if caption else {}
            message = self.message(photo=photo, media_group_id=group, **words)
            pieces.append(self.api.updates.put(message=message))
        return pieces

    def _change(self, before: str, after: str) -> Json:
        def member(status: str) -> Json:
            return {"user": self.api.me, "status": status} | ({"until_date": 0} if status == "kicked" else {})

        change = {"chat": self.room.public(), "from": self.described(), "date": NOW}
        return self.api.updates.put(
            my_chat_member=change | {"old_chat_member": member(before), "new_chat_member": member(after)}
        )

    @property
    def heard(self) -> list[Shown]:
        """What the bot has written here."""
        return self.room.heard

    def texts(self) -> list[str]:
        return [message.text for message in self.heard]

    async def hears(self, done: int | Callable[[list[Shown]], bool], within: float = DEADLINE) -> list[Shown]:
        """Wait until the chat shows so many messages of the bot, or such ones."""
        enough = done if callable(done) else lambda messages: len(messages) >= done
        try:
            await self.api.until(lambda _: enough(self.heard), within)
        except TimeoutError:
            raise AssertionError(f"waited in vain; heard only {self.texts()}") from None
        return self.heard

    async def hears_end(self, rounds: int = 1, label: str = "【主持人总结】", within: float = DEADLINE) -> list[Shown]:
        """Wait until so many rounds are concluded."""
        return await self.hears(lambda messages: sum(label in one.text for one in messages) >= rounds, within)


def migrate(api: BotApi, room: Room, new_id: int) -> Room:
    """A group becomes a supergroup: its old number is dead."""
    fresh = api.room(new_id, "supergroup", title=room.title)
    room.moved_to = new_id
    somebody = {"id": 42, "is_bot": False, "first_name": "Ann"}
    common = {"date": NOW, "from": somebody}
    api.updates.put(message={"message_id": room.new_id(), "chat": room.public(), "migrate_to_chat_id": new_id} | common)
    api.updates.put(
        message={"message_id": fresh.new_id(), "chat": fresh.public(), "migrate_from_chat_id": room.id} | common
    )
    return fresh


def marks(text: str) -> list[Json]:
    """The entities that a client finds by itself: a mention, and a command at the beginning."""
    found = []
    for at, word in _words(text):
        kind = "bot_command" if word.startswith("/") and at == 0 else "mention" if word.startswith("@") else ""
        if kind and len(word) > 1:
            offset = len(text[:at].encode("utf-16-le")) // 2
            found.append({"type": kind, "offset": offset, "length": len(word.encode("utf-16-le")) // 2})
    return found


def _words(text: str) -> list[tuple[int, str]]:
    words, at = [], 0
    for word in text.split(" "):
        words.append((at, word.rstrip(",.!?，。")))
        at += len(word) + 1
    return words
