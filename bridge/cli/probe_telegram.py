"""Whether a Telegram bot can work: its token, what it may read in groups, and how its updates come."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from aiohttp import ClientError, ClientSession

from bridge.cli.findings import Finding, failed, ok, warning
from bridge.cli.network import reason_of
from bridge.config import TelegramChannel

_SWITCH: Final = "switch it off with @BotFather (/setprivacy), then take the bot out of the group and back in"
_HIDDEN: Final[Mapping[str, str]] = {
    "all": f"is all, but privacy mode hides messages from the bot: {_SWITCH}",
    "mention": f"privacy mode is on: replies and commands reach the bot, a plain @mention may not; {_SWITCH}",
}
"""What privacy mode costs, by `groups`. In groups where the bot is an admin it costs nothing."""


async def probe_telegram(session: ClientSession, place: str, channel: TelegramChannel) -> list[Finding]:
    """Findings about the bot. Never raises for what the network or Telegram does, and never shows the token."""
    base = channel.base_url.rstrip("/")
    try:
        status, said = await _ask(session, channel, "getMe")
        match said:
            case {"ok": True, "result": {"username": str()} as bot}:
                _, hook = await _ask(session, channel, "getWebhookInfo")
                return [*_about(place, channel, bot), *_about_hook(place, channel, hook)]
    except (ClientError, OSError, ValueError) as fault:
        return [failed(place, f"{base} cannot be reached ({reason_of(fault)}): check base_url and the network")]
    if status in (401, 404):
        return [failed(f"{place}.token", "is refused: copy it anew from @BotFather")]
    return [failed(place, f"{base} answered {status}: try again later")]


async def _ask(session: ClientSession, channel: TelegramChannel, method: str) -> tuple[int, Any]:
    """The status, and the answer's JSON."""
    base, token = channel.base_url.rstrip("/"), channel.token.get_secret_value()
    async with session.get(f"{base}/bot{token}/{method}") as response:
        return response.status, await response.json(content_type=None)


def _about(place: str, channel: TelegramChannel, bot: Mapping[str, Any]) -> Iterator[Finding]:
    yield ok(place, f"@{bot['username']} answers")
    if channel.groups in _HIDDEN and not bot.get("can_read_all_group_messages"):
        yield warning(f"{place}.groups", _HIDDEN[channel.groups])
    if channel.groups != "off" and not bot.get("can_join_groups", True):
        yield warning(f"{place}.groups", "the bot may not join groups: allow it with @BotFather (/setjoingroups)")


def _about_hook(place: str, channel: TelegramChannel, said: Any) -> Iterator[Finding]:
    """A webhook of somebody else, and what Telegram last heard from ours."""
    match said:
        case {"ok": True, "result": {"url": str(url)} as hook}:
            pass
        case _:
            return
    if channel.mode == "polling" and url:
        yield warning(f"{place}.mode", "a webhook is set for this bot; serve removes it and fetches the updates itself")
    if channel.mode == "webhook" and (trouble := str(hook.get("last_error_message") or "")):
        yield warning(f"{place}.mode", f"Telegram could not deliver to the webhook: {trouble}")
