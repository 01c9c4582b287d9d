"""A first config.toml as text. Pure: the answers in, the file out."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from bridge.config.presets import Preset

Value = str | list[str]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What `init` asks. Secrets may be references such as "${MODEL_API_KEY}"."""

    locale: str
    platform: str
    preset: Preset
    provider: str
    model: str
    base_url: str
    api_key: str
    secret: str
    callback_url: str
    token: str
    bot_token: str
    app_token: str
    app_id: str = ""
    app_secret: str = ""
    domain: str = "feishu"
    admins: tuple[str, ...] = ()


def draft(answers: Answers) -> str:
    """The file. Only what differs from the defaults is in it."""
    return "\n".join(_lines(answers)) + "\n"


def _lines(answers: Answers) -> Iterator[str]:
    yield "# Made by `teambridge init`. All keys: config.example.toml."
    yield from _pairs({"locale": answers.locale})
    yield from _table("[models.main]", _model(answers))
    for expert in answers.preset.experts:
        yield from _table("[[agents]]", asdict(expert))
    yield from _table("[[teams]]", _team(answers.preset))
    yield from _table("[[channels]]", _channel(answers))


def _model(answers: Answers) -> Mapping[str, Value]:
    if answers.provider == "scripted":
        return {"provider": answers.provider}
    model = {"model": answers.model, "base_url": answers.base_url, "api_key": answers.api_key}
    return {"provider": answers.provider, **model}


def _team(preset: Preset) -> Mapping[str, Value]:
    members = [expert.id for expert in preset.experts]
    return {"id": preset.id, "name": preset.name, "description": preset.description, "members": members}


def _channel(answers: Answers) -> Mapping[str, Value]:
    if answers.platform == "telegram":
        return {"id": "telegram", "platform": "telegram", "agent": answers.preset.id, "token": answers.token}
    if answers.platform == "slack":
        tokens = {"bot_token": answers.bot_token, "app_token": answers.app_token}
        return {"id": "slack", "platform": "slack", "agent": answers.preset.id, **tokens}
    if answers.platform == "feishu":
        return {"id": "feishu", "platform": "feishu", "agent": answers.preset.id, **_feishu(answers)}
    hook = {"secret": answers.secret, "callback_url": answers.callback_url}
    return {"id": "hook", "platform": "webhook", "agent": answers.preset.id, **hook}


def _feishu(answers: Answers) -> Mapping[str, Value]:
    """Whoever made the app is its admin; the usual brand is not written down."""
    app: dict[str, Value] = {"app_id": answers.app_id, "app_secret": answers.app_secret}
    brand: dict[str, Value] = {"domain": answers.domain} if answers.domain != "feishu" else {}
    admins: dict[str, Value] = {"admins": list(answers.admins)} if answers.admins else {}
    return app | brand | admins


def _table(head: str, values: Mapping[str, Value]) -> Iterator[str]:
    yield ""
    yield head
    yield from _pairs(values)


def _pairs(values: Mapping[str, Value]) -> Iterator[str]:
    """JSON's texts and lists are TOML's, too; empty values are the defaults."""
    for key, value in values.items():
        if value != "":
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
