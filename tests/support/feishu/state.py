"""Chats and messages as the platform keeps them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.feishu.answers import Json, Refusal
from tests.support.feishu.cards import Cards
from tests.support.feishu.rules import check_card, check_post, check_text, check_weight, element_texts, rings

MESSAGES_A_SECOND = 5
UUID_LIVES = 3600.0


@dataclass(kw_only=True)
class Message:
    """One message. `sender` is "app" for the bot's, else an open_id; `kind` its msg_type, `content` JSON."""

    id: str
    chat_id: str
    kind: str
    content: str
    sender: str
    at: float
    root_id: str = ""
    parent_id: str = ""
    thread_id: str = ""
    uuid: str = ""
    is_deleted: bool = False
    marks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a person sees of a message now."""

    kind: str
    title: str
    text: str
    colour: str = ""
    buttons: tuple[tuple[str, str], ...] = ()
    is_growing: bool = False
    thread: str = ""
    answers: str = ""
    id: str = ""
    name: str = ""
    data: bytes = b""

    @property
    def whole(self) -> str:
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(kw_only=True)
class Room:
    """A chat; `mode` as the platform calls it. `closed_with`: the code with which it takes nothing."""

    id: str
    mode: Literal["p2p", "group", "topic"]
    name: str = ""
    person: str = ""
    closed_with: int = 0
    messages: list[Message] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


class State:
    """Everything that one app has on the platform."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.rooms: dict[str, Room] = {}
        self.messages: dict[str, Message] = {}
        self.images: set[str] = set()
        self.files: dict[str, bytes] = {}
        self.names: dict[str, str] = {}
        self.cards = Cards(now, self.images)
        self.rate_refused: list[str] = []
        self.rung: list[str] = []
        self._numbers = 0

    def room(self, chat_id: str, mode: Literal["p2p", "group", "topic"] = "p2p", **more: Any) -> Room:
        return self.rooms.setdefault(chat_id, Room(id=chat_id, mode=mode, **more))

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def write(self, room: Room, kind: str, content: Json, sender: str, **more: Any) -> Message:
        """A person's message."""
        message = Message(
            id=f"om_{self.number():032x}",
            chat_id=room.id,
            kind=kind,
            content=json.dumps(content, ensure_ascii=False),
            sender=sender,
            at=self.now(),
            **more,
        )
        self.messages[message.id] = message
        room.messages.append(message)
        return message

    def post(self, raw: bytes, *, receive: str = "", reply_to: str = "") -> Json:
        """The bot sends a message, or replies."""
        body = json.loads(raw)
        known = self._same(body.get("uuid", ""))
        if known is not None:
            return self.described(known)
        anchor = self._anchor(reply_to) if reply_to else None
        room = self.rooms[anchor.chat_id] if anchor else self._receiver(receive, body.get("receive_id", ""))
        if room.closed_with:
            raise Refusal(room.closed_with, "the chat takes nothing")
        self._check(raw, body)
        self._pace(room)
        message = Message(
            id=f"om_{self.number():032x}",
            chat_id=room.id,
            kind=body["msg_type"],
            content=body["content"],
            sender="app",
            at=self.now(),
            uuid=body.get("uuid", ""),
            **(self._place(room, anchor, bool(body.get("reply_in_thread"))) if anchor else self._topic(room)),
        )
        self._bind_card(message)
        self.rung += rings(body["content"].replace('\\"', '"'))
        self.messages[message.id] = message
        room.messages.append(message)
        return self.described(message)

    def described(self, message: Message) -> Json:
        """A message as answers carry it."""
        sender = {"id": "cli_sim", "id_type": "app_id", "sender_type": "app", "tenant_key": "t"}
        if message.sender != "app":
            sender = {"id": message.sender, "id_type": "open_id", "sender_type": "user", "tenant_key": "t"}
        described = {
            "message_id": message.id,
            "root_id": message.root_id,
            "parent_id": message.parent_id,
            "thread_id": message.thread_id,
            "msg_type": message.kind,
            "create_time": str(int(message.at * 1000)),
            "update_time": str(int(message.at * 1000)),
            "deleted": message.is_deleted,
            "updated": False,
            "chat_id": message.chat_id,
            "sender": sender,
            "body": {"content": message.content},
        }
        return {key: value for key, value in described.items() if value != ""}

    def seen(self, message: Message) -> Seen:
        content = json.loads(message.content)
        more: Json = {"kind": message.kind, "thread": message.thread_id, "answers": message.parent_id, "id": message.id}
        if message.kind == "interactive":
            return self._seen_card(content, more)
        if message.kind == "post":
            post = next(iter(content.values()))
            words = "\n".join(node.get("text", "") for paragraph in post["content"] for node in paragraph)
            return Seen(title=post.get("title", ""), text=words, **more)
        if message.kind == "file":
            key = content["file_key"]
            data = self.files[key]
            return Seen(title="", text=data.decode(errors="replace"), name=self.names[key], data=data, **more)
        if message.kind == "image":
            return Seen(title="", text="", data=self.files[content["image_key"]], **more)
        if message.kind == "system":
            return Seen(title="", text=content["params"]["divider_text"]["text"], **more)
        return Seen(title="", text=content.get("text", ""), **more)

    def _seen_card(self, content: Json, more: Json) -> Seen:
        card = self.cards.all[content["data"]["card_id"]] if content.get("type") == "card" else None
        shown = card.content if card else content
        header = shown.get("header", {})
        buttons = [each for each in shown["body"]["elements"] if each["tag"] == "button"]
        return Seen(
            title=header.get("title", {}).get("content", ""),
            colour=header.get("template", ""),
            text="\n".join(element_texts(shown)),
            buttons=tuple((b["text"]["content"], b["behaviors"][0]["value"]["command"]) for b in buttons),
            is_growing=card is not None and card.is_streaming,
            **more,
        )

    def _same(self, uuid: str) -> Message | None:
        if len(uuid) > 50:
            raise Refusal(99992402, "field validation failed: uuid")
        if not uuid:
            return None
        fresh = (m for m in self.messages.values() if m.uuid == uuid and self.now() - m.at < UUID_LIVES)
        return next(fresh, None)

    def _anchor(self, message_id: str) -> Message:
        anchor = self.messages.get(message_id)
        if anchor is None:
            raise Refusal(230001, "invalid message_id")
        if anchor.is_deleted:
            raise Refusal(230011, "The message was withdrawn")
        return anchor

    def _receiver(self, kind: str, receive_id: str) -> Room:
        if kind == "open_id":
            rooms = [room for room in self.rooms.values() if room.person == receive_id]
            return rooms[0] if rooms else self.room(f"oc_p2p_{receive_id}", person=receive_id)
        if kind != "chat_id" or receive_id not in self.rooms:
            raise Refusal(230034, "receive_id is invalid")
        return self.rooms[receive_id]

    def _check(self, raw: bytes, body: Json) -> None:
        kind, content = body["msg_type"], body["content"]
        check_weight(raw, kind)
        if kind == "text":
            check_text(content)
        elif kind == "post":
            check_post(content)
        elif kind == "interactive" and json.loads(content).get("type") != "card":
            check_card(content, self.images)
        elif kind in ("file", "image"):
            if json.loads(content)[f"{kind}_key"] not in self.files:
                raise Refusal(230017, "not the owner of the resource")
        elif kind not in ("interactive", "system"):
            raise Refusal(230001, f"msg_type {kind}")

    def _bind_card(self, message: Message) -> None:
        content = json.loads(message.content)
        if message.kind != "interactive" or content.get("type") != "card":
            return
        card = self.cards.all.get(content["data"]["card_id"])
        if card is None or card.message_id:
            raise Refusal(230099, "ext=ErrCode: 200740; ErrMsg: no card entity, or it was sent before;")
        card.message_id = message.id

    def _place(self, room: Room, anchor: Message, in_thread: bool) -> Json:
        thread = anchor.thread_id
        if in_thread and not thread:
            thread = anchor.thread_id = f"omt_{self.number():x}"
        return {"root_id": anchor.root_id or anchor.id, "parent_id": anchor.id, "thread_id": thread}

    def _topic(self, room: Room) -> Json:
        """In a topic group a message of its own opens a topic."""
        return {"thread_id": f"omt_{self.number():x}"} if room.mode == "topic" else {}

    def _pace(self, room: Room) -> None:
        now = self.now()
        room.times = [at for at in room.times if now - at < 1.0]
        if len(room.times) >= MESSAGES_A_SECOND:
            self.rate_refused.append(room.id)
            raise Refusal(230020, "frequency limit of the chat", status=200)
        room.times.append(now)
