"""What runs without a file."""

import base64
import stat
from pathlib import Path

import pytest

from bridge.config import ConfigError, WebhookChannel, load_config
from bridge.config.demo import demo_config
from bridge.config.rules import faults_of


def test_the_demo_is_a_team_of_three_behind_a_webhook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = load_config(None)
    assert list(faults_of(config)) == []
    assert config.data_dir == tmp_path / "data"
    assert [model.provider for model in config.models.values()] == ["scripted"]
    assert len(config.teams[0].members) == 3
    [hook] = config.channels
    assert isinstance(hook, WebhookChannel)
    assert (hook.id, hook.agent, hook.access, hook.groups) == ("hook", config.teams[0].id, "open", "all")


def test_its_secret_is_made_once_and_private(tmp_path: Path) -> None:
    first, second = (demo_config(tmp_path / "data").channels[0] for _ in range(2))
    assert isinstance(first, WebhookChannel)
    assert first == second
    file = tmp_path / "data" / "demo-hook.secret"
    assert file.read_text() == f"{first.secret.get_secret_value()}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(base64.b64decode(first.secret.get_secret_value().removeprefix("whsec_"))) == 32
    assert list(file.parent.iterdir()) == [file]


def test_a_damaged_secret_is_told(tmp_path: Path) -> None:
    (tmp_path / "demo-hook.secret").write_text("oops")
    with pytest.raises(ConfigError, match=r"demo-hook\.secret: holds no usable secret; delete it"):
        demo_config(tmp_path)


def test_a_data_dir_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(ConfigError, match=r"data.*: cannot be used: "):
        demo_config(tmp_path / "data")


@pytest.mark.parametrize(
    ("environment", "locale", "name"),
    [
        ({}, "zh-CN", "内容工作室"),
        ({"LANG": "C.UTF-8"}, "zh-CN", "内容工作室"),
        ({"LANG": "zh_TW.UTF-8"}, "zh-CN", "内容工作室"),
        ({"LANG": "en_US.UTF-8"}, "en", "Content studio"),
        ({"LANG": "de_DE"}, "en", "Content studio"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en", "Content studio"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": ""}, "en", "Content studio"),
    ],
)
def test_a_newcomer_is_greeted_in_their_language(
    environment: dict[str, str], locale: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the demo asks the environment: the team, its experts and what the bridge says."""
    monkeypatch.chdir(tmp_path)
    config = load_config(None, environment)
    assert (config.locale, config.teams[0].name) == (locale, name)
    words = [each.instructions for each in config.agents] + [config.teams[0].welcome]
    assert all(word.isascii() for word in words) == (locale == "en")
    (tmp_path / "config.toml").write_text("", encoding="utf-8")
    assert load_config(Path("config.toml"), environment).locale == "zh-CN"
