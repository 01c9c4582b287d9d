"""config.example.toml and the READMEs: what a newcomer copies must work."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from bridge.config import ChannelBase, Config, load_config
from bridge.config.words import PLATFORMS, TABLES

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "config.example.toml"
ENVIRONMENT = {
    "MODEL_API_KEY": "k",
    "HOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwaaaa==",
    "DOCS_TOKEN": "d",
    "TELEGRAM_TOKEN": "1:x",
    "SLACK_BOT_TOKEN": "xoxb",
    "SLACK_APP_TOKEN": "xapp",
    "FEISHU_APP_SECRET": "f",
}


def _with_comments(tmp_path: Path) -> Path:
    """The example with the platforms of later releases."""
    text = EXAMPLE.read_text(encoding="utf-8")
    path = tmp_path / "config.toml"
    path.write_text(re.sub(r"^# (?=\[\[|\w+ = )", "", text, flags=re.MULTILINE), encoding="utf-8")
    return path


def _unset(kind: str, table: BaseModel) -> Iterator[str]:
    yield from (f"{kind}.{name}" for name in type(table).model_fields if name not in table.model_fields_set)


def test_the_example_loads() -> None:
    config = load_config(EXAMPLE, ENVIRONMENT)
    assert [team.id for team in config.teams] == ["studio"]


def test_the_commented_platforms_load(tmp_path: Path) -> None:
    channels = load_config(_with_comments(tmp_path), ENVIRONMENT).channels
    assert {channel.platform for channel in channels} == set(PLATFORMS)


def test_every_key_is_in_the_example(tmp_path: Path) -> None:
    config = load_config(_with_comments(tmp_path), ENVIRONMENT)
    tables = {
        "models": config.models.values(),
        "agents": config.agents,
        "mcp": config.mcp.values(),
        "teams": config.teams,
        "server": [config.server],
        "store": [config.store],
    }
    assert set(tables) == set(TABLES)
    missing = set(_unset("top", config))
    for kind, rows in tables.items():
        missing |= set.intersection(*(set(_unset(kind, row)) for row in rows))
    base = set(_unset("channels", config.channels[0]))
    own = {f"{c.platform}.{key}" for c in config.channels for key in _own_keys(c) if key not in c.model_fields_set}
    assert missing | base | own == set()


def _own_keys(channel: BaseModel) -> set[str]:
    return set(type(channel).model_fields) - set(ChannelBase.model_fields)


def test_defaults_in_the_example_are_the_defaults() -> None:
    config = load_config(EXAMPLE, ENVIRONMENT)
    for table, required in (
        (config.server, {}),
        (config.store, {}),
        (config.teams[0], {"id": "t", "members": ("a", "b")}),
        (config.channels[0], {"id": "h", "platform": "webhook", "agent": "t", "secret": ENVIRONMENT["HOOK_SECRET"]}),
    ):
        _same_defaults(table, required)


def _same_defaults(table: BaseModel, required: dict[str, Any]) -> None:
    usual = type(table).model_validate(required)
    own = {"name", "description", "model", *required}
    keys = [key for key in type(table).model_fields if key not in own]
    assert [getattr(table, key) for key in keys] == [getattr(usual, key) for key in keys]


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_configuration_in_the_readme_loads(name: str, tmp_path: Path) -> None:
    [block] = re.findall(r"```toml\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    path = tmp_path / "config.toml"
    path.write_text(block, encoding="utf-8")
    config: Config = load_config(path, ENVIRONMENT)
    assert (len(config.agents), config.teams[0].id, config.channels[0].id) == (2, "studio", "hook")
