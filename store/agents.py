"""Agents: reusable instructions + model + tools; a team's roster lives in its manifest, not here."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Text, bindparam, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.adding import add_with_id
from store.base import Row, later
from store.database import Transaction
from store.prepared import Prepared


class Agent(Row):
    """One agent. `kind` is "expert" or "team"; `origin` is "config" or "api"; times of `wave`/`member` in seconds.

    `visibility` is "private" or "shared" (with everybody; with named users: see `shares`). `published_at`: since when
    it stands on the market.
    """

    __tablename__ = "agents"

    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    name: Mapped[str]
    owner_id: Mapped[str]
    origin: Mapped[str]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    description: Mapped[str] = mapped_column(Text, default="")
    icon: Mapped[str] = mapped_column(default="")
    color: Mapped[str] = mapped_column(default="")
    model: Mapped[str] = mapped_column(default="")
    instructions: Mapped[str] = mapped_column(Text, default="")
    welcome: Mapped[str] = mapped_column(Text, default="")
    visibility: Mapped[str] = mapped_column(default="private")
    enabled: Mapped[bool] = mapped_column(default=True)
    client_visible: Mapped[bool] = mapped_column(default=True)
    cooperation: Mapped[bool] = mapped_column(default=True)
    tools: Mapped[list[str]] = mapped_column(default=list)
    wake: Mapped[str] = mapped_column(default="wave")
    wave_timeout: Mapped[float] = mapped_column(default=120.0)
    member_timeout: Mapped[float] = mapped_column(default=900.0)
    published_at: Mapped[datetime | None] = mapped_column(default=None)
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)


async def find_agent(tx: Transaction, agent_id: str) -> Agent | None:
    """The agent, unless it is unknown or deleted."""
    found = await tx.get(Agent, agent_id)
    return found if found is not None and found.deleted_at is None else None


async def known_agent(tx: Transaction, agent_id: str) -> Agent | None:
    """The agent even if it was deleted: who it was that speaks."""
    return await tx.get(Agent, agent_id)


_AMONG: Prepared[Agent] = Prepared(select(Agent).where(Agent.id.in_(bindparam("ids")), Agent.deleted_at.is_(None)))


async def find_agents(tx: Transaction, ids: Sequence[str]) -> dict[str, Agent]:
    """The agents of `ids` that exist, by id."""
    return {row.id: row for row in await tx.rows(_AMONG, ids=list(ids))}


_ALL: Prepared[Agent] = Prepared(select(Agent).where(Agent.deleted_at.is_(None)).order_by(Agent.created_at, Agent.id))


async def list_agents(tx: Transaction, *, owner_id: str | None = None) -> list[Agent]:
    """All agents, or one owner's, oldest first."""
    agents = await tx.rows(_ALL)
    return [each for each in agents if owner_id is None or each.owner_id == owner_id]


async def list_published(tx: Transaction) -> list[Agent]:
    """The experts on the market, newest first."""
    query = select(Agent).where(Agent.published_at.is_not(None), Agent.deleted_at.is_(None), Agent.kind == "expert")
    return list(await tx.orm.scalars(query.order_by(Agent.published_at.desc(), Agent.id)))


async def list_teams(tx: Transaction) -> list[Agent]:
    """All teams of all people, oldest first."""
    query = select(Agent).where(Agent.deleted_at.is_(None), Agent.kind == "team")
    return list(await tx.orm.scalars(query.order_by(Agent.created_at, Agent.id)))


async def agent_id_is_taken(tx: Transaction, agent_id: str) -> bool:
    """Whether an agent has, or had, this id."""
    return await tx.orm.get(Agent, agent_id) is not None


async def hold_agents(tx: Transaction, ids: Collection[str], *, shared: bool = False) -> dict[str, Agent]:
    """The agents of `ids` that exist, held until the transaction ends; `shared`: others may hold them so as well.

    Who changes a roster holds the team, who dispatches holds it shared: so neither sees half of the other.
    """
    query = select(Agent).where(Agent.id.in_(sorted(ids)), Agent.deleted_at.is_(None)).order_by(Agent.id)
    query = query.with_for_update(read=shared).execution_options(populate_existing=True)
    return {row.id: row for row in await tx.orm.scalars(query)}


async def add_agent(tx: Transaction, agent: Agent) -> Agent:
    """Raises Taken."""
    return await add_with_id(tx, agent)


async def change_agent(tx: Transaction, agent: Agent, changes: Mapping[str, Any]) -> None:
    """Set these columns of a held agent."""
    for name, value in changes.items():
        setattr(agent, name, value)
    agent.updated_at = later(tx.now, agent.updated_at)


async def delete_agent(tx: Transaction, agent: Agent) -> None:
    """Hide a held agent for good; its row stays for what it once said, and so that nobody takes over its id."""
    await change_agent(tx, agent, {"enabled": False, "published_at": None, "deleted_at": tx.now})


async def save_agent(tx: Transaction, agent: Agent) -> None:
    """Insert the agent, or overwrite the row of the same id."""
    await tx.orm.merge(agent)
    await tx.orm.flush()


async def disable_missing(tx: Transaction, *, kept: Sequence[str]) -> list[str]:
    """Disable every agent from the file that is no longer in it; their ids."""
    gone = Agent.origin == "config", Agent.enabled, Agent.id.not_in(kept)
    ids = list(await tx.orm.scalars(select(Agent.id).where(*gone)))
    await tx.orm.execute(update(Agent).where(Agent.id.in_(ids)).values(enabled=False, updated_at=tx.now))
    return ids
