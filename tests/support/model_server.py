"""A scripted OpenAI-compatible server: real HTTP and SSE on loopback, every answer decided by the test.

`async with ModelServer() as model:` then `model.play = some function of the request`. Everything it was asked stands
in `model.requests`; a request that the client gave up is in `model.dropped` as well.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Self

from aiohttp import web

from tests.support.gate import DEADLINE
from tests.support.model_reply import Cut, Hold, Reply, Step, Use, deltas, say, whole
from tests.support.model_request import Request, parse_request

Play = Callable[[Request], Reply]

_USAGE: Mapping[str, int] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


class ModelServer:
    """Answers `POST /v1/chat/completions` and `GET /v1/models` as `play` says."""

    def __init__(self, play: Play | None = None) -> None:
        self.play: Play = play or (lambda request: say("…"))
        self.requests: list[Request] = []
        self.dropped: list[Request] = []
        self.faults: list[str] = []
        self._changed = asyncio.Condition()
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        self._port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def asked_by(self, agent_id: str) -> list[Request]:
        return [request for request in self.requests if request.asker == agent_id]

    def forget(self) -> None:
        """Begin a new record: what is counted from here on belongs to the next test."""
        self.requests.clear()
        self.dropped.clear()
        self.faults.clear()

    async def until(self, predicate: Callable[["ModelServer"], bool], within: float = DEADLINE) -> None:
        """Wait until `predicate` holds; it is asked again after each request and each lost client."""
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(lambda: predicate(self))

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    async def _complete(self, http: web.Request) -> web.StreamResponse:
        authorization = http.headers.get("Authorization", "")
        request = parse_request(len(self.requests) + 1, authorization, await http.read())
        self.requests.append(request)
        await self._tell()
        try:
            return await self._answer(http, request, self._decide(request))
        except (asyncio.CancelledError, ConnectionError):
            self.dropped.append(request)
            await asyncio.shield(self._tell())
            raise

    def _decide(self, request: Request) -> Reply:
        """A script that cannot answer is a fault of the test: it is kept for the end, the client sees a 418."""
        try:
            return self.play(request)
        except Exception as fault:
            self.faults.append(f"{request.asker or '?'}: {fault!r} for {request.last[:200]!r}")
            return Reply(status=418, body="{}")

    async def _answer(self, http: web.Request, request: Request, reply: Reply) -> web.StreamResponse:
        if reply.thinks:
            await asyncio.sleep(reply.thinks)
        if reply.status != 200 or reply.body:
            headers = {"Content-Type": "application/json", **reply.headers}
            return web.Response(status=reply.status, text=reply.body, headers=headers)
        return await (self._stream(http, request, reply) if request.stream else self._body(http, request, reply))

    async def _body(self, http: web.Request, request: Request, reply: Reply) -> web.Response:
        for step in reply.steps:
            await _pause(http, step)
        finish = "tool_calls" if reply.uses() else "stop"
        choice = {"index": 0, "message": whole(reply), "finish_reason": finish}
        return web.json_response({**_frame(request, "chat.completion"), "choices": [choice], "usage": _USAGE})

    async def _stream(self, http: web.Request, request: Request, reply: Reply) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        frame = _frame(request, "chat.completion.chunk")
        calls = 0
        for step in reply.steps:
            await _pause(http, step)
            if reply.pace:
                await asyncio.sleep(reply.pace)
            if isinstance(step, Hold | Cut):
                continue
            for delta in deltas(step, calls):
                await _send(http, response, {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            calls += isinstance(step, Use)
        finish = "tool_calls" if calls else "stop"
        await _send(http, response, {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if request.wants_usage:
            await _send(http, response, {**frame, "choices": [], "usage": _USAGE})
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _pause(http: web.Request, step: Step) -> None:
    if isinstance(step, Hold):
        await step.gate.wait()
    if isinstance(step, Cut):
        _abort(http)


def _abort(http: web.Request) -> None:
    if http.transport is not None:
        http.transport.close()
    raise ConnectionResetError("cut by the script")


async def _send(http: web.Request, response: web.StreamResponse, data: Mapping[str, Any]) -> None:
    if not response.prepared:
        await response.prepare(http)
    await response.write(b"data: " + json.dumps(data).encode() + b"\n\n")


def _frame(request: Request, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{request.number}", "object": kind, "created": 1767225600, "model": request.model}
