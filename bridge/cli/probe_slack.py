"""Whether a Slack app can work: its tokens, and the scopes that it was granted."""

from collections.abc import Iterator
from typing import Any

from aiohttp import ClientError, ClientSession

from bridge.cli.findings import Finding, failed, ok, warning
from bridge.cli.network import reason_of
from bridge.config import SlackChannel
from channels.slack.scopes import missing

_REINSTALL = "add it under OAuth & Permissions, then reinstall the app"


async def probe_slack(session: ClientSession, place: str, channel: SlackChannel) -> list[Finding]:
    """Findings about the app. Never raises for what the network or Slack does, and never shows a token."""
    found = list(await _probe_bot(session, place, channel))
    if channel.app_token.get_secret_value():
        found.append(await _probe_socket(session, place, channel))
    return found


async def _probe_bot(session: ClientSession, place: str, channel: SlackChannel) -> Iterator[Finding]:
    said, scopes, fault = await _ask(session, channel, "auth.test", channel.bot_token.get_secret_value())
    if fault:
        return iter([failed(place, fault)])
    if not said.get("ok"):
        advice = "copy the Bot User OAuth Token anew from OAuth & Permissions"
        return iter([failed(f"{place}.bot_token", f"is refused ({said.get('error')}): {advice}")])
    return _about(place, said, frozenset(scope.strip() for scope in scopes.split(",") if scope.strip()))


def _about(place: str, said: dict[str, Any], granted: frozenset[str]) -> Iterator[Finding]:
    yield ok(place, f"{said.get('user')} answers in {said.get('team')}")
    for scope in missing(granted):
        tell = failed if scope.is_needed else warning
        yield tell(f"{place}.bot_token", f"lacks the scope {scope.name} ({scope.purpose}): {_REINSTALL}")


async def _probe_socket(session: ClientSession, place: str, channel: SlackChannel) -> Finding:
    """Asking for a connection is the only way to learn whether the app token serves; it is not opened."""
    said, _, fault = await _ask(session, channel, "apps.connections.open", channel.app_token.get_secret_value())
    if fault:
        return failed(place, fault)
    if said.get("ok"):
        return ok(f"{place}.app_token", "opens Socket Mode")
    advice = "make an App-Level Token with connections:write under Basic Information, and switch on Socket Mode"
    return failed(f"{place}.app_token", f"is refused ({said.get('error')}): {advice}")


async def _ask(
    session: ClientSession, channel: SlackChannel, method: str, token: str
) -> tuple[dict[str, Any], str, str]:
    """The answer, the granted scopes, and why there is no answer."""
    base = channel.base_url.rstrip("/")
    try:
        async with session.post(f"{base}/{method}", headers={"Authorization": f"Bearer {token}"}) as response:
            said = await response.json(content_type=None)
            scopes = response.headers.get("x-oauth-scopes", "")
    except (ClientError, OSError, ValueError) as fault:
        reason = "no usable answer" if isinstance(fault, ValueError) else reason_of(fault)
        return {}, "", f"{base} cannot be reached ({reason}): check base_url and the network"
    if not isinstance(said, dict):
        return {}, "", f"{base} answered {response.status}: try again later"
    return said, scopes, ""
