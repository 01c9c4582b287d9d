"""The WebSocket side of Socket Mode: tickets, greetings, envelopes to any connection, acknowledgements."""

import asyncio
import json
import random
from typing import TYPE_CHECKING
from uuid import uuid4

from aiohttp import WSMsgType, web

from tests.support.slack.state import APP, Json

if TYPE_CHECKING:
    from tests.support.slack.server import Slack

MOST = 10


class SocketSide:
    """Every open connection gets envelopes, one of them each."""

    def __init__(self, slack: "Slack") -> None:
        self._slack = slack
        self._tickets: set[str] = set()
        self._waiting: dict[str, tuple[web.WebSocketResponse, asyncio.Future[Json]]] = {}
        self.connections: list[web.WebSocketResponse] = []
        self.opened = 0
        self.greets = True
        self.deaf = False
        self.acks: list[tuple[int, Json]] = []

    def new_url(self) -> str:
        ticket = uuid4().hex
        self._tickets.add(ticket)
        return f"ws{self._slack.url.removeprefix('http')}/link/?ticket={ticket}&app_id={APP}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=401)
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        if len(self.connections) >= MOST:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await socket.close()
            return socket
        self.opened += 1
        number = self.opened
        if self.greets:
            await socket.send_json({"type": "hello", "num_connections": 1, "connection_info": {"app_id": APP}})
        self.connections.append(socket)
        await self._slack.tell()
        try:
            await self._listen(socket, number)
        finally:
            self.connections.remove(socket)
            self._give_up(socket)
            await self._slack.tell()
        return socket

    async def send(self, kind: str, payload: Json, attempt: int, within: float) -> bool:
        """One envelope to one connection; whether it was acknowledged in time."""
        if not self.connections:
            return False
        envelope_id = str(uuid4())
        told: Json = {"envelope_id": envelope_id, "type": kind, "payload": payload}
        told["accepts_response_payload"] = kind == "slash_commands"
        if kind == "events_api":
            told |= {"retry_attempt": attempt, "retry_reason": "timeout" if attempt else ""}
        socket, acked = random.choice(self.connections), asyncio.get_running_loop().create_future()
        self._waiting[envelope_id] = socket, acked
        try:
            await socket.send_json(told)
            async with asyncio.timeout(within):
                await acked
        except (TimeoutError, ConnectionError):
            return False
        finally:
            self._waiting.pop(envelope_id, None)
        return True

    async def disconnect(self, reason: str, *, closes: bool = False) -> None:
        """Tell every connection that it ends."""
        for socket in list(self.connections):
            await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "sim"}})
            if closes:
                await socket.close()

    async def cut(self) -> None:
        """Every connection breaks without a word."""
        for socket in list(self.connections):
            transport = socket._req.transport if socket._req is not None else None
            if transport is not None:
                transport.abort()

    async def raw(self, text: str) -> None:
        for socket in list(self.connections):
            await socket.send_str(text)

    async def _listen(self, socket: web.WebSocketResponse, number: int) -> None:
        async for message in socket:
            if self.deaf:
                continue
            if message.type == WSMsgType.PING:
                await socket.pong(message.data)
            elif message.type == WSMsgType.TEXT:
                told = json.loads(message.data)
                self.acks.append((number, told))
                _, waiting = self._waiting.get(told.get("envelope_id", ""), (socket, None))
                if waiting is not None and not waiting.done():
                    waiting.set_result(told)

    def _give_up(self, socket: web.WebSocketResponse) -> None:
        """What was sent over a connection that is gone will not be acknowledged any more."""
        for sent_over, waiting in self._waiting.values():
            if sent_over is socket and not waiting.done():
                waiting.set_exception(ConnectionResetError())
