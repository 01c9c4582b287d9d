"""Anthropic's models."""

from anthropic import AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from host.model import Model
from host.models.adapted import AdaptedModel
from host.models.connection import http_client
from host.models.spec import ModelSpec

ANTHROPIC = "https://api.anthropic.com"


def load(spec: ModelSpec) -> Model:
    """A model of its own connections. Retries are the loop's: the SDK makes none."""
    client = AsyncAnthropic(
        api_key=spec.api_key,
        base_url=spec.base_url or ANTHROPIC,
        max_retries=0,
        timeout=(http := http_client(spec)).timeout,
        http_client=http,
    )
    model = AnthropicModel(spec.model, provider=AnthropicProvider(anthropic_client=client))
    return AdaptedModel(model, key=spec.api_key, close=client.close)
