"""A tool server over HTTP in plain JSON-RPC on loopback: `async with McpWeb() as web:`, then `web.url`.

`manner` changes what it does with the next requests: "" behaves, "sse" answers as a stream, "page" answers with a web
page, "squeeze" compresses, "gush" answers without end,
"hang" never answers a call, "deaf" neither answers one nor hears that it is over, "cut" cuts the connection.
"""

import asyncio
import json
from typing import Any, Self

from aiohttp import web

from tests.support.mcp_server import TOOLS, Message, answer_to

SESSION = "Mcp-Session-Id"


class McpWeb:
    """One server; what it was asked stands in `requests`, with which headers in `headers`."""

    def __init__(self) -> None:
        self.manner = ""
        self.requests: list[Message] = []
        self.headers: list[dict[str, str]] = []
        self.sessions = 0
        self.ended = 0
        self._known: set[str] = set()
        app = web.Application()
        app.router.add_post("/mcp", self._post)
        app.router.add_get("/mcp", self._get)
        app.router.add_delete("/mcp", self._delete)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/mcp"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def forget(self) -> None:
        """As after a restart: no session is known any more."""
        self._known.clear()

    async def _post(self, http: web.Request) -> web.StreamResponse:
        message: Message = await http.json()
        self.requests.append(message)
        self.headers.append(dict(http.headers))
        if message.get("method") != "initialize" and http.headers.get(SESSION) not in self._known:
            return web.Response(status=404)
        if self.manner == "deaf" and message.get("method") in ("tools/call", "notifications/cancelled"):
            await asyncio.Event().wait()
        if "id" not in message or "method" not in message:
            return web.Response(status=202)
        if message["method"] == "tools/call" and (bad := await self._misbehave(http)):
            return bad
        return await self._answer(http, {"jsonrpc": "2.0", "id": message["id"], "result": answer_to(message, TOOLS)})

    async def _answer(self, http: web.Request, answer: Message) -> web.StreamResponse:
        headers = {SESSION: self._begin()} if "protocolVersion" in answer["result"] else {}
        if self.manner != "sse":
            return web.json_response(answer, headers=headers)
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
        await stream.prepare(http)
        await stream.write(f"event: message\ndata: {json.dumps(answer)}\n\n".encode())
        return stream

    def _begin(self) -> str:
        self.sessions += 1
        self._known.add(f"session-{self.sessions}")
        return f"session-{self.sessions}"

    async def _misbehave(self, http: web.Request) -> web.StreamResponse | None:
        match self.manner:
            case "page":
                return web.Response(text="<html>502</html>", content_type="text/html")
            case "squeeze":
                squeezed = web.json_response({"jsonrpc": "2.0", "id": 1, "result": {"x": "x" * 1_000_000}})
                squeezed.headers["Accept"] = "*"
                squeezed.enable_compression(web.ContentCoding.gzip)
                return squeezed
            case "gush":
                return await self._gush(http)
            case "hang":
                await asyncio.Event().wait()
            case "cut":
                assert http.transport is not None
                http.transport.abort()
        return None

    async def _gush(self, http: web.Request) -> web.StreamResponse:
        stream = web.StreamResponse(headers={"Content-Type": "application/json"})
        await stream.prepare(http)
        while True:
            await stream.write(b"x" * 1_000_000)

    async def _get(self, http: web.Request) -> web.Response:
        return web.Response(status=405)

    async def _delete(self, http: web.Request) -> web.Response:
        if self.manner == "deaf":
            await asyncio.Event().wait()
        self.ended += 1
        return web.Response(status=204)


def called(requests: list[Message]) -> list[Any]:
    """The names of the tools that were called."""
    return [each["params"]["name"] for each in requests if each.get("method") == "tools/call"]
