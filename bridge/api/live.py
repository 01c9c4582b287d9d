"""A session while it happens, over a WebSocket."""

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from aiohttp import ClientConnectionError, web
from pydantic import Field

from bridge.api.auth import identify
from bridge.api.call import Call
from bridge.api.camel import camel_keys
from bridge.api.errors import ApiError
from bridge.api.events import LARGEST_SEQ
from bridge.api.routes import Routes
from bridge.api.sessions import ONE, read_session
from bridge.frames import encode, event_frame
from bridge.html import html_of
from bridge.live import Frame, Reader, resumed
from bridge.shape import Shape
from host.errors import Unknown
from store.errors import StoreUnavailable

routes: Final = Routes("sessions")

DISMISSED: Final = 1008
RECHECK: Final = 10.0
"""Seconds after which it is asked anew whether whoever reads still may: tokens run out, and are revoked elsewhere."""

_HEARTBEAT: Final = 30.0
_FAREWELL: Final = 5.0


class Joining(Shape):
    """Where to begin: behind the event `after`. `render=html` adds `html` to events."""

    after: int = Field(default=0, ge=0, le=LARGEST_SEQ)
    render: Literal["html"] | None = None


@routes.add("GET", "/api/sessions/{id}/live", status=101, errors=("PARAM_INVALID", "FORBIDDEN", *ONE))
async def follow(call: Call, query: Joining) -> web.StreamResponse:
    """Live frames (WebSocket): events above `after` without gap or repeat, and the text that is being written."""
    session = await call.read(partial(read_session, call))
    socket = web.WebSocketResponse(heartbeat=_HEARTBEAT, timeout=_FAREWELL, max_msg_size=4096, compress=False)
    await socket.prepare(call.request)
    async with call.parts.hub.subscribe(session.id) as reader:
        await _until_over(call, query, socket, reader)
        await _close(call.request, socket, reader.code or 1000)
    return socket


async def _until_over(call: Call, query: Joining, socket: web.WebSocketResponse, reader: Reader) -> None:
    """Show frames until the client leaves, or the reader was dropped (it may be stuck in a write just then)."""
    works = (_show(call, query, socket, reader), _listen(socket), reader.ended.wait(), _watch(call, reader))
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome


async def _show(call: Call, query: Joining, socket: web.WebSocketResponse, reader: Reader) -> None:
    frames = resumed(reader, call.parts.database, call.named("id"), query.after)
    with suppress(ClientConnectionError):
        async for frame in frames:
            await socket.send_str(_written(frame, html=query.render is not None, camel=call.camel))


async def _listen(socket: web.WebSocketResponse) -> None:
    """Clients have nothing to say here; this ends when they leave."""
    async for _ in socket:
        pass


async def _watch(call: Call, reader: Reader) -> None:
    """End the reader when its user may not read any more: shut out, the token revoked, the session gone."""
    while await _may_read(call):
        bell = asyncio.ensure_future(call.parts.clock.sleep(RECHECK))
        doubt = asyncio.ensure_future(reader.doubted.wait())
        try:
            await asyncio.wait((bell, doubt), return_when=asyncio.FIRST_COMPLETED)
        finally:
            bell.cancel()
            doubt.cancel()
        reader.doubted.clear()
    reader.end(DISMISSED)


async def _may_read(call: Call) -> bool:
    """As at the handshake. Nobody is sent away because the store does not answer just now."""
    try:
        user = await identify(call.request, "user")
        await call.read(partial(read_session, replace(call, known=user)))
    except StoreUnavailable:
        return True
    except (ApiError, Unknown):
        return False
    return True


async def _close(request: web.Request, socket: web.WebSocketResponse, code: int) -> None:
    """Say why, as far as the client still reads; what it never read must not stay in memory."""
    try:
        async with asyncio.timeout(_FAREWELL):
            await socket.close(code=code, drain=False)
    except (TimeoutError, ClientConnectionError):
        pass
    if code != 1000 and request.transport is not None:
        request.transport.abort()


def _written(frame: Frame, *, html: bool, camel: bool) -> str:
    body = frame.body
    if html and frame.event is not None:
        body = encode(event_frame(frame.event, html_of(frame.event)))
    return json.dumps(camel_keys(json.loads(body))) if camel else body
