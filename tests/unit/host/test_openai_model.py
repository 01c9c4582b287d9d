"""The endpoint over HTTP: connections, what it refuses, how long it asks to wait."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from email.utils import format_datetime

import pytest
from aiohttp import web

from host.messages import user_prompt
from host.model import Question, Visible
from host.models.faults import GarbledAnswerError, RefusedError, is_transient
from host.models.openai import model as openai_model
from host.models.openai import stream
from host.models.openai.model import ChatModel, retry_after
from host.models.spec import ModelSpec
from tests.support.clock import FakeClock
from tests.support.model_reply import Reply, fault, say
from tests.support.model_server import ModelServer

QUESTION = Question(instructions="", messages=[user_prompt("hi")], tools=[])
WHOLE = b'data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


def chat_model(base_url: str, key: str = "") -> ChatModel:
    return ChatModel(ModelSpec(name="main", provider="openai", model="m", base_url=base_url, api_key=key))


async def text(model: ChatModel) -> str:
    message = json.loads(await model.answer(QUESTION, Visible(lambda _, __: None)))
    return "".join(part["content"] for part in message["parts"])


@asynccontextmanager
async def serving(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[ChatModel]:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    model = chat_model(f"http://127.0.0.1:{runner.addresses[0][1]}/v1/")
    try:
        yield model
    finally:
        await model.close()
        await runner.cleanup()


async def streamed(request: web.Request, *pieces: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for piece in pieces:
        await response.write(piece)
    return response


def sending(*pieces: bytes) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(request: web.Request) -> web.StreamResponse:
        return await streamed(request, *pieces)

    return answer


async def test_one_connection_serves_one_answer_after_the_other() -> None:
    connections = set()

    async def answer(request: web.Request) -> web.StreamResponse:
        connections.add(request.transport)
        response = await streamed(request, WHOLE)
        await asyncio.sleep(0.001)  # the end of the body comes in a packet of its own
        await response.write_eof()
        return response

    async with serving(answer) as model:
        assert [await text(model) for _ in range(3)] == ["yes"] * 3
    assert len(connections) == 1


async def test_a_server_that_does_not_hang_up_behind_its_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "_GRACE", 0.01)
    over = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = await streamed(request, WHOLE)
        await over.wait()
        return response

    async with serving(answer) as model:
        assert await text(model) == "yes"
        over.set()


@pytest.mark.parametrize("size", [1, 7, 60])
async def test_events_may_be_cut_anywhere_and_lines_may_end_in_either_way(size: int) -> None:
    body = b": ping\r\nevent: x\r\n" + WHOLE.replace(b"\n", b"\r\n").replace(b"data: [", b"data:[")
    pieces = [body[at : at + size] for at in range(0, len(body), size)]

    async with serving(sending(*pieces)) as model:
        assert await text(model) == "yes"


async def test_the_last_line_needs_no_end() -> None:
    async with serving(sending(WHOLE.partition(b"\n")[0])) as model:
        assert await text(model) == "yes"


async def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """R6: memory is bounded."""
    monkeypatch.setattr(stream, "LARGEST", 1000)
    async with serving(sending(b"data: " + b"x" * 2000)) as model:
        with pytest.raises(GarbledAnswerError):
            await text(model)


async def test_a_server_that_knows_no_stream_options_is_asked_without_them_from_then_on() -> None:
    async with ModelServer() as server:
        refuse = fault(400, message="Unrecognized request argument supplied: stream_options")
        server.play = lambda request: refuse if request.wants_usage else say("yes")
        model = chat_model(server.base_url)
        assert [await text(model), await text(model)] == ["yes", "yes"]
        assert [request.wants_usage for request in server.requests] == [True, False, False]
        await model.close()


async def test_an_account_without_money_is_not_asked_again() -> None:
    async with ModelServer() as server:
        server.play = lambda _: Reply(status=429, body='{"error": {"code": "insufficient_quota"}}')
        model = chat_model(server.base_url)
        with pytest.raises(RefusedError) as refused:
            await text(model)
        assert not is_transient(refused.value)
        await model.close()


async def test_a_server_at_home_needs_no_key_and_gets_none() -> None:
    async with ModelServer() as server:
        for key in ("", "k"):
            model = chat_model(server.base_url, key)
            await text(model)
            await model.close()
        assert [request.authorization for request in server.requests] == ["", "Bearer k"]


async def test_a_long_history_is_sent_without_a_warning() -> None:
    """Warnings are errors here; aiohttp warns of large bodies that it must copy at once."""
    async with ModelServer() as server:
        model = chat_model(server.base_url)
        question = Question(instructions="", messages=[user_prompt("x" * 2_000_000)], tools=[])
        await model.answer(question, Visible(lambda _, __: None))
        assert len(server.requests[0].last) == 2_000_000
        await model.close()


def test_how_long_a_server_asks_to_wait(clock: FakeClock) -> None:
    date = format_datetime(clock.now(), usegmt=True)
    later = format_datetime(clock.now().replace(second=(clock.now().second + 7) % 60), usegmt=True)
    assert retry_after({"Retry-After": "2.5"}) == 2.5
    assert retry_after({"Retry-After": "-1"}) == 0
    assert retry_after({"Retry-After": later, "Date": date}) == 7
    assert retry_after({"Retry-After": later}) is None
    assert retry_after({"Retry-After": "soon", "Date": date}) is None
    assert retry_after({}) is None


def test_the_proxy_is_the_one_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    proxy_for = openai_model.proxy_for
    assert proxy_for("https://api.example/v1") == "http://proxy.example:3128"
    assert proxy_for("https://inside.example/v1") is None
    assert proxy_for("http://api.example/v1") is None
