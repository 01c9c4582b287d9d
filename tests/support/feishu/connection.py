"""The long connection's server side: every event goes to one of the clients, and comes again until it is answered."""

import asyncio
import base64
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from channels.clock import Clock, LoopClock
from channels.feishu.wire import CONTROL, DATA, Frame, decode, encode
from tests.support.feishu.answers import Json

IN_TIME = 3.0


@dataclass(kw_only=True)
class Ack:
    """The client's answer to an event."""

    code: int
    data: Any
    frame: Frame


@dataclass(eq=False, kw_only=True)
class Client:
    """One open connection."""

    socket: web.WebSocketResponse
    service: int
    pings: int = 0
    acks: dict[str, "asyncio.Future[Ack]"] = field(default_factory=dict)


class Connections:
    """The clients of one app."""

    def __init__(self) -> None:
        self.clients: list[Client] = []
        self.opened = 0
        self.is_deaf = False
        self.is_mute = False
        self.pong_config: Json | None = None
        self.acked: list[Ack] = []
        self.changed = asyncio.Event()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(autoping=not self.is_deaf)
        await socket.prepare(request)
        client = Client(socket=socket, service=int(request.query["service_id"]))
        self.clients.append(client)
        self.opened += 1
        self._tell()
        try:
            async for message in socket:
                if message.type is WSMsgType.BINARY and not (self.is_deaf or self.is_mute):
                    await self._read(client, decode(message.data))
        finally:
            self.clients.remove(client)
            for waiting in client.acks.values():
                waiting.cancel()
            self._tell()
        return socket

    async def listened(self) -> None:
        """Wait until somebody is connected, however long that takes."""
        await self.until(lambda c: any(not client.socket.closed for client in c.clients), within=None)

    async def kick(self) -> None:
        """The server ends all connections."""
        for client in list(self.clients):
            await client.socket.close(code=1001)

    async def until(self, predicate: Callable[["Connections"], bool], within: float | None = 20.0) -> None:
        async with asyncio.timeout(within):
            while not predicate(self):
                self.changed.clear()
                await self.changed.wait()

    async def push(
        self,
        payload: bytes,
        *,
        kind: str = "event",
        message_id: str = "",
        parts: int = 1,
        order: Callable[[list[Frame]], list[Frame]] = list,
    ) -> Ack | None:
        """One attempt: to one client, in so many parts; its answer, None if none came in time."""
        if not self.clients:
            return None
        client = random.choice(self.clients)
        key = message_id or f"m{random.getrandbits(48):x}"
        waiting = client.acks.setdefault(key, asyncio.get_running_loop().create_future())
        try:
            async with asyncio.timeout(IN_TIME):
                for frame in order(frames_of(payload, key, kind, client.service, parts)):
                    await client.socket.send_bytes(encode(frame))
                await asyncio.wait((waiting,))
                return None if waiting.cancelled() else waiting.result()
        except (TimeoutError, ConnectionError):
            return None

    async def _read(self, client: Client, frame: Frame) -> None:
        if frame.method == CONTROL:
            client.pings += 1
            payload = json.dumps(self.pong_config).encode() if self.pong_config else b""
            pong = Frame(service=client.service, method=CONTROL, headers=(("type", "pong"),), payload=payload)
            await client.socket.send_bytes(encode(pong))
            self._tell()
            return
        answer = json.loads(frame.payload)
        data = json.loads(base64.b64decode(answer["data"])) if answer.get("data") else None
        ack = Ack(code=answer["code"], data=data, frame=frame)
        self.acked.append(ack)
        waiting = client.acks.pop(frame.header("message_id"), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(ack)
        self._tell()

    def _tell(self) -> None:
        self.changed.set()


SCHEDULE = (15.0, 300.0, 3600.0, 21600.0)
"""Seconds before each further attempt, as the platform waits; four of them, then the event is given up."""

QUICK = (0.3,) * 100
"""For tests in which the program starts again, or an outage ends: hours pass in half a minute."""


class Postman:
    """Brings each event until it is answered with 200.

    On the platform's own schedule an attempt is made when its time has come, whoever listens: nobody is told what comes
    while no client is connected, and the attempts are spread over seven hours. An outage cannot be made quick as the
    pauses can: on a quick schedule an attempt waits until somebody is connected again, since no outage of a test would
    outlast the hours that the pauses stand for.
    """

    def __init__(self, connections: Connections, schedule: Sequence[float] = QUICK, clock: Clock | None = None) -> None:
        self.schedule = schedule
        self.clock = clock or LoopClock()
        self.attempts = 0
        self._connections = connections
        self._tasks: set[asyncio.Task[bool]] = set()

    def post(self, payload: bytes) -> asyncio.Task[bool]:
        """Done when the event was taken, or given up (False)."""
        task = asyncio.create_task(self._bring(payload))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _bring(self, payload: bytes) -> bool:
        for pause in self.schedule:
            if await self._is_taken(payload):
                return True
            await self._wait(pause)
        return await self._is_taken(payload)

    async def _is_taken(self, payload: bytes) -> bool:
        self.attempts += 1
        ack = await self._connections.push(payload)
        return ack is not None and ack.code == 200

    async def _wait(self, pause: float) -> None:
        await self.clock.sleep(pause)
        if self.schedule is QUICK:
            await self._connections.listened()


def frames_of(payload: bytes, key: str, kind: str, service: int, parts: int = 1) -> list[Frame]:
    size = max(1, -(-len(payload) // parts))
    pieces = [payload[at : at + size] for at in range(0, len(payload), size)] or [b""]
    return [
        Frame(
            seq_id=1234567,
            log_id=7654321,
            service=service,
            method=DATA,
            headers=(
                ("type", kind),
                ("message_id", key),
                ("sum", str(len(pieces))),
                ("seq", str(index)),
                ("trace_id", "trace"),
            ),
            payload=piece,
            log_id_new="02176",
        )
        for index, piece in enumerate(pieces)
    ]
