"""`teambridge check`: what it asks, and what it says to do."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, ClientTimeout, web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from bridge.cli.probe_channels import inspect_channel, probe_channel
from bridge.cli.probe_models import probe_model
from bridge.cli.program import run
from bridge.config import ModelConfig, TelegramChannel, WebhookChannel

Endpoint = Callable[[web.Request], Awaitable[web.StreamResponse]]
Listening = Callable[[Endpoint], Awaitable[str]]
STRONG = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwaaaa+baaaaaaaa"


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession(timeout=ClientTimeout(total=5)) as opened:
        yield opened


@pytest.fixture
async def listening() -> AsyncIterator[Listening]:
    """Starts a server that answers everything with the endpoint; its URL."""
    servers: list[TestServer] = []

    async def start(endpoint: Endpoint) -> str:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", endpoint)
        server = TestServer(app)
        await server.start_server()
        servers.append(server)
        return str(server.make_url("/v1"))

    yield start
    for server in servers:
        await server.close()


def _model(base_url: str, provider: Any = "openai") -> ModelConfig:
    return ModelConfig(provider=provider, model="m1", base_url=base_url, api_key=SecretStr("k1"))


def _hook(callback_url: str = "", secret: str = STRONG) -> WebhookChannel:
    return WebhookChannel(id="hook", agent="t", platform="webhook", secret=SecretStr(secret), callback_url=callback_url)


async def test_a_listed_model_costs_nothing(session: ClientSession, listening: Listening) -> None:
    asked = []

    async def endpoint(request: web.Request) -> web.Response:
        asked.append((request.method, request.path, request.headers["Authorization"]))
        return web.json_response({"data": [{"id": "m1"}]})

    found = await probe_model(session, "models.main", _model(await listening(endpoint)))
    assert found.status == "ok"
    assert asked == [("GET", "/v1/models", "Bearer k1")]


async def test_an_unlisted_model_is_asked_for_one_token(session: ClientSession, listening: Listening) -> None:
    asked = []

    async def endpoint(request: web.Request) -> web.Response:
        if request.method == "GET":
            return web.json_response({"data": []})
        asked.append((request.path, await request.json()))
        return web.json_response({"choices": []})

    found = await probe_model(session, "models.main", _model(await listening(endpoint)))
    assert found.status == "ok"
    assert [(path, body["model"], body["max_tokens"]) for path, body in asked] == [("/v1/chat/completions", "m1", 1)]


async def test_anthropic_is_asked_its_own_way(session: ClientSession, listening: Listening) -> None:
    asked = []

    async def endpoint(request: web.Request) -> web.Response:
        asked.append((request.path, request.headers["x-api-key"], (await request.json())["max_tokens"]))
        return web.json_response({})

    url = (await listening(endpoint)).removesuffix("/v1")
    assert (await probe_model(session, "models.main", _model(url, "anthropic"))).status == "ok"
    assert asked == [("/v1/messages", "k1", 1)]


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "refuses the key (401): check api_key"),
        (403, "refuses the key (403): check api_key"),
        (404, "knows no model m1 (404): check model and base_url"),
        (429, "has no quota left for this key (429): check the account"),
        (500, "answered 500: oh no; check model and base_url"),
    ],
)
async def test_a_model_that_refuses_says_what_to_do(
    session: ClientSession, listening: Listening, status: int, advice: str
) -> None:
    async def endpoint(_: web.Request) -> web.Response:
        return web.Response(status=status, text="oh\nno")

    url = await listening(endpoint)
    found = await probe_model(session, "models.main", _model(url))
    assert (found.status, found.words) == ("failed", f"{url} {advice}")
    assert "k1" not in found.words


async def test_an_unreachable_model_says_what_to_do(session: ClientSession) -> None:
    found = await probe_model(session, "models.main", _model("http://127.0.0.1:1"))
    assert found.words == "http://127.0.0.1:1 cannot be reached (connection refused): check base_url and the network"


async def test_the_demo_model_is_honest(session: ClientSession) -> None:
    found = await probe_model(session, "models.demo", ModelConfig(provider="scripted"))
    assert (found.status, "made up" in found.words) == ("ok", True)


async def test_any_answer_of_a_callback_will_do(session: ClientSession, listening: Listening) -> None:
    async def endpoint(_: web.Request) -> web.Response:
        return web.Response(status=405)

    [found] = await probe_channel(session, "channels[0]", _hook(await listening(endpoint)))
    assert found.status == "ok"
    [found] = await probe_channel(session, "channels[0]", _hook("http://127.0.0.1:1/x"))
    assert found.words.startswith("http://127.0.0.1:1/x cannot be reached (connection refused): start the receiver")


async def test_no_callback_means_fetching(session: ClientSession) -> None:
    [found] = await probe_channel(session, "channels[0]", _hook())
    assert found.words == "is empty: messages wait for GET /hooks/hook/messages"


def test_a_weak_secret_is_a_warning() -> None:
    assert [found.status for found in inspect_channel("channels[0]", _hook())] == ["ok"]
    [found] = inspect_channel("channels[0]", _hook(secret="whsec_AAAA"))
    assert (found.status, found.place) == ("warning", "channels[0].secret")


def _telegram(base_url: str, groups: Any = "mention") -> TelegramChannel:
    token = SecretStr("1:x")
    return TelegramChannel(id="tg", agent="t", platform="telegram", token=token, base_url=base_url, groups=groups)


@pytest.mark.parametrize(
    ("status", "place"), [(401, "channels[0].token"), (404, "channels[0].token"), (502, "channels[0]")]
)
async def test_a_telegram_bot_that_is_refused(
    session: ClientSession, listening: Listening, status: int, place: str
) -> None:
    async def endpoint(_: web.Request) -> web.Response:
        return web.json_response({"ok": False}, status=status)

    [found] = await probe_channel(session, "channels[0]", _telegram(await listening(endpoint)))
    assert (found.status, found.place) == ("failed", place)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://127.0.0.1:99999"])
async def test_the_token_is_never_shown(session: ClientSession, url: str) -> None:
    """X5: the URL of a request holds it."""
    channel = _telegram("http://127.0.0.1:1").model_copy(update={"token": SecretStr("1:hush"), "base_url": url})
    [found] = await probe_channel(session, "channels[0]", channel)
    assert found.status == "failed"
    assert "hush" not in found.words


def test_the_demo_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["check"]) == 0
    said = capsys.readouterr().out
    assert "built-in demo" in said
    assert "models.demo" in said


def test_offline_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.toml").write_text(
        '[models.m]\nprovider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:1"\n', encoding="utf-8"
    )
    assert run(["check", "--offline"]) == 0
    assert "models.m" not in capsys.readouterr().out
    assert not Path("data").exists()
    assert run(["check"]) == 1
    assert "connection refused" in capsys.readouterr().out
