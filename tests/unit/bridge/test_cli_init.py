"""`teambridge init`: a first config.toml."""

import io
import json
import stat
import tomllib
from pathlib import Path

import pytest

from bridge.cli.program import run
from bridge.config import load_config

FLAGS = ("init", "--platform", "webhook", "--model", "m")


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MODEL_API_KEY", raising=False)


class Terminal(io.StringIO):
    """Somebody who types these lines."""

    def isatty(self) -> bool:
        return True


def test_flags_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*FLAGS, "--base-url", "http://127.0.0.1:1/v1", "--callback-url", "http://127.0.0.1:2/x"]) == 0
    path = Path("config.toml")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    config = load_config(path, {"MODEL_API_KEY": "k"})
    assert (config.models["main"].model, config.models["main"].api_key.get_secret_value()) == ("m", "k")
    assert (config.teams[0].id, len(config.agents), config.channels[0].id) == ("studio", 3, "hook")
    assert "export MODEL_API_KEY=" in capsys.readouterr().out


@pytest.mark.parametrize("locale", ["zh-CN", "en"])
@pytest.mark.parametrize("preset", ["studio", "support"])
def test_every_preset_is_valid(preset: str, locale: str) -> None:
    assert run([*FLAGS, "--agent-preset", preset, "--locale", locale]) == 0
    assert load_config(Path("config.toml"), {"MODEL_API_KEY": "k"}).teams[0].id == preset


def test_it_never_overwrites_without_force(capsys: pytest.CaptureFixture[str]) -> None:
    Path("config.toml").write_text("mine")
    assert run(FLAGS) == 2
    assert capsys.readouterr().err == "config.toml exists already; --force overwrites it\n"
    assert Path("config.toml").read_text() == "mine"
    assert run([*FLAGS, "--force"]) == 0
    assert stat.S_IMODE(Path("config.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("init", "--platform", "webhook"),
            "config.toml: models.main.model: is missing: the name that openai gives the model",
        ),
        (
            (*FLAGS, "--secret", "x"),
            "config.toml: channels[0].secret: must be whsec_ and the base64 of a random key (for example of 32 bytes)",
        ),
        (
            ("init",),
            "init asks questions and needs a terminal; without one use --platform and the other flags",
        ),
        ((*FLAGS, "--output", "no/such.toml"), "no/such.toml: cannot be written: No such file or directory"),
    ],
)
def test_a_wrong_answer_writes_nothing(
    words: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert run(words) == 2
    assert capsys.readouterr().err == f"{complaint}\n"
    assert list(Path().iterdir()) == []


def test_questions(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["en", "irc", "webhook", "support", "http://127.0.0.1:2/x", "openai", "gpt", "http://127.0.0.1:1/v1", ""]
    monkeypatch.setattr("sys.stdin", Terminal("\n".join([*typed, ""])))
    assert run(["init"]) == 0
    said = tomllib.loads(Path("config.toml").read_text(encoding="utf-8"))
    assert said["locale"] == "en"
    assert said["models"]["main"] == {
        "provider": "openai",
        "model": "gpt",
        "base_url": "http://127.0.0.1:1/v1",
        "api_key": "${MODEL_API_KEY}",
    }
    assert said["channels"][0]["callback_url"] == "http://127.0.0.1:2/x"
    assert said["teams"][0]["id"] == "support"
    assert "Please answer webhook, telegram" in capsys.readouterr().out


def test_a_telegram_bot(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("\ntelegram\n\n\nscripted\n"))
    assert run(["init"]) == 0
    [channel] = load_config(Path("config.toml"), {"TELEGRAM_TOKEN": "1:x"}).channels
    assert (channel.id, channel.platform, channel.agent) == ("telegram", "telegram", "studio")
    assert "export TELEGRAM_TOKEN=" in capsys.readouterr().out


def test_a_slack_app_and_its_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 4, 6: the manifest that makes the app stands beside the file; the tokens come from the environment."""
    assert run(["init", "--platform", "slack", "--provider", "scripted", "--locale", "en"]) == 0
    names = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
    [channel] = load_config(Path("config.toml"), names).channels
    assert (channel.id, channel.platform, channel.agent) == ("slack", "slack", "studio")
    app = json.loads(Path("slack-manifest.json").read_text(encoding="utf-8"))
    assert app["settings"]["socket_mode_enabled"] is True
    assert "chat:write.customize" in app["oauth_config"]["scopes"]["bot"]
    assert "agent_session_stopped" in app["settings"]["event_subscriptions"]["bot_events"]
    assert app["features"]["slash_commands"][0]["command"] == "/team"
    said = capsys.readouterr().out
    assert "slack-manifest.json" in said
    assert "export SLACK_BOT_TOKEN=" in said


def test_slack_by_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("\nslack\n\nxoxb-typed\nxapp-typed\nscripted\n"))
    assert run(["init"]) == 0
    said = tomllib.loads(Path("config.toml").read_text(encoding="utf-8"))["channels"][0]
    assert (said["bot_token"], said["app_token"]) == ("xoxb-typed", "xapp-typed")


def test_a_secret_may_be_a_reference() -> None:
    assert run([*FLAGS, "--secret", "${HOOK_SECRET}"]) == 0
    assert 'secret = "${HOOK_SECRET}"' in Path("config.toml").read_text(encoding="utf-8")


def test_the_demo_model_needs_no_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("\n\n\n\nscripted\n"))
    assert run(["init"]) == 0
    assert load_config(Path("config.toml"), {}).models["main"].provider == "scripted"
