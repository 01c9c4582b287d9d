"""Whether a Feishu or Lark app can work: its secret, its brand, its permissions and its published version."""

from collections.abc import Iterator

from bridge.cli.findings import Finding, failed, ok, warning
from bridge.config import FeishuChannel
from bridge.opening import feishu_settings
from channels.errors import NotConfigured
from channels.feishu.scopes import missing
from channels.feishu.survey import Survey, survey

_CONSOLE = "developer console"
_PUBLISH = f"in the {_CONSOLE}, Version management: create a version and publish it"


async def probe_feishu(place: str, channel: FeishuChannel) -> list[Finding]:
    """Findings about the app. Never raises for what the network or the platform does, and never shows a secret."""
    try:
        settings = feishu_settings(channel, "en")
    except NotConfigured as wrong:
        return [failed(place, str(wrong))]
    return list(_findings(place, channel, await survey(settings)))


def _findings(place: str, channel: FeishuChannel, found: Survey) -> Iterator[Finding]:
    if found.bot_fault:
        advice = f"copy app_id and app_secret again, and add the Bot ability in the {_CONSOLE}"
        yield failed(f"{place}.app_id", f"the bot does not answer ({found.bot_fault}): {advice}")
    else:
        yield ok(place, f"{found.bot_name} answers")
    if found.link_fault:
        yield failed(f"{place}.domain", found.link_fault)
    elif channel.mode == "socket":
        yield ok(f"{place}.mode", "gets a long connection")
    if not found.bot_fault:
        yield from _about_version(place, found)
        yield from _about_scopes(place, found)


def _about_version(place: str, found: Survey) -> Iterator[Finding]:
    if not found.is_enabled or found.has_version is False:
        yield failed(place, f"no version of the app is published and switched on: {_PUBLISH}")
    if found.has_waiting_version:
        yield warning(place, "a new version waits for an admin's approval: until then its changes do nothing")


def _about_scopes(place: str, found: Survey) -> Iterator[Finding]:
    if found.scopes is None:
        yield warning(place, f"its permissions cannot be read: compare them with docs/feishu.md in the {_CONSOLE}")
        return
    for scope in missing(found.scopes):
        tell = failed if scope.is_needed else warning
        add = "add it under Permissions, then publish a new version"
        yield tell(place, f"lacks the permission {scope.name} ({scope.purpose}): {add}")
