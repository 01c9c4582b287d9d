"""What a channel must be before it is stored: well formed, complete, with secrets of its own, and bound rightly."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from bridge.api.call import Call
from bridge.api.errors import ApiError, field_path, param_invalid
from bridge.config import ChannelConfig
from bridge.config.errors import shown
from bridge.config.rules import channel_faults
from bridge.opening import channel_settings
from bridge.storedchannels import parse_channel
from channels.errors import NotConfigured
from host.permissions import account, can_use
from store.agents import find_agent
from store.database import Transaction

_BRANDS: Final = ("feishu", "lark")


def checked(call: Call, platform: str, values: Mapping[str, Any]) -> ChannelConfig:
    """The configuration in these values. Raises ApiError and pydantic's ValidationError, which name the key."""
    config = _parsed(platform, values)
    public_url = call.parts.settings.public_url
    for fault in channel_faults((), config, public_url):
        raise param_invalid(shown(fault.path) or "app_token", words=fault.problem)
    try:
        channel_settings(config, public_url)
    except NotConfigured as refused:
        raise param_invalid(_key_in(str(refused), config), words=str(refused)) from None
    if (holder := call.parts.plugboard.lineup.keyholder(config)) is not None:
        raise param_invalid(holder[0], "secret_taken")
    return config


def _parsed(platform: str, values: Mapping[str, Any]) -> ChannelConfig:
    try:
        return parse_channel(platform, values)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False, include_context=False)[0]
        words = first["msg"].removeprefix("Value error, ") if first["type"] == "value_error" else ""
        raise param_invalid(field_path(first["loc"][1:]), first["type"], words=words) from None


async def bindable(tx: Transaction, agent_id: str, *, owner_id: str) -> None:
    """Raises ApiError unless the channel's owner may bind a channel to this agent (T6, T19)."""
    agent = await find_agent(tx, agent_id)
    if agent is None or not can_use(await account(tx, owner_id), agent, "bind"):
        raise ApiError("AGENT_NOT_FOUND")


def refuse_private_addresses(call: Call, given: Mapping[str, Any]) -> None:
    """Only admins name addresses that this program shall call: they may be those of its own network."""
    if call.user.role == "admin":
        return
    if given.get("callback_url") or given.get("base_url") or given.get("domain", "feishu") not in _BRANDS:
        raise ApiError("FORBIDDEN")


def _key_in(sentence: str, config: ChannelConfig) -> str:
    """The key that a platform's complaint begins with ("token does not look like …", "mode webhook needs …")."""
    return next((word for word in sentence.split() if word in type(config).model_fields), "platform")
