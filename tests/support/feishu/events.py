"""Events as the platform writes them."""

import json
from typing import Any
from uuid import uuid4

from tests.support.feishu.answers import Json
from tests.support.feishu.state import Message, Room


def envelope(app_id: str, kind: str, event: Json, *, event_id: str = "", token: str = "") -> Json:
    header = {
        "event_id": event_id or uuid4().hex,
        "event_type": kind,
        "create_time": "1767225600000",
        "token": token,
        "app_id": app_id,
        "tenant_key": "2ca1d211f64f6438",
    }
    return {"schema": "2.0", "header": header, "event": event}


def person_id(open_id: str) -> Json:
    return {"union_id": f"on_{open_id}", "user_id": None, "open_id": open_id}


def message_event(message: Message, room: Room, mentions: list[Json], sender_type: str = "user") -> Json:
    """im.message.receive_v1. Replies carry root and parent, messages of topics their thread."""
    told: dict[str, Any] = {
        "message_id": message.id,
        "create_time": str(int(message.at * 1000)),
        "update_time": str(int(message.at * 1000)),
        "chat_id": message.chat_id,
        "chat_type": "p2p" if room.mode == "p2p" else "group",
        "message_type": message.kind,
        "content": message.content,
    }
    places = {"root_id": message.root_id, "parent_id": message.parent_id, "thread_id": message.thread_id}
    told |= {key: value for key, value in places.items() if value}
    if mentions:
        told["mentions"] = mentions
    sender = {"sender_id": person_id(message.sender), "sender_type": sender_type, "tenant_key": "736588c9260f175e"}
    return {"sender": sender, "message": told}


def mention(key: str, open_id: str, name: str, kind: str = "user") -> Json:
    return {
        "key": key,
        "id": person_id(open_id),
        "mentioned_type": kind,
        "name": name,
        "tenant_key": "736588c9260f175e",
    }


def pressed_event(message_id: str, chat_id: str, operator: str, value: Json) -> Json:
    """card.action.trigger: the operator's ids are flat."""
    return {
        "operator": {"tenant_key": "2df73991750", "user_id": None, "open_id": operator, "union_id": f"on_{operator}"},
        "token": f"c-{uuid4().hex}",
        "action": {"value": value, "tag": "button", "timezone": "Asia/Shanghai"},
        "host": "im_message",
        "context": {"open_message_id": message_id, "open_chat_id": chat_id},
    }


def dumped(payload: Json) -> bytes:
    return json.dumps(payload, ensure_ascii=False).encode()
