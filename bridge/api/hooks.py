"""Platforms that call us: bytes go to the channel as they came, it verifies before anybody parses."""

from functools import partial
from typing import Final

from aiohttp import web
from pydantic import Field

from bridge.api.call import Call
from bridge.api.downloads import download
from bridge.api.errors import ApiError
from bridge.api.routes import Routes
from bridge.shape import Shape
from channels.base import Channel, KeepsMessages, ServesHook
from channels.errors import Unprocessable
from channels.types import HookRequest
from store.outbox import sent_file

routes: Final = Routes("hooks")


class Wanted(Shape):
    """Which messages: of one chat (of all, if none is named), numbered above `after`."""

    after: int = Field(default=0, ge=0, le=2**63 - 1)
    chat: str | None = None


@routes.add(
    "POST",
    "/hooks/{channel_id}",
    status=202,
    auth="signature",
    errors=(
        "NOT_FOUND",
        "PAYLOAD_TOO_LARGE",
        "UNAUTHENTICATED",
        "PARAM_INVALID",
        "PAIRING_REQUIRED",
        "FORBIDDEN",
        "RATE_LIMITED",
        "IDEMPOTENCY_CONFLICT",
        "STORE_UNAVAILABLE",
    ),
)
async def receive(call: Call) -> web.StreamResponse:
    """A signed message from a platform."""
    channel = _channel(call)
    if not isinstance(channel, ServesHook):
        raise ApiError("NOT_FOUND")
    answer = await channel.hook(_request(call, await call.raw()))
    if not answer.body:  # Slack would show an empty object as the answer to a command
        return web.Response(status=answer.status, headers=answer.headers)
    return web.json_response(answer.body, status=answer.status, headers=answer.headers)


@routes.add(
    "GET",
    "/hooks/{channel_id}/messages",
    auth="signature",
    errors=("NOT_FOUND", "UNAUTHENTICATED", "PARAM_INVALID"),
    described_query=Wanted,
)
async def messages(call: Call) -> web.StreamResponse:
    """Signed (with an empty body): the messages of a chat numbered above `after`."""
    channel = _channel(call)
    if not isinstance(channel, KeepsMessages):
        raise ApiError("NOT_FOUND")
    channel.verify(_request(call, b""))
    wanted = _wanted(call)
    found = await call.parts.kept.messages_after(call.named("channel_id"), wanted.chat, wanted.after)
    return web.json_response({"messages": [channel.payload(message) for message in found]})


@routes.add(
    "GET",
    "/hooks/{channel_id}/files/{file_id}",
    auth="signature",
    errors=("NOT_FOUND", "UNAUTHENTICATED"),
    media="application/octet-stream",
)
async def file(call: Call) -> web.StreamResponse:
    """Signed (with an empty body): the bytes of a file that a message of this channel named."""
    channel = _channel(call)
    if not isinstance(channel, KeepsMessages):
        raise ApiError("NOT_FOUND")
    channel.verify(_request(call, b""))
    wanted = partial(sent_file, channel_id=call.named("channel_id"), file_id=call.named("file_id"))
    return await download(call.parts.shelf, await call.read(wanted))


def _wanted(call: Call) -> Wanted:
    """Read after the signature was verified."""
    after = call.request.query.get("after", "0")
    if not after.isascii() or not after.isdigit() or int(after) >= 2**63:
        raise Unprocessable("after", "not a number")
    return Wanted(after=int(after), chat=call.request.query.get("chat") or None)


def _channel(call: Call) -> Channel:
    channel_id = call.named("channel_id")
    channel = call.parts.channels.find(channel_id)
    if channel is None:
        known = call.parts.channels.knows(channel_id)
        raise ApiError("CHANNEL_UNAVAILABLE", headers={"Retry-After": "5"}) if known else ApiError("NOT_FOUND")
    return channel


def _request(call: Call, body: bytes) -> HookRequest:
    headers = {name.lower(): value for name, value in call.request.headers.items()}
    return HookRequest(headers=headers, body=body, query=dict(call.request.query))
