"""Putting one platform message into its place: a reply where there is something to reply to, else a fresh message."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from channels.feishu.api import Api, segment
from channels.feishu.budget import Budget
from channels.feishu.directory import Directory
from channels.feishu.faults import GONE, FeishuFault, Refusal
from channels.feishu.raw import fields, items, text
from channels.feishu.render import Form
from channels.types import Chat

LONGEST_UUID: Final = 50
NO_THREADS: Final = 230071
BAD_ANCHOR: Final = frozenset({230001, 99992402, 99992354})
"""A reply with these codes may be refused for its question as well as for its content: a fresh message tells."""

MESSAGES: Final = "/open-apis/im/v1/messages"

_KINDS: Final = {"oc_": "chat_id", "ou_": "open_id", "on_": "union_id"}


class Addressed(Protocol):
    """A message or a live post: where it belongs, and which question it answers."""

    @property
    def chat_id(self) -> str: ...

    @property
    def thread(self) -> str: ...

    @property
    def reply_to(self) -> str | None: ...


@dataclass(frozen=True, kw_only=True)
class Target:
    """`anchor` is the message to reply to, "" for a message of its own; `in_thread`: the reply stays in a topic."""

    chat_id: str
    anchor: str = ""
    in_thread: bool = False


def uuid_of(name: str, part: object = "") -> str:
    """Our stable id of a platform message; the platform sends the same one once only."""
    full = f"{name}-{part}" if part else name
    return full if len(full) <= LONGEST_UUID else hashlib.sha256(full.encode()).hexdigest()[:LONGEST_UUID]


class Messages:
    """Sends forms. What it raises has been noted in the budget."""

    def __init__(self, api: Api, budget: Budget, directory: Directory) -> None:
        self._api = api
        self._budget = budget
        self._directory = directory

    async def target(self, addressed: Addressed) -> Target:
        """Where it goes: into the topic of the question, else quoting it in a group, else simply into the chat."""
        question = addressed.reply_to or ""
        if addressed.thread:
            anchor = question or await self._last_in(addressed.chat_id, addressed.thread)
            return Target(chat_id=addressed.chat_id, anchor=anchor, in_thread=True)
        if question and not await self._is_private(addressed.chat_id):
            return Target(chat_id=addressed.chat_id, anchor=question)
        return Target(chat_id=addressed.chat_id)

    async def put(self, addressed: Addressed, form: Form, uuid: str) -> str:
        """Send it, and with the same uuid only once; its message id. Raises FeishuFault."""
        target = await self.target(addressed)
        try:
            return await self._put(target, form, uuid)
        except Refusal as refusal:
            if not target.anchor or refusal.code not in GONE | BAD_ANCHOR:
                raise
            return await self._put(await self._elsewhere(addressed, target, refusal), form, uuid)

    async def call(self, chat_id: str, method: str, path: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Any call that counts against a chat. Raises FeishuFault."""
        await self._budget.turn(chat_id)
        return await self.noted(chat_id, method, path, payload)

    async def spared(self, chat_id: str, method: str, path: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """A call that may as well come later. Raises FeishuFault."""
        await self._budget.spare_turn(chat_id)
        return await self.noted(chat_id, method, path, payload)

    async def noted(self, chat_id: str, method: str, path: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same by somebody who has waited for a turn."""
        try:
            return await self._api.data(method, path, payload=payload)
        except FeishuFault as fault:
            self._budget.note(fault, chat_id)
            raise

    async def _put(self, target: Target, form: Form, uuid: str) -> str:
        payload: dict[str, Any] = {"msg_type": form.kind, "content": form.content, "uuid": uuid}
        if target.anchor:
            path = f"{MESSAGES}/{segment(target.anchor)}/reply"
            sent = await self.call(target.chat_id, "POST", path, payload | {"reply_in_thread": target.in_thread})
        else:
            kind = _KINDS.get(target.chat_id[:3], "chat_id")
            path = f"{MESSAGES}?receive_id_type={kind}"
            sent = await self.call(target.chat_id, "POST", path, payload | {"receive_id": target.chat_id})
        self._learn(target.chat_id, text(sent.get("chat_id")))
        return text(sent.get("message_id"))

    async def _elsewhere(self, addressed: Addressed, target: Target, refusal: Refusal) -> Target:
        """The question takes no reply: another message of its topic may, else the chat itself."""
        if refusal.code == NO_THREADS and target.in_thread:
            return Target(chat_id=target.chat_id, anchor=target.anchor)
        if not addressed.thread:
            return Target(chat_id=target.chat_id)
        last = await self._last_in(addressed.chat_id, addressed.thread)
        anchor = "" if last == target.anchor else last
        return Target(chat_id=target.chat_id, anchor=anchor, in_thread=True)

    async def _last_in(self, chat_id: str, thread: str) -> str:
        """The newest message of a topic, "" if it cannot be told."""
        asked = {
            "container_id_type": "thread",
            "container_id": thread,
            "sort_type": "ByCreateTimeDesc",
            "page_size": "5",
        }
        try:
            await self._budget.turn(chat_id)
            data = await self._api.data("GET", MESSAGES, query=asked)
        except FeishuFault:
            return ""
        found = (fields(each) for each in items(data.get("items")))
        return next((text(each.get("message_id")) for each in found if not each.get("deleted")), "")

    async def _is_private(self, chat_id: str) -> bool:
        chat = await self._directory.chat(chat_id)
        return chat is not None and chat.type == "private"

    def _learn(self, sent_to: str, chat_id: str) -> None:
        """A person's private chat has an id of its own, which the answer tells."""
        if chat_id and sent_to.startswith("ou_"):
            self._directory.meet(Chat(id=chat_id, type="private"), sent_to)
