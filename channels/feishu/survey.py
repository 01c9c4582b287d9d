"""What `check` asks about an app: who it is, what it may do, which version is published, where its connection goes."""

from dataclasses import dataclass
from typing import Final

from channels.clock import LoopClock
from channels.feishu.api import BOT_PATH, Api, segment
from channels.feishu.endpoint import LinkConfig, LinkFault, find_endpoint
from channels.feishu.faults import FeishuFault
from channels.feishu.http import Patience
from channels.feishu.raw import fields, items, text, within
from channels.feishu.settings import FeishuSettings

ENABLED: Final = 2
"""`activate_status` of a bot that the tenant has switched on."""

_GRANTED: Final = 1


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What was found; a `…_fault` is "" if there was none. `scopes` and `version` are None if the app may not know."""

    bot_name: str = ""
    bot_fault: str = ""
    is_enabled: bool = True
    link_fault: str = ""
    scopes: frozenset[str] | None = None
    has_version: bool | None = None
    has_waiting_version: bool = False


async def survey(settings: FeishuSettings, patience: Patience | None = None) -> Survey:
    """Never raises for what the platform or the network does."""
    api = Api(settings, LoopClock(), patience or Patience(call=10.0, connect=5.0))
    try:
        return await _ask(api, settings)
    finally:
        await api.close()


async def _ask(api: Api, settings: FeishuSettings) -> Survey:
    link_fault = await _link_fault(api, settings)
    try:
        bot = within(await api.call("GET", BOT_PATH), "bot")
    except FeishuFault as fault:
        return Survey(bot_fault=str(fault), link_fault=link_fault)
    has_version, has_waiting = await _versions(api, settings.app_id)
    return Survey(
        bot_name=text(bot.get("app_name")),
        bot_fault="" if bot.get("open_id") else "it has no bot ability",
        is_enabled=bot.get("activate_status", ENABLED) == ENABLED,
        link_fault=link_fault,
        scopes=await _scopes(api),
        has_version=has_version,
        has_waiting_version=has_waiting,
    )


async def _link_fault(api: Api, settings: FeishuSettings) -> str:
    """The long connection's address alone tells a wrong brand; it is asked for, not opened."""
    if settings.mode != "socket":
        return ""
    try:
        await find_endpoint(api.session, settings, LinkConfig())
    except LinkFault as fault:
        return fault.reason
    return ""


async def _scopes(api: Api) -> frozenset[str] | None:
    try:
        data = await api.data("GET", "/open-apis/application/v6/scopes")
    except FeishuFault:
        return None
    told = (fields(each) for each in items(data.get("scopes")))
    return frozenset(text(each.get("scope_name")) for each in told if each.get("grant_status") == _GRANTED)


async def _versions(api: Api, app_id: str) -> tuple[bool | None, bool]:
    """Whether a version is published, and whether one waits for approval."""
    try:
        data = await api.data(
            "GET", f"/open-apis/application/v6/applications/{segment(app_id)}", query={"lang": "zh_cn"}
        )
    except FeishuFault:
        return None, False
    app = within(data, "app")
    return bool(app.get("online_version_id")), bool(app.get("unaudit_version_id"))
