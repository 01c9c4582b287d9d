"""A client of the HTTP API, and of the live frames of a session."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from tests.support.gate import DEADLINE
from tests.support.keys import ADMIN_TOKEN
from tests.support.signing import Reply, read

Frame = dict[str, Any]


class Api:
    """Requests below one server, with a bearer token ("" sends none)."""

    def __init__(self, http: ClientSession, url: str, token: str = ADMIN_TOKEN) -> None:
        self.http = http
        self.url = url
        self.token = token

    def without_token(self) -> "Api":
        return Api(self.http, self.url, "")

    async def get(self, path: str, **params: Any) -> Reply:
        return await self._ask("GET", path, params=params)

    async def post(self, path: str, body: Any = None, key: str = "", **headers: str) -> Reply:
        more = headers | ({"Idempotency-Key": key} if key else {})
        return await self._ask("POST", path, json=body, headers=more)

    async def patch(self, path: str, body: Any, **headers: str) -> Reply:
        return await self._ask("PATCH", path, json=body, headers=headers)

    async def delete(self, path: str) -> Reply:
        return await self._ask("DELETE", path)

    async def ok(self, path: str, **params: Any) -> Any:
        """The body of a GET that must succeed."""
        reply = await self.get(path, **params)
        assert reply.status == 200, (path, reply.status, reply.body)
        return reply.body

    async def events(self, session_id: str, after: int = 0) -> list[Frame]:
        """All events of a session from `after` on."""
        return list((await self.ok(f"/api/sessions/{session_id}/events", after=after, limit=500))["items"])

    @asynccontextmanager
    async def live(self, session_id: str, after: int = 0) -> AsyncIterator["Live"]:
        url = f"{self.url}/api/sessions/{session_id}/live"
        async with self.http.ws_connect(url, params={"after": after}, headers=self._auth()) as socket:
            yield Live(socket)

    def _auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def _ask(self, method: str, path: str, headers: dict[str, str] | None = None, **more: Any) -> Reply:
        async with self.http.request(method, self.url + path, headers=self._auth() | (headers or {}), **more) as answer:
            return await read(answer)


class Live:
    """The frames of one live connection, in order."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.frames: list[Frame] = []

    async def until(self, predicate: Callable[[list[Frame]], bool], within: float = DEADLINE) -> list[Frame]:
        """Read on until the frames seen so far (without pings) satisfy `predicate`."""
        async with asyncio.timeout(within):
            while not predicate(self.frames):
                message = await self.socket.receive()
                assert message.type == WSMsgType.TEXT, message
                if (frame := json.loads(message.data))["type"] != "ping":
                    self.frames.append(frame)
        return self.frames

    def events(self) -> list[Frame]:
        return [frame["event"] for frame in self.frames if frame["type"] == "event"]

    def kinds(self) -> list[str]:
        return [event["kind"] for event in self.events()]

    def shown(self) -> str:
        """What a client shows of the turn that speaks last: each delta replaces from its offset on."""
        deltas = [frame for frame in self.frames if frame["type"] == "delta"]
        text = ""
        for delta in deltas:
            if delta["turn_id"] == deltas[-1]["turn_id"]:
                text = text[: delta["offset"]] + delta["text"]
        return text
