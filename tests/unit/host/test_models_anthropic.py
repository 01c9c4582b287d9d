"""The anthropic provider against a small server on loopback that speaks its stream."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from aiohttp import web

from host.model import Model
from host.models.registry import Models
from host.models.spec import ModelSpec
from tests.support.agent_run import Recorder, answering, assert_valid, messages, run
from tests.support.clock import FakeClock

Frame = dict[str, Any]
START: Frame = {
    "type": "message_start",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 1},
    },
}


def block(index: int, content: Frame, delta: Frame) -> list[Frame]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def words(index: int, text: str) -> list[Frame]:
    return block(index, {"type": "text", "text": ""}, {"type": "text_delta", "text": text})


def call(index: int, name: str) -> list[Frame]:
    content = {"type": "tool_use", "id": "same", "name": name, "input": {}}
    return block(index, content, {"type": "input_json_delta", "partial_json": "{}"})


def end(reason: str) -> list[Frame]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}, {"type": "message_stop"}]


class Server:
    """Streams the given answers in order."""

    def __init__(self) -> None:
        self.answers: list[Sequence[Frame]] = []
        self.bodies: list[Frame] = []

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for frame in self.answers.pop(0):
            await response.write(f"event: {frame['type']}\ndata: {json.dumps(frame)}\n\n".encode())
        await response.write_eof()
        return response


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def model(server: Server) -> AsyncIterator[Model]:
    app = web.Application()
    app.router.add_post("/v1/messages", server.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    models = Models([ModelSpec(name="claude", provider="anthropic", model="claude-x", base_url=url, api_key="k")])
    yield await models.load("claude")
    await models.close()
    await runner.cleanup()


async def test_a_run_with_tools(server: Server, model: Model) -> None:
    server.answers = [
        [START, *words(0, "I look"), *call(1, "clock"), *call(2, "clock"), *end("tool_use")],
        [START, *words(0, "noon"), *end("end_turn")],
    ]
    recorder = await run(model, answering("clock", {"now": "noon"}), instructions="be brief")
    assert [each.text for each in recorder.responses] == ["I look", "noon"]
    assert_valid(messages(recorder.checkpoints))
    assert "be brief" in json.dumps(server.bodies[0]["system"])
    returned = [part["tool_use_id"] for part in server.bodies[1]["messages"][-1]["content"]]
    assert returned == [each.id for each in recorder.responses[0].calls]


async def test_a_stream_that_stops_early_was_cut(server: Server, model: Model, clock: FakeClock) -> None:
    server.answers = [[START, *words(0, "Half an")], [START, *words(0, "whole"), *end("end_turn")]]
    task = asyncio.ensure_future(run(model, clock=clock))
    recorder = await _turned(task, clock)
    assert recorder.deltas == [(0, "Half an"), (0, "whole")]
    assert [each.text for each in recorder.responses] == ["whole"]


async def test_an_overload_inside_the_stream_is_transient(server: Server, model: Model, clock: FakeClock) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    server.answers = [[START, error], [START, *words(0, "whole"), *end("end_turn")]]
    recorder = await _turned(asyncio.ensure_future(run(model, clock=clock)), clock)
    assert [each.text for each in recorder.responses] == ["whole"]


async def _turned(task: "asyncio.Task[Recorder]", clock: FakeClock) -> Recorder:
    while not task.done():
        await asyncio.sleep(0.001)
        if clock.sleepers:
            await clock.advance(0.5)
    return await task
