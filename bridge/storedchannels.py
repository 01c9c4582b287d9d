"""Channels in the store: their configuration apart from their secrets, and together again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from bridge.config import ChannelConfig
from bridge.config.errors import Fault
from bridge.lineup import Entry, Origin, secret_values
from bridge.vault import Unreadable, Vault
from channels.slack.words import Home, HomeMember
from host.errors import DamagedManifest
from host.permissions import account, can_use
from host.roster import Rosters
from store.agents import Agent, find_agent, find_agents
from store.channels import ChannelRow, list_channels
from store.database import Transaction

_ANY: Final[TypeAdapter[ChannelConfig]] = TypeAdapter(ChannelConfig)
IN_ROW: Final = frozenset({"id", "platform", "agent"})
NOT_LENT: Final = "its expert is not shared with the channel's owner any more"
CALLBACK: Final = "callback_url"
"""An address, but one that may carry a token: kept like a secret."""


def parse_channel(platform: str, values: Mapping[str, Any]) -> ChannelConfig:
    """The configuration in these values, as a file would have them. Raises pydantic's ValidationError."""
    return _ANY.validate_python({"platform": platform, **values})


def hidden_values(config: ChannelConfig) -> dict[str, str]:
    """What is encrypted in the store and never shown."""
    callback = getattr(config, CALLBACK, "")
    return secret_values(config) | ({CALLBACK: callback} if callback else {})


def plain_values(config: ChannelConfig) -> dict[str, Any]:
    """What stands in the store as it is."""
    hidden = {name for name in type(config).model_fields if name == CALLBACK or name in _secret_names(config)}
    return config.model_dump(mode="json", exclude=hidden | IN_ROW)


def stored_channel(row: ChannelRow, vault: Vault) -> ChannelConfig:
    """The configuration of a stored channel. Raises Unreadable, and pydantic's ValidationError."""
    values = {**row.settings, **vault.unseal(row.secrets), "id": row.id, "agent": row.agent_id}
    return parse_channel(row.platform, values)


async def entry_of(
    tx: Transaction, rosters: Rosters, config: ChannelConfig, *, owner_id: str, origin: Origin, enabled: bool = True
) -> Entry:
    """The channel with what there is to know about the agent behind it."""
    agent = await find_agent(tx, config.agent)
    return Entry(
        config=config,
        owner_id=owner_id,
        origin=origin,
        enabled=enabled,
        is_team=agent is not None and agent.kind == "team",
        home=Home() if agent is None else await _home_of(tx, rosters, agent),
    )


async def _home_of(tx: Transaction, rosters: Rosters, agent: Agent) -> Home:
    """Who answers there: what a platform can show of a team before anybody asks."""
    members = [HomeMember(name=each.name, description=each.description) for each in await _members(tx, rosters, agent)]
    return Home(name=agent.name, description=agent.description, members=tuple(members))


async def _members(tx: Transaction, rosters: Rosters, agent: Agent) -> list[Agent]:
    if agent.kind != "team":
        return []
    try:
        ids = rosters.members(agent.id)
    except DamagedManifest:
        return []
    found = await find_agents(tx, ids)
    return [found[each] for each in ids if each in found]


def _secret_names(config: ChannelConfig) -> set[str]:
    return {name for name, value in config if hasattr(value, "get_secret_value")}


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A stored channel that cannot run, and why; `entry` unless it cannot even be read."""

    channel_id: str
    reason: str
    entry: Entry | None = None


async def all_channels(
    tx: Transaction, configs: Sequence[ChannelConfig], rosters: Rosters, vault: Vault, *, owner_id: str, source: str
) -> list[Entry | Broken]:
    """The channels of the file (`source` is its name), then those of the store.

    Raises ConfigError if the file takes an id that the store has.
    """
    rows = await list_channels(tx)
    taken = {row.id for row in rows}
    for index, config in enumerate(configs):
        if config.id in taken:
            problem = f'"{config.id}" exists already and was not made by this file'
            raise Fault(path=("channels", index, "id"), problem=problem).named(source)
    found: list[Entry | Broken] = [
        await entry_of(tx, rosters, each, owner_id=owner_id, origin="config") for each in configs
    ]
    return found + [await _from_row(tx, rosters, row, vault) for row in rows]


async def _from_row(tx: Transaction, rosters: Rosters, row: ChannelRow, vault: Vault) -> Entry | Broken:
    try:
        config = stored_channel(row, vault)
    except Unreadable as fault:
        return Broken(channel_id=row.id, reason=str(fault))
    except ValidationError as fault:
        return Broken(channel_id=row.id, reason=f"its settings do not fit this release: {fault.errors()[0]['loc']}")
    entry = await entry_of(tx, rosters, config, owner_id=row.owner_id, origin="api", enabled=row.enabled)
    if entry.enabled and not await is_lent(tx, row):
        return Broken(channel_id=row.id, reason=NOT_LENT, entry=entry)
    return entry


async def is_lent(tx: Transaction, row: ChannelRow) -> bool:
    """Whether the channel's owner still may use the expert behind it; one's own always."""
    agent = await find_agent(tx, row.agent_id)
    return agent is not None and can_use(await account(tx, row.owner_id), agent, "bind")
