"""Channels that people made in the console or over the API; those of the file are not here."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Text, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.adding import add_with_id
from store.base import Row, later
from store.database import Transaction


class ChannelRow(Row):
    """One channel. `settings` are its keys as in the file, but for the secrets: those are encrypted in `secrets`.

    A deleted one keeps its row, so that nobody takes over its id and with it the people who were approved there.
    """

    __tablename__ = "channels"

    id: Mapped[str] = mapped_column(primary_key=True)
    platform: Mapped[str]
    owner_id: Mapped[str] = mapped_column(index=True)
    agent_id: Mapped[str] = mapped_column(index=True)
    settings: Mapped[dict[str, Any]]
    secrets: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    enabled: Mapped[bool] = mapped_column(default=True)
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)


async def list_channels(tx: Transaction) -> list[ChannelRow]:
    """All of them, oldest first."""
    query = select(ChannelRow).where(ChannelRow.deleted_at.is_(None))
    return list(await tx.orm.scalars(query.order_by(ChannelRow.created_at, ChannelRow.id)))


async def find_channel(tx: Transaction, channel_id: str) -> ChannelRow | None:
    """The channel, unless it is unknown or deleted."""
    found = await tx.orm.get(ChannelRow, channel_id)
    return found if found is not None and found.deleted_at is None else None


async def hold_channel(tx: Transaction, channel_id: str) -> ChannelRow | None:
    """The channel, held by this transaction until it ends."""
    found = await tx.orm.get(ChannelRow, channel_id, with_for_update=True, populate_existing=True)
    return found if found is not None and found.deleted_at is None else None


async def channel_id_is_taken(tx: Transaction, channel_id: str) -> bool:
    """Whether a channel has, or had, this id."""
    return await tx.orm.get(ChannelRow, channel_id) is not None


async def add_channel(tx: Transaction, channel: ChannelRow) -> None:
    """Raises Taken."""
    await add_with_id(tx, channel)


async def change_channel(
    tx: Transaction, channel: ChannelRow, *, agent_id: str, settings: Mapping[str, Any], secrets: str, enabled: bool
) -> None:
    """Change a held channel."""
    channel.agent_id, channel.settings, channel.secrets, channel.enabled = agent_id, dict(settings), secrets, enabled
    channel.updated_at = later(tx.now, channel.updated_at)


async def channels_bound_to(tx: Transaction, agent_id: str) -> list[ChannelRow]:
    """The channels, of whatever owner, that are switched on and lead to this agent."""
    running = ChannelRow.agent_id == agent_id, ChannelRow.enabled, ChannelRow.deleted_at.is_(None)
    return list(await tx.orm.scalars(select(ChannelRow).where(*running).order_by(ChannelRow.id)))


async def stop_channels_of(tx: Transaction, owner_id: str) -> list[str]:
    """Switch off every channel of this user; the ids of those that were on."""
    running = ChannelRow.owner_id == owner_id, ChannelRow.enabled, ChannelRow.deleted_at.is_(None)
    query = update(ChannelRow).where(*running).values(enabled=False, updated_at=tx.now).returning(ChannelRow.id)
    return list(await tx.orm.scalars(query))


async def delete_channel(tx: Transaction, channel: ChannelRow) -> None:
    """Hide a held channel for good; its secrets are forgotten."""
    channel.secrets, channel.enabled, channel.deleted_at = "", False, tx.now
