"""`teambridge init`: asks a few questions and writes config.toml."""

import base64
import json
import re
import secrets
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from bridge.cli.draft import Answers, draft
from bridge.cli.errors import CommandError
from bridge.cli.feishu_app import make_app
from bridge.cli.questions import FEISHU_REFERENCE, ask
from bridge.config import ConfigError, load_config
from bridge.config.file import DEFAULT_FILE
from bridge.config.presets import PRESETS
from bridge.notices import Locale
from channels.slack.manifest import manifest

KEY_REFERENCE: Final = "${MODEL_API_KEY}"
TOKEN_REFERENCE: Final = "${TELEGRAM_TOKEN}"  # noqa: S105 - the name of a variable
SLACK_BOT_REFERENCE: Final = "${SLACK_BOT_TOKEN}"
SLACK_APP_REFERENCE: Final = "${SLACK_APP_TOKEN}"
MANIFEST: Final = "slack-manifest.json"
Platform = Literal["webhook", "telegram", "slack", "feishu"]
Provider = Literal["openai", "anthropic", "scripted"]
Team = Literal["studio", "support"]
_REFERENCE = re.compile(r"\$\{(\w+)\}")


def init(
    platform: Annotated[Platform | None, typer.Option(help="Where people write; with it nothing is asked.")] = None,
    agent_preset: Annotated[Team, typer.Option(help="The team to begin with.")] = "studio",
    locale: Annotated[Locale, typer.Option(help="The language of what the bridge itself says.")] = "zh-CN",
    provider: Annotated[Provider, typer.Option(help="openai: every compatible endpoint.")] = "openai",
    model: Annotated[str, typer.Option(help="The name the provider gives the model.")] = "",
    base_url: Annotated[str, typer.Option(help="The endpoint; empty: the provider's own.")] = "",
    api_key: Annotated[str, typer.Option(help="The key, or a reference to a variable.")] = KEY_REFERENCE,
    secret: Annotated[str, typer.Option(help="The webhook's whsec_… secret; empty: a new one.")] = "",
    callback_url: Annotated[str, typer.Option(help="Where answers are posted; empty: they are fetched.")] = "",
    token: Annotated[str, typer.Option(help="The Telegram bot's token, or a reference.")] = TOKEN_REFERENCE,
    bot_token: Annotated[str, typer.Option(help="The Slack app's bot token, or a reference.")] = SLACK_BOT_REFERENCE,
    app_token: Annotated[str, typer.Option(help="The Slack app's app token, or a reference.")] = SLACK_APP_REFERENCE,
    app_id: Annotated[str, typer.Option(help="The Feishu app's id; empty: make an app by scanning a code.")] = "",
    app_secret: Annotated[str, typer.Option(help="The Feishu app's secret, or a reference.")] = FEISHU_REFERENCE,
    domain: Annotated[str, typer.Option(help="feishu, lark, or the address of a private deployment.")] = "feishu",
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="The file to write.")] = Path(DEFAULT_FILE),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write a first config.toml: asks a few questions, or none with --platform and the other flags."""
    if output.exists() and not force:
        raise CommandError(f"{output} exists already; --force overwrites it")
    answers = Answers(
        locale=locale,
        platform=platform or "webhook",
        preset=PRESETS[agent_preset][locale],
        provider=provider,
        model=model,
        base_url=base_url,
        api_key=api_key,
        secret=secret or new_secret(),
        callback_url=callback_url,
        token=token,
        bot_token=bot_token,
        app_token=app_token,
        app_id=app_id,
        app_secret=app_secret,
        domain=domain,
    )
    if platform is None:
        answers = ask(answers)
    if answers.platform == "feishu" and not answers.app_id:
        answers = make_app(answers)
    text = draft(answers)
    _write(output, text, answers)
    if answers.platform == "slack":
        _write_manifest(output.with_name(MANIFEST), answers)
    typer.echo(f"Wrote {output}. Next: teambridge check, then teambridge serve.")
    for name in dict.fromkeys(_REFERENCE.findall(text)):
        typer.echo(f"Read from the environment, so set it before: export {name}=…")


def new_secret() -> str:
    """A webhook secret of 32 random bytes."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


def _write(path: Path, text: str, answers: Answers) -> None:
    """Appears complete, checked and for this account only, or not at all."""
    written = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        written.touch(mode=0o600, exist_ok=False)
        written.write_text(text, encoding="utf-8")
        load_config(written, _placeholders(answers))
        written.replace(path)
    except ConfigError as wrong:
        raise CommandError(str(wrong).replace(str(written), str(path))) from None
    except OSError as fault:
        raise CommandError(f"{path}: cannot be written: {fault.strerror}") from None
    finally:
        written.unlink(missing_ok=True)


def _write_manifest(path: Path, answers: Answers) -> None:
    """The app as Slack makes it from a file; it holds no secret."""
    preset = answers.preset
    app = manifest(name=preset.name, description=preset.description)
    try:
        path.write_text(json.dumps(app, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as fault:
        raise CommandError(f"{path}: cannot be written: {fault.strerror}") from None
    typer.echo(
        f"Wrote {path}. At https://api.slack.com/apps: Create New App, From a manifest, paste it, install the app."
    )
    typer.echo("Then copy its Bot User OAuth Token (OAuth & Permissions), and make an App-Level Token with")
    typer.echo("connections:write (Basic Information).")


def _placeholders(answers: Answers) -> dict[str, str]:
    """An environment in which every variable is set to something of the right kind: whether it is, `check` tells."""
    kinds = {
        answers.api_key: "set-later",
        answers.token: "0:set-later",
        answers.secret: new_secret(),
        answers.bot_token: "xoxb-set-later",
        answers.app_token: "xapp-set-later",
        answers.app_secret: "set-later",
    }
    return {name: value for given, value in kinds.items() for name in _REFERENCE.findall(given)}


def register(application: typer.Typer) -> None:
    application.command()(init)
