"""The simulated counterparts themselves: what they promise to the scenarios, seen with a real client."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest
import pytest_asyncio
from aiohttp import ClientConnectionError, ClientSession
from openai import AsyncOpenAI

from tests.support import signing
from tests.support.callback import CUT, Message, Receiver, refuse
from tests.support.gate import Gate
from tests.support.keys import secret_of
from tests.support.model_reply import Reply as Answer
from tests.support.model_reply import act, cut, fault, garbage, hang, say, use
from tests.support.model_request import mark
from tests.support.model_server import ModelServer
from tests.support.signing import Reply

QUESTION = [{"role": "system", "content": mark("expert", "ann")}, {"role": "user", "content": "hello"}]


@pytest_asyncio.fixture(loop_scope="session")
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def client(model: ModelServer) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=model.base_url, api_key="k", max_retries=0) as opened:
        yield opened


async def _ask(client: AsyncOpenAI, *, stream: bool = True) -> Any:
    completions: Any = client.chat.completions
    return await completions.create(model="m", messages=QUESTION, stream=stream)


async def _text(client: AsyncOpenAI) -> str:
    stream = await _ask(client)
    return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])


async def test_text_comes_in_chunks_and_waits_at_a_gate(model: ModelServer, client: AsyncOpenAI) -> None:
    gate = Gate()
    model.play = lambda request: say("one ", gate, "two")
    answer = asyncio.create_task(_text(client))
    await gate.reached()
    assert not answer.done()
    gate.open()
    assert await answer == "one two"
    assert model.requests[0].asker == "ann"
    assert model.requests[0].authorization == "Bearer k"


async def test_tool_arguments_are_split_and_ids_may_be_empty(model: ModelServer, client: AsyncOpenAI) -> None:
    model.play = lambda request: act("doing", use("look", pieces=3, at="the moon"), use("look", "c", at="mars"))
    stream = await _ask(client)
    calls = [call async for chunk in stream for call in chunk.choices[0].delta.tool_calls or ()]
    assert [call.index for call in calls] == [0, 0, 0, 1]
    assert "".join(call.function.arguments for call in calls[:3]) == '{"at": "the moon"}'
    assert calls[0].id == ""
    whole = await _ask(client, stream=False)
    assert [call.function.arguments for call in whole.choices[0].message.tool_calls] == [
        '{"at": "the moon"}',
        '{"at": "mars"}',
    ]
    assert whole.usage.total_tokens == 18


@pytest.mark.parametrize("reply", [fault(500), fault(429, "1"), fault(401), cut(), cut("half")])
async def test_faults_reach_the_client(model: ModelServer, client: AsyncOpenAI, reply: Answer) -> None:
    model.play = lambda request: reply
    with pytest.raises((openai.APIError, httpx2.HTTPError)):
        await _text(client)


async def test_a_page_that_is_no_stream_says_nothing(model: ModelServer, client: AsyncOpenAI) -> None:
    model.play = lambda request: garbage()
    assert await _text(client) == ""


async def test_a_client_that_gives_up_is_noticed(model: ModelServer, client: AsyncOpenAI) -> None:
    gate = Gate()
    model.play = lambda request: hang(gate)
    answer = asyncio.create_task(_text(client))
    await gate.reached()
    answer.cancel()
    await model.until(lambda server: len(server.dropped) == 1)


def _message(delivery_id: str) -> dict[str, object]:
    speaker = {"id": "studio", "name": "Studio", "role": "host"}
    texts = {"text": "t", "display_text": "t", "reply_to": None, "created_at": "2026-01-01T00:00:00Z"}
    ids = {"channel_id": "hook", "chat": {"id": "c"}, "thread": None, "session_id": "s", "job_id": None}
    return {"delivery_id": delivery_id, "seq": 1, "kind": "host", "speaker": speaker, **ids, **texts}


async def _send(receiver: Receiver, http: ClientSession, delivery_id: str, more: dict[str, str] | None = None) -> Reply:
    content, secret = _message(delivery_id), secret_of("hook")
    return await signing.post(http, receiver.url(), content, secret=secret, message_id=delivery_id, more=more)


async def test_the_receiver_takes_what_is_signed_and_misbehaves_as_told() -> None:
    async with Receiver() as receiver, ClientSession() as http:
        answers = [refuse(429, "7"), CUT]
        receiver.behave = lambda message, times: answers[times - 1] if times <= 2 else refuse(204)
        first = await _send(receiver, http, "d1")
        assert (first.status, first.headers["Retry-After"]) == (429, "7")
        with pytest.raises(ClientConnectionError):
            await _send(receiver, http, "d1")
        assert receiver.taken == []
        receiver.behave = Receiver().behave
        assert (await _send(receiver, http, "d2")).status == 204
        assert [message.delivery_id for message in receiver.of("c")] == ["d2"]
        forged = {"webhook-signature": "v1,AAAA"}
        assert (await _send(receiver, http, "d3", more=forged)).status == 401
        assert len(receiver.unsigned) == 1


async def test_a_closed_port_refuses_and_opens_again() -> None:
    async with Receiver() as receiver, ClientSession() as http:
        await receiver.close_port()
        with pytest.raises(ClientConnectionError):
            await _send(receiver, http, "d1")
        await receiver.open_port()
        assert (await _send(receiver, http, "d1")).status == 204
        assert isinstance(receiver.taken[0], Message)
