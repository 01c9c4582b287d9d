"""What only the platform can tell about people, chats and messages: asked once, kept for a while, never insisted on."""

from collections.abc import Mapping
from typing import Any, Final

from channels.feishu.api import Api, segment
from channels.feishu.faults import FeishuFault
from channels.feishu.parse import LONGEST_NAME, PRIVATE
from channels.feishu.raw import fields, items, text
from channels.feishu.recent import Recent
from channels.types import Chat

PERSON: Final = ("ou_", "on_")
"""How ids begin that name a person and not a chat."""


class Directory:
    """One app's address book. Every look-up is a call of the month's quota, so each is made once."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._chats: Recent[str, Chat] = Recent()
        self._asked: Recent[str, bool] = Recent()
        self._names: Recent[str, str] = Recent()
        self._private: Recent[str, str] = Recent()

    def meet(self, chat: Chat, person_id: str) -> None:
        """Remember what an event told: which chats are private, and whose."""
        known = self._chats.get(chat.id)
        title = chat.title or (known.title if known else "")
        self._chats.put(chat.id, Chat(id=chat.id, type=chat.type, title=title))
        if chat.type == "private" and person_id and not chat.id.startswith(PERSON):
            self._private.put(person_id, chat.id)

    def private_chat(self, person_id: str) -> str:
        """The private chat with a person, "" while it is not known."""
        return self._private.get(person_id) or ""

    async def chat(self, chat_id: str) -> Chat | None:
        """Whether a chat is private; None if nobody tells. A person's id is a private place."""
        if chat_id.startswith(PERSON):
            return Chat(id=chat_id, type="private")
        return self._chats.get(chat_id) or await self._look_up(chat_id)

    async def title(self, chat_id: str) -> str:
        """What a group is called, "" if the app may not know."""
        known = self._chats.get(chat_id)
        if known is None or not known.title:
            known = await self._look_up(chat_id) or known
        return known.title if known else ""

    async def name(self, person_id: str) -> str:
        """What a person is called, "" if the app may not know."""
        known = self._names.get(person_id)
        if known is not None:
            return known
        self._names.put(person_id, "")
        path = "/open-apis/contact/v3/users/basic_batch"
        payload = {"user_ids": [person_id]}
        try:
            data = await self._api.data("POST", path, query={"user_id_type": "open_id"}, payload=payload)
        except FeishuFault:
            return ""
        name = next((text(fields(each).get("name")) for each in items(data.get("users"))), "")[:LONGEST_NAME]
        self._names.put(person_id, name)
        return name

    async def messages(self, message_id: str) -> tuple[Mapping[str, Any], ...]:
        """A message, and what it bundles; nothing if it cannot be read."""
        try:
            data = await self._api.data("GET", f"/open-apis/im/v1/messages/{segment(message_id)}")
        except FeishuFault:
            return ()
        return tuple(fields(each) for each in items(data.get("items")))

    async def _look_up(self, chat_id: str) -> Chat | None:
        """Once only: an app without the permission would ask in vain at every message."""
        if chat_id in self._asked:
            return self._chats.get(chat_id)
        self._asked.put(chat_id, True)
        try:
            data = await self._api.data("GET", f"/open-apis/im/v1/chats/{segment(chat_id)}")
        except FeishuFault:
            return self._chats.get(chat_id)
        is_private = text(data.get("chat_mode")) in PRIVATE
        name = text(data.get("name"))[:LONGEST_NAME]
        self.meet(Chat(id=chat_id, type="private" if is_private else "group", title=name), "")
        return self._chats.get(chat_id)
