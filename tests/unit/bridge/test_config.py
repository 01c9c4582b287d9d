"""What a good config.toml gives."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from bridge.config import (
    AgentConfig,
    FeishuChannel,
    SlackChannel,
    TeamConfig,
    TelegramChannel,
    WebhookChannel,
    find_config,
    load_config,
)
from bridge.config.rules import warnings_of

Write = Callable[..., Path]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwaaaa=="

TEAM = """
[models.main]
provider = "openai"
model = "m"
[[agents]]
id = "a"
[[agents]]
id = "b"
[[teams]]
id = "t"
members = ["a", "b"]
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a config file into an empty folder and gives its path."""

    def into(text: str, name: str = "config.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return into


def test_an_empty_file_means_the_defaults(write: Write, tmp_path: Path) -> None:
    config = load_config(write(""))
    assert (config.locale, config.default_model, config.small_model) == ("zh-CN", "", "")
    assert (config.server.host, config.server.port, config.server.public_url) == ("127.0.0.1", 8765, "")
    assert (config.store.engine, config.database_url) == ("embedded", f"sqlite:///{tmp_path}/data/teambridge.db")
    assert (config.agents, config.teams, config.channels, config.models, config.mcp) == ((), (), (), {}, {})


def test_agents_and_teams_have_the_defaults_of_the_contract(write: Write) -> None:
    config = load_config(write(TEAM))
    assert config.agents[0] == AgentConfig(
        id="a",
        name="a",
        description="",
        model="",
        instructions="",
        icon="",
        visibility="private",
        enabled=True,
        client_visible=True,
        cooperation=True,
        tools=(),
    )
    assert config.teams[0] == TeamConfig(
        id="t",
        name="t",
        members=("a", "b"),
        wake="wave",
        wave_timeout=120,
        member_timeout=900,
        guidelines="",
        welcome="",
        icon="",
    )


def test_the_first_model_is_the_default_one(write: Write) -> None:
    config = load_config(write('[models.z]\nprovider = "scripted"\n[models.a]\nprovider = "scripted"\n'))
    assert (config.default_model, config.small_model) == ("z", "z")
    config = load_config(write('default_model = "a"\n[models.z]\nprovider="scripted"\n[models.a]\nprovider="scripted"'))
    assert (config.default_model, config.small_model) == ("a", "a")


def test_every_platform_parses(write: Write) -> None:
    text = f"""{TEAM}
[[channels]]
id = "hook"
platform = "webhook"
agent = "t"
secret = "{SECRET}"
callback_url = "http://127.0.0.1:9/callback"
[[channels]]
id = "tg"
platform = "telegram"
agent = "t"
token = "1:x"
[[channels]]
id = "sl"
platform = "slack"
agent = "a"
bot_token = "xoxb-1"
app_token = "xapp-1"
[[channels]]
id = "fs"
platform = "feishu"
agent = "a"
app_id = "cli_1"
app_secret = "s"
domain = "http://127.0.0.1:9"
"""
    hook, telegram, slack, feishu = load_config(write(text)).channels
    assert isinstance(hook, WebhookChannel)
    assert (hook.access, hook.groups, hook.response_mode, hook.rate_limit) == ("pairing", "mention", "stream", 120)
    assert (hook.allow, hook.admins, hook.allow_chats, hook.live, hook.notices) == ((), (), (), True, True)
    assert isinstance(telegram, TelegramChannel)
    assert (telegram.mode, telegram.base_url) == ("polling", "https://api.telegram.org")
    assert isinstance(slack, SlackChannel)
    assert slack.base_url == "https://slack.com/api/"
    assert isinstance(feishu, FeishuChannel)
    assert (feishu.mode, feishu.domain) == ("socket", "http://127.0.0.1:9")


def test_platform_ids_may_be_numbers(write: Write) -> None:
    text = f"""{TEAM}
[[channels]]
id = "hook"
platform = "webhook"
agent = "t"
secret = "{SECRET}"
allow = [1, "u2"]
admins = [3]
allow_chats = [-100123, "*"]
"""
    channel = load_config(write(text)).channels[0]
    assert (channel.allow, channel.admins, channel.allow_chats) == (("1", "u2"), ("3",), ("-100123", "*"))


def test_values_come_from_the_environment(write: Write) -> None:
    path = write('[server]\nport = "${PORT}"\nadmin_token = "t-${A}${B}"\npublic_url = "https://x/$${A}"\n')
    server = load_config(path, {"PORT": "9000", "A": "x", "B": "y"}).server
    assert (server.port, server.admin_token.get_secret_value()) == (9000, "t-xy")
    assert server.public_url == "https://x/${A}"


def test_instructions_may_stand_in_a_file_beside_it(write: Write) -> None:
    write("Find out.\n", "a.md")
    path = write('[models.m]\nprovider = "scripted"\n[[agents]]\nid = "a"\ninstructions_file = "a.md"\n')
    assert load_config(path).agents[0].instructions == "Find out.\n"


def test_data_dir_is_relative_to_the_file(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write('data_dir = "../d"\n')
    monkeypatch.chdir(tmp_path)
    path = Path("config.toml")
    assert load_config(path).data_dir == tmp_path.parent / "d"


def test_secrets_do_not_show(write: Write) -> None:
    config = load_config(write('[server]\nadmin_token = "hush-hush"\n[store]\nurl = "postgresql://u:hush@h/d"\n'))
    assert "hush" not in repr(config)
    assert config.database_url == "postgresql://u:hush@h/d"


def test_nothing_changes_after_loading(write: Write) -> None:
    config = load_config(write(""))
    with pytest.raises(ValidationError):
        config.locale = "en"  # type: ignore[misc]


def test_a_team_on_final_is_a_warning(write: Write) -> None:
    text = f'{TEAM}[[channels]]\nid = "hook"\nplatform = "webhook"\nagent = "t"\nsecret = "{SECRET}"\n'
    assert list(warnings_of(load_config(write(text)))) == []
    [warning] = warnings_of(load_config(write(f'{text}response_mode = "final"\n')))
    assert warning.path == ("channels", 0, "response_mode")


def test_which_file_is_loaded(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_config(environment={}) is None
    write("")
    assert find_config(environment={}) == Path("config.toml")
    assert find_config(environment={"TEAMBRIDGE_CONFIG": "other.toml"}) == Path("other.toml")
    assert find_config(Path("given.toml"), {"TEAMBRIDGE_CONFIG": "other.toml"}) == Path("given.toml")
