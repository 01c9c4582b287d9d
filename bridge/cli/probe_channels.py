"""Whether a channel can work: its credentials, and who is to be reached."""

import base64
from typing import Final

from aiohttp import ClientError, ClientSession, ClientTimeout

from bridge.cli.findings import Finding, failed, ok, warning
from bridge.cli.network import reason_of
from bridge.cli.probe_feishu import probe_feishu
from bridge.cli.probe_slack import probe_slack
from bridge.cli.probe_telegram import probe_telegram
from bridge.config import ChannelConfig, FeishuChannel, SlackChannel, TelegramChannel, WebhookChannel

_TIMEOUT: Final = ClientTimeout(total=15, connect=5)
_STRONG: Final = 24
"""Bytes that Standard Webhooks asks of a key."""


def inspect_channel(place: str, channel: ChannelConfig) -> list[Finding]:
    """What can be said without asking anybody."""
    if not isinstance(channel, WebhookChannel):
        return []
    if _strength(channel) < _STRONG:
        advice = "make a new one: echo whsec_$(openssl rand -base64 32)"
        return [warning(f"{place}.secret", f"has {_strength(channel)} bytes, and should have at least 24; {advice}")]
    return [ok(f"{place}.secret", "is well formed")]


async def probe_channel(session: ClientSession, place: str, channel: ChannelConfig) -> list[Finding]:
    """What the platform says. Never raises for what a network or a platform does."""
    match channel:
        case WebhookChannel(callback_url=""):
            return [ok(f"{place}.callback_url", f"is empty: messages wait for GET /hooks/{channel.id}/messages")]
        case WebhookChannel():
            return [await _probe_callback(session, f"{place}.callback_url", channel.callback_url)]
        case TelegramChannel():
            return await probe_telegram(session, place, channel)
        case SlackChannel():
            return await probe_slack(session, place, channel)
        case FeishuChannel():
            return await probe_feishu(place, channel)
    return []


async def check_channel(channel: ChannelConfig) -> list[Finding]:
    """Everything that can be said about one channel; the places are its keys. Never raises for what a network does."""
    async with ClientSession(timeout=_TIMEOUT) as session:
        return [*inspect_channel("", channel), *await probe_channel(session, "", channel)]


async def _probe_callback(session: ClientSession, place: str, url: str) -> Finding:
    """Any HTTP answer will do: what the callback says to a signed message is its own business."""
    try:
        async with session.head(url, allow_redirects=False):
            return ok(place, f"{url} answers")
    except (ClientError, OSError, ValueError) as fault:
        return failed(place, f"{url} cannot be reached ({reason_of(fault)}): start the receiver, or check the URL")


def _strength(channel: WebhookChannel) -> int:
    return len(base64.b64decode(channel.secret.get_secret_value().removeprefix("whsec_")))
