"""The client side of a webhook channel: signed requests, written from the Standard Webhooks specification."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from uuid import uuid4

from aiohttp import ClientSession

from tests.support.callback import Message, parse_message


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An HTTP answer, read whole."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        """The code of an error envelope."""
        return str(self.body["error"]["code"])


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def headers_for(secret: str, body: bytes, message_id: str = "", at: int | None = None) -> dict[str, str]:
    """The three headers of a signed request; a new id and the present time unless given."""
    message_id, timestamp = message_id or f"msg_{uuid4().hex}", int(time.time()) if at is None else at
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, message_id, timestamp, body),
        "content-type": "application/json",
    }


async def post(
    http: ClientSession,
    url: str,
    content: Mapping[str, Any] | bytes,
    *,
    secret: str,
    message_id: str = "",
    at: int | None = None,
    more: Mapping[str, str] | None = None,
) -> Reply:
    """A signed `POST`; `more` are further headers (or other values for the signed ones)."""
    body = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
    headers = headers_for(secret, body, message_id, at) | dict(more or {})
    async with http.post(url, data=BytesIO(body), headers=headers) as response:
        return await read(response)


async def fetch_messages(
    http: ClientSession, url: str, *, secret: str, after: int | None = None, chat: str | None = None
) -> list[Message]:
    """The messages that a channel without a callback keeps; signed like everything, with an empty body."""
    asked = {"after": None if after is None else str(after), "chat": chat}
    params = {key: value for key, value in asked.items() if value is not None}
    async with http.get(f"{url}/messages", params=params, headers=headers_for(secret, b"")) as response:
        reply = await read(response)
    assert reply.status == 200, reply
    return [parse_message(raw) for raw in reply.body["messages"]]


async def read(response: Any) -> Reply:
    text = await response.text()
    try:
        body = json.loads(text) if text else None
    except ValueError:
        body = text
    return Reply(status=response.status, body=body, headers=response.headers)
