"""From a channel's configuration to the channel: each platform is given its own small value."""

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from typing import Final

from bridge.commands.rights import RIGHTS, Right
from bridge.config import ChannelConfig, FeishuChannel, SlackChannel, TelegramChannel, WebhookChannel
from bridge.notices import CATALOGUE, Locale, Notices
from channels.base import Channel
from channels.feishu.settings import FeishuSettings
from channels.feishu.wording import Wording as FeishuWording
from channels.registry import Settings as ChannelSettings
from channels.registry import open_channel
from channels.slack.settings import SlackSettings
from channels.slack.words import Home
from channels.slack.words import Words as SlackWords
from channels.telegram.settings import MenuEntry, TelegramSettings
from channels.webhook.settings import WebhookSettings

_NO_HOME: Final = Home()


def make_channel(
    config: ChannelConfig,
    now: Callable[[], datetime],
    public_url: str,
    locale: Locale = "zh-CN",
    home: Home = _NO_HOME,
    *,
    own_url: str = "",
) -> Channel:
    """The channel, not started. `own_url` is where the program listens, if nothing public leads there.

    Raises NotConfigured.
    """
    settings = channel_settings(config, public_url, locale, home, own_url=own_url)
    return open_channel(settings, now=now)


def channel_settings(
    config: ChannelConfig,
    public_url: str,
    locale: Locale = "zh-CN",
    home: Home = _NO_HOME,
    *,
    own_url: str = "",
) -> ChannelSettings:
    """What the platform is given. Raises NotConfigured."""
    match config:
        case WebhookChannel():
            secret = config.secret.get_secret_value()
            files_url = f"{(public_url or own_url).rstrip('/')}/hooks/{config.id}/files"
            return WebhookSettings(id=config.id, secret=secret, callback_url=config.callback_url, files_url=files_url)
        case TelegramChannel():
            return TelegramSettings(
                id=config.id,
                token=config.token.get_secret_value(),
                mode=config.mode,
                base_url=config.base_url,
                hook_url=f"{public_url.rstrip('/')}/hooks/{config.id}" if public_url else "",
                menu=menu(),
            )
        case FeishuChannel():
            return feishu_settings(config, locale)
        case SlackChannel():
            return SlackSettings(
                id=config.id,
                bot_token=config.bot_token.get_secret_value(),
                app_token=config.app_token.get_secret_value(),
                signing_secret=config.signing_secret.get_secret_value(),
                base_url=config.base_url,
                commands=tuple(RIGHTS),
                words=slack_words(locale),
                home=home,
            )


def slack_words(locale: Locale) -> SlackWords:
    """What Slack shows around messages, out of the catalogue."""
    column = 0 if locale == "zh-CN" else 1
    return SlackWords(**{each.name: CATALOGUE[f"slack.{each.name}"][column] for each in fields(SlackWords)})


def feishu_settings(config: FeishuChannel, locale: Locale) -> FeishuSettings:
    """Raises NotConfigured."""
    return FeishuSettings(
        id=config.id,
        app_id=config.app_id,
        app_secret=config.app_secret.get_secret_value(),
        domain=config.domain,
        mode=config.mode,
        encrypt_key=config.encrypt_key.get_secret_value(),
        verification_token=config.verification_token.get_secret_value(),
        wording=feishu_wording(locale),
    )


def feishu_wording(locale: Locale) -> FeishuWording:
    """The platform's few words out of the catalogue; what stands in braces is filled in later."""
    column = 0 if locale == "zh-CN" else 1
    words = {each.name: CATALOGUE[f"feishu.{each.name}"][column] for each in fields(FeishuWording)}
    return FeishuWording(**words)


def menu() -> tuple[MenuEntry, ...]:
    """The commands that everybody is offered, in both languages."""
    chinese, english = Notices("zh-CN"), Notices("en")
    names = [name for name, right in RIGHTS.items() if right is not Right.ADMINS]
    return tuple(
        MenuEntry(name=name, chinese=_purpose(chinese, name), english=_purpose(english, name)) for name in names
    )


def _purpose(notices: Notices, name: str) -> str:
    """The line of /help without the command itself."""
    return notices.say(f"help.{name}").partition(" ")[2]
