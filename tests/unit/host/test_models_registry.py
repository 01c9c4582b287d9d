"""The registry: built from plain values, imports nothing before it must."""

import asyncio
import subprocess
import sys

import pytest
from pydantic_ai.models.anthropic import AnthropicModel
from structlog.testing import capture_logs

from host.errors import UnknownModel
from host.models.adapted import AdaptedModel
from host.models.openai.model import ChatModel
from host.models.registry import Models
from host.models.spec import ModelSpec

OPENAI = ModelSpec(name="main", provider="openai", model="m1", base_url="http://127.0.0.1:9/v1", api_key="sk-secret")
DEMO = ModelSpec(name="demo", provider="scripted")


def modules_after(code: str) -> set[str]:
    """The modules of a fresh interpreter that has run this."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_agent_module_and_the_registry_import_no_model_library() -> None:
    """Architecture 8, issue 2: nothing unconfigured is imported."""
    loaded = modules_after("import host.agent, host.messages, host.models.registry")
    assert loaded.isdisjoint({"pydantic_ai", "openai", "anthropic", "httpx2"})


@pytest.mark.parametrize(
    ("spec", "unwanted"),
    [
        ("ModelSpec(name='m', provider='scripted')", {"pydantic_ai", "openai", "anthropic"}),
        (
            "ModelSpec(name='m', provider='openai', model='x', base_url='http://127.0.0.1:9/v1')",
            {"pydantic_ai", "openai", "anthropic", "httpx2"},
        ),
        ("ModelSpec(name='m', provider='anthropic', model='x', api_key='k')", {"openai"}),
    ],
)
def test_a_provider_is_imported_only_when_it_is_configured(spec: str, unwanted: set[str]) -> None:
    loaded = modules_after(
        "from host.models.registry import Models\nfrom host.models.spec import ModelSpec\n"
        f"import asyncio\nasyncio.run(Models([{spec}]).warm())"
    )
    assert loaded.isdisjoint(unwanted)


async def test_a_model_is_built_once_and_found_by_name() -> None:
    models = Models([OPENAI, DEMO])
    assert models.names == ("main", "demo")
    model = await models.load("main")
    assert isinstance(model, ChatModel)
    assert model is models.get("main") is await models.load("main")
    await models.close()


async def test_loading_the_same_model_twice_at_once_builds_it_once() -> None:
    models = Models([OPENAI])
    first, second = await asyncio.gather(models.load("main"), models.load("main"))
    assert first is second
    await models.close()


@pytest.mark.parametrize("spec", [(), (ModelSpec(name="main", provider="telepathy"),)])
async def test_a_model_that_is_not_there(spec: tuple[ModelSpec, ...]) -> None:
    models = Models(spec)
    with pytest.raises(UnknownModel):
        models.get("main")
    with pytest.raises(UnknownModel):
        await models.load("main")


async def test_warming_survives_a_model_that_cannot_be_built() -> None:
    models = Models([ModelSpec(name="bad", provider="telepathy"), DEMO])
    with capture_logs() as logs:
        await models.warm()
        await models.warm()
    assert [each["model"] for each in logs] == ["bad"]
    assert models.get("demo").name == "scripted"


async def test_after_closing_a_new_model_is_made() -> None:
    models = Models([OPENAI])
    old = await models.load("main")
    await models.close()
    assert await models.load("main") is not old
    await models.close()


@pytest.mark.parametrize(
    ("base_url", "service", "url"),
    [
        ("", "openai", "https://api.openai.com/v1/chat/completions"),
        ("https://api.deepseek.com/v1", "deepseek", "https://api.deepseek.com/v1/chat/completions"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "alibaba", None),
        ("https://api.moonshot.cn/v1", "moonshotai", None),
        ("https://openrouter.ai/api/v1/", "openrouter.ai", "https://openrouter.ai/api/v1/chat/completions"),
        ("http://127.0.0.1:11434/v1", "127.0.0.1", "http://127.0.0.1:11434/v1/chat/completions"),
    ],
)
async def test_who_is_behind_an_address(
    base_url: str, service: str, url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty base_url is the vendor's own, whatever the environment says."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.example/v1")
    model = await Models([ModelSpec(name="main", provider="openai", model="m", base_url=base_url)]).load("main")
    assert isinstance(model, ChatModel)
    assert model.service == service
    assert url is None or model.url == url


async def test_anthropic_is_built_from_the_same_values_and_makes_no_retries() -> None:
    spec = ModelSpec(name="claude", provider="anthropic", model="claude-x", api_key="sk-ant", timeout=9)
    models = Models([spec])
    model = await models.load("claude")
    assert (model.name, model.key) == ("claude-x", "sk-ant")
    assert isinstance(model, AdaptedModel)
    borrowed = model.borrowed
    assert isinstance(borrowed, AnthropicModel)
    assert (borrowed.client.max_retries, borrowed.client.timeout.read) == (0, 9)  # type: ignore[union-attr]
    assert str(borrowed.client.base_url).startswith("https://api.anthropic.com")
    await models.close()
    assert borrowed.client.is_closed()


def test_a_spec_never_shows_its_key() -> None:
    """X5."""
    assert "sk-secret" not in repr(OPENAI)
