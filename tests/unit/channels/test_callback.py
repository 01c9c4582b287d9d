"""What goes over the wire to a callback URL."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from aiohttp import web
from standardwebhooks.webhooks import Webhook

from channels.base import Receipt
from channels.types import InboundEvent, Rejected, Retryable, Sent
from channels.webhook.channel import WebhookChannel
from channels.webhook.settings import WebhookSettings
from tests.unit.channels.samples import MESSAGE

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PATIENCE = aiohttp.ClientTimeout(total=5)
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def accept_nothing(event: InboundEvent) -> Receipt:
    raise AssertionError(event)


def real_time() -> datetime:
    return datetime.now(UTC)


class Clock:
    """The present, moved by `ahead` seconds."""

    ahead = 0.0

    def __call__(self) -> datetime:
        return real_time() + timedelta(seconds=self.ahead)


@asynccontextmanager
async def served(answer: Answer) -> AsyncIterator[str]:
    """The address of a server that answers everything so."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield "http://127.0.0.1:{1}".format(*runner.addresses[0])
    finally:
        await runner.cleanup()


@asynccontextmanager
async def opened(url: str, now: Callable[[], datetime] = real_time) -> AsyncIterator[WebhookChannel]:
    settings = WebhookSettings(id="hook", secret=SECRET, callback_url=url)
    channel = WebhookChannel(settings, now=now, timeout=PATIENCE)
    await channel.start(accept_nothing)
    try:
        yield channel
    finally:
        await channel.stop()


async def test_each_attempt_is_signed_anew_with_the_same_id() -> None:
    """Contract 4, "out": the standard's own library accepts what we send."""
    arrived: list[web.Request] = []
    bodies: list[bytes] = []

    async def answer(request: web.Request) -> web.Response:
        arrived.append(request)
        bodies.append(await request.read())
        return web.Response(status=503)

    clock = Clock()
    async with served(answer) as url, opened(f"{url}/in?token=hunter2", clock) as channel:
        for clock.ahead in (0, 60):
            assert isinstance(await channel.send(MESSAGE), Retryable)
    for request, body in zip(arrived, bodies, strict=True):
        assert Webhook(SECRET).verify(body, dict(request.headers)) == channel.payload(MESSAGE)
        assert (request.method, request.headers["Content-Type"]) == ("POST", "application/json")
        assert request.path_qs == "/in?token=hunter2"
    assert {request.headers["webhook-id"] for request in arrived} == {"d1"}
    first, second = (int(request.headers["webhook-timestamp"]) for request in arrived)
    assert 59 <= second - first <= 62


async def test_no_redirect_is_followed() -> None:
    """X7: messages go to the address that the owner wrote, and nowhere else."""
    visited: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        visited.append(request.path)
        return web.Response(status=308, headers={"Location": "/elsewhere"})

    async with served(answer) as url, opened(f"{url}/in") as channel:
        assert isinstance(await channel.send(MESSAGE), Rejected)
    assert visited == ["/in"]


async def test_cookies_are_not_kept() -> None:
    seen: list[object] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Cookie"))
        return web.Response(headers={"Set-Cookie": "session=1"})

    async with served(answer) as url, opened(url) as channel:
        for _ in range(2):
            assert await channel.send(MESSAGE) == Sent()
    assert seen == [None, None]


async def test_one_connection_serves_many_messages() -> None:
    """A small answer is over at once, so nothing has to be read and nothing reconnected."""
    peers: set[object] = set()

    async def answer(request: web.Request) -> web.Response:
        assert request.transport is not None
        peers.add(request.transport.get_extra_info("peername"))
        return web.Response(text="ok")

    async with served(answer) as url, opened(url) as channel:
        for _ in range(5):
            assert await channel.send(MESSAGE) == Sent()
    assert len(peers) == 1


async def test_an_answer_that_was_packed_is_not_unpacked() -> None:
    """R6: rubbish that claims to be compressed does not matter either."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=b"no deflate at all", headers={"Content-Encoding": "deflate"})

    async with served(answer) as url, opened(url) as channel:
        assert await channel.send(MESSAGE) == Sent()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/in?token=hunter2", "http://u:hunter2@127.0.0.1:1/in"])
async def test_reasons_name_the_fault_and_never_the_address(url: str) -> None:
    """X5: reasons stand in lists of deliveries; the URL may carry a token."""
    async with opened(url) as channel:
        outcome = await channel.send(MESSAGE)
    assert isinstance(outcome, Retryable)
    assert outcome.reason.startswith("the callback")
    assert "hunter2" not in outcome.reason


async def test_speaking_plainly_to_a_secure_address_is_an_outcome() -> None:
    async def answer(request: web.Request) -> web.Response:
        raise AssertionError(json.dumps(request.path))

    async with served(answer) as url, opened(url.replace("http", "https")) as channel:
        outcome = await channel.send(MESSAGE)
    assert isinstance(outcome, Retryable)


async def test_a_callers_cancellation_is_passed_on() -> None:
    """R7: delivery that is stopped does not hang in a call."""
    arrived = asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        arrived.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with served(answer) as url, opened(url) as channel:
        sending = asyncio.create_task(channel.send(MESSAGE))
        await arrived.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
