"""Opens a platform by its settings, and imports only that one."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from channels.base import Channel
from channels.feishu.limits import LIMITS as FEISHU_LIMITS
from channels.feishu.settings import FeishuSettings
from channels.slack.limits import LIMITS as SLACK_LIMITS
from channels.slack.settings import SlackSettings
from channels.telegram.limits import LIMITS as TELEGRAM_LIMITS
from channels.telegram.settings import TelegramSettings
from channels.types import Limits
from channels.webhook.settings import WebhookSettings

Settings = WebhookSettings | TelegramSettings | FeishuSettings | SlackSettings
"""What `open_channel` takes: one frozen value per platform, made by the caller from its configuration."""

LIMITS: Final[dict[str, Limits]] = {"telegram": TELEGRAM_LIMITS, "feishu": FEISHU_LIMITS, "slack": SLACK_LIMITS}
"""What a platform takes in one message, known before it is opened; without an entry: whatever comes."""


def open_channel(settings: Settings, *, now: Callable[[], datetime]) -> Channel:
    """The channel of the platform whose value this is, not started."""
    if isinstance(settings, TelegramSettings):
        from channels.telegram.channel import TelegramChannel

        return TelegramChannel(settings)
    if isinstance(settings, FeishuSettings):
        from channels.feishu.channel import FeishuChannel

        return FeishuChannel(settings, now=now)
    if isinstance(settings, SlackSettings):
        from channels.slack.channel import SlackChannel

        return SlackChannel(settings, now=now)
    from channels.webhook.channel import WebhookChannel

    return WebhookChannel(settings, now=now)
