"""The questions of `init`, each with a default."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

import typer

from bridge.cli.draft import Answers
from bridge.cli.errors import CommandError
from bridge.config.presets import PRESETS

PLATFORMS: Final = ("webhook", "telegram", "slack", "feishu")
_LOCALES: Final = ("zh-CN", "en")
_PROVIDERS: Final = ("openai", "anthropic", "scripted")


def ask(start: Answers) -> Answers:
    """Ask for everything, beginning from what is known. Raises CommandError without a terminal."""
    if not sys.stdin.isatty():
        raise CommandError("init asks questions and needs a terminal; without one use --platform and the other flags")
    locale = choose("Language of what the bridge says", _LOCALES, start.locale)
    platform = choose("Platform", PLATFORMS, start.platform)
    preset = PRESETS[choose("Team", PRESETS, "studio")]["en" if locale == "en" else "zh-CN"]
    asked = replace(start, locale=locale, platform=platform, preset=preset)
    return _ask_model(_CREDENTIALS.get(platform, _ask_webhook)(asked))


def _ask_webhook(start: Answers) -> Answers:
    question = "Callback URL for answers (empty: they are fetched)"
    return replace(start, callback_url=_text(question, start.callback_url))


def _ask_telegram(start: Answers) -> Answers:
    question = "Token of the bot from @BotFather (${NAME}: read from the environment)"
    return replace(start, token=_text(question, start.token))


def _ask_slack(start: Answers) -> Answers:
    """Both come with the app that the manifest makes; until then the references will do."""
    bot = "Bot User OAuth Token (xoxb-…; ${NAME}: read from the environment)"
    app = "App-Level Token for Socket Mode (xapp-…; ${NAME}: read from the environment)"
    return replace(start, bot_token=_text(bot, start.bot_token), app_token=_text(app, start.app_token))


def _ask_feishu(start: Answers) -> Answers:
    """Without an App ID, an app is made afterwards by scanning a code."""
    domain = _text("feishu, lark, or the address of a private deployment", start.domain)
    app_id = _text("App ID (empty: make an app by scanning a code)", start.app_id)
    secret = _text("App Secret (${NAME}: read from the environment)", FEISHU_REFERENCE) if app_id else ""
    return replace(start, domain=domain, app_id=app_id, app_secret=secret)


FEISHU_REFERENCE: Final = "${FEISHU_APP_SECRET}"
_CREDENTIALS: Final[Mapping[str, Callable[[Answers], Answers]]] = {
    "telegram": _ask_telegram,
    "slack": _ask_slack,
    "feishu": _ask_feishu,
}


def _ask_model(start: Answers) -> Answers:
    provider = choose("Model provider (openai: every compatible endpoint)", _PROVIDERS, start.provider)
    if provider == "scripted":
        return replace(start, provider=provider)
    return replace(
        start,
        provider=provider,
        model=typer.prompt("Model, as the provider names it", default=start.model or None),
        base_url=_text("Base URL (empty: the provider's own)", start.base_url),
        api_key=typer.prompt("API key (${NAME}: read from the environment)", default=start.api_key),
    )


def choose(question: str, choices: Iterable[str], default: str) -> str:
    """One of the choices; asked again until it is one."""
    known = list(choices)
    while True:
        answer = str(typer.prompt(f"{question} [{', '.join(known)}]", default=default)).strip()
        if answer in known:
            return answer
        typer.echo(f"Please answer {', '.join(known[:-1])} or {known[-1]}.")


def _text(question: str, default: str) -> str:
    return str(typer.prompt(question, default=default, show_default=bool(default))).strip()
