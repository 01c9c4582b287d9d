"""Whether a model's credentials suffice: asks the endpoint, at the price of one token at most."""

import json
from dataclasses import dataclass
from typing import Final

from aiohttp import ClientError, ClientSession

from bridge.cli.findings import Finding, failed, ok
from bridge.cli.network import reason_of
from bridge.config import ModelConfig

OPENAI: Final = "https://api.openai.com/v1"
ANTHROPIC: Final = "https://api.anthropic.com"
_ANTHROPIC_VERSION: Final = "2023-06-01"
_EXCERPT: Final = 200


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back: `status` 0 means nobody answered, and `text` says why."""

    status: int
    text: str


async def probe_model(session: ClientSession, place: str, model: ModelConfig) -> Finding:
    """One finding. Never raises for what the network or the endpoint does."""
    match model.provider:
        case "scripted":
            return ok(place, "the offline demo model: its answers are made up")
        case "openai":
            return await _probe_openai(session, place, model)
        case "anthropic":
            return await _probe_anthropic(session, place, model)


async def _probe_openai(session: ClientSession, place: str, model: ModelConfig) -> Finding:
    """The list of models is free; endpoints without one, or with other names in it, are asked for one token."""
    base = (model.base_url or OPENAI).rstrip("/")
    headers = {"Authorization": f"Bearer {model.api_key.get_secret_value()}"}
    listed = await _ask(session, "GET", f"{base}/models", headers)
    if listed.status == 0 or listed.status in (401, 403):
        return _verdict(place, base, model, listed)
    if listed.status == 200 and model.model in _ids(listed.text):
        return ok(place, f"{model.model} answers at {base}")
    question = {"model": model.model, "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]}
    return _verdict(place, base, model, await _ask(session, "POST", f"{base}/chat/completions", headers, question))


async def _probe_anthropic(session: ClientSession, place: str, model: ModelConfig) -> Finding:
    base = (model.base_url or ANTHROPIC).rstrip("/")
    headers = {"x-api-key": model.api_key.get_secret_value(), "anthropic-version": _ANTHROPIC_VERSION}
    question = {"model": model.model, "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]}
    return _verdict(place, base, model, await _ask(session, "POST", f"{base}/v1/messages", headers, question))


async def _ask(session: ClientSession, method: str, url: str, headers: dict[str, str], body: object = None) -> Answer:
    try:
        async with session.request(method, url, headers=headers, json=body) as response:
            return Answer(status=response.status, text=await response.text(errors="replace"))
    except (ClientError, OSError, ValueError) as fault:
        return Answer(status=0, text=reason_of(fault))


def _verdict(place: str, base: str, model: ModelConfig, answer: Answer) -> Finding:
    match answer.status:
        case 200:
            return ok(place, f"{model.model} answers at {base}")
        case 0:
            return failed(place, f"{base} cannot be reached ({answer.text}): check base_url and the network")
        case 401 | 403:
            return failed(place, f"{base} refuses the key ({answer.status}): check api_key")
        case 404:
            return failed(place, f"{base} knows no model {model.model} (404): check model and base_url")
        case 402 | 429:
            return failed(place, f"{base} has no quota left for this key ({answer.status}): check the account")
    excerpt = " ".join(answer.text.split())[:_EXCERPT]
    return failed(place, f"{base} answered {answer.status}: {excerpt}; check model and base_url")


def _ids(text: str) -> set[str]:
    """The names in a list of models."""
    try:
        listed = json.loads(text)
        return {str(each["id"]) for each in listed["data"]}
    except (ValueError, KeyError, TypeError):
        return set()
