"""The webhook platform's counterpart: an HTTP server on loopback, and a client that signs."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import uuid4

import aiohttp
from aiohttp import web

from channels.base import Emit
from channels.errors import ChannelError
from channels.types import HookRequest, OutboundMessage, Retryable
from channels.webhook.channel import WebhookChannel
from channels.webhook.settings import WebhookSettings
from channels.webhook.signature import read_secret, sign
from tests.contract.channel.harness import RETRY_AFTER, Call, Fault

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PATIENCE = aiohttp.ClientTimeout(total=0.3, sock_connect=0.2)
"""Short, so that a test of a hanging platform is short."""

_STATUS = {Fault.NONE: 204, Fault.BROKEN: 502, Fault.REFUSED: 410}


class WebhookHarness:
    """Implements Harness."""

    doubt = Retryable
    chat_id = "c1"
    other_chat_id = "slow"
    tells_ids = True
    channel: WebhookChannel

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._faults: dict[str, deque[Fault]] = {}
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def start(self, emit: Emit) -> None:
        await self.channel.start(emit)

    def shown(self, message: OutboundMessage) -> str:
        return message.text

    def script(self, *faults: Fault, chat_id: str = "") -> None:
        self._faults.setdefault(chat_id, deque()).extend(faults)

    async def arrived(self, count: int) -> None:
        async with asyncio.timeout(5), self._changed:
            await self._changed.wait_for(lambda: len(self.calls) >= count)

    async def reconnect(self) -> None:
        app = web.Application()
        app.router.add_post("/in", self._take)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def disconnect(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def open_channel(self) -> None:
        url = f"http://127.0.0.1:{self._port}/in"
        settings = WebhookSettings(id="hook", secret=SECRET, callback_url=url)
        self.channel = WebhookChannel(settings, now=lambda: NOW, timeout=PATIENCE)

    async def deliver(self, text: str, *, authentic: bool = True) -> bool:
        body = json.dumps({"chat": {"id": "c1"}, "sender": {"id": "u1"}, "text": text}).encode()
        return await self.deliver_raw(body, authentic=authentic)

    async def deliver_raw(self, body: bytes, *, authentic: bool) -> bool:
        key = read_secret(SECRET) if authentic else b"a stranger's guess"
        request = HookRequest(headers=sign(key, f"msg_{uuid4().hex}", NOW, body), body=body)
        try:
            return (await self.channel.hook(request)).status < 300
        except ChannelError:  # the server renders it as 4xx
            return False

    async def _take(self, request: web.Request) -> web.StreamResponse:
        told = json.loads(await request.read())
        assert request.headers["webhook-id"] == told["delivery_id"]
        fault = self._next_fault(told["chat"]["id"])
        async with self._changed:
            self.calls.append(Call(delivery_id=told["delivery_id"], chat_id=told["chat"]["id"], text=told["text"]))
            self._changed.notify_all()
        return await self._answer(request, fault)

    def _next_fault(self, chat_id: str) -> Fault:
        faults = self._faults.get(chat_id) or self._faults.get("")
        return faults.popleft() if faults else Fault.NONE

    async def _answer(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        match fault:
            case Fault.BUSY:
                return web.Response(status=429, headers={"Retry-After": str(RETRY_AFTER)})
            case Fault.HANG:
                await asyncio.Event().wait()
            case Fault.CUT:
                return _end(request, b"")
            case Fault.GARBAGE:
                return _end(request, b"SMTP ready, and no HTTP at all\r\n\r\n")
            case Fault.ENDLESS:
                return await _endless(request)
        return web.Response(status=_STATUS[fault])


def _end(request: web.Request, last_words: bytes) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.write(last_words)
    request.transport.close()
    raise ConnectionResetError("as the script says")


async def _endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(status=200)
    await response.prepare(request)
    while True:
        await response.write(b"x" * 65536)


@asynccontextmanager
async def webhook() -> AsyncIterator[WebhookHarness]:
    """A channel that calls back to a server of ours."""
    harness = WebhookHarness()
    await harness.reconnect()
    harness.open_channel()
    try:
        yield harness
    finally:
        await harness.channel.stop()
        await harness.disconnect()
