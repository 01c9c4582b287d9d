"""Memory: what an agent was asked to remember, within one scope."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Index, Select, Text, bindparam, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.prepared import Prepared

_MANY = 1_000_000  # SQLite takes an offset only together with a limit


class Memory(Row):
    """One remembered sentence of (agent, scope); the default scope is the room's id."""

    __tablename__ = "memories"
    __table_args__ = (Index("ix_memories_scope", "agent_id", "scope", "created_at"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    agent_id: Mapped[str]
    scope: Mapped[str]
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


def _within(agent_id: Any, scope: Any) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return Memory.agent_id == agent_id, Memory.scope == scope


def _newest_first(query: Select[Any]) -> Select[Any]:
    return query.order_by(Memory.created_at.desc(), Memory.id.desc())


async def keep_memory(tx: Transaction, memory: Memory, at_most: int) -> None:
    """Remember it, unless the very same text is remembered already; beyond `at_most` the oldest are forgotten."""
    same = select(Memory.id).where(*_within(memory.agent_id, memory.scope), Memory.text == memory.text).limit(1)
    if (await tx.orm.scalars(same)).first() is not None:
        return
    await tx.add(memory)
    newest = _newest_first(select(Memory.id).where(*_within(memory.agent_id, memory.scope)))
    await tx.orm.execute(delete(Memory).where(Memory.id.in_(newest.offset(at_most).limit(_MANY))))


_NEWEST: Prepared[Memory] = Prepared(
    _newest_first(select(Memory).where(*_within(bindparam("agent_id"), bindparam("scope")))).limit(bindparam("limit"))
)


async def memories_of(tx: Transaction, agent_id: str, scope: str, limit: int = 200) -> list[Memory]:
    """The newest memories of (agent, scope), newest first."""
    return await tx.rows(_NEWEST, agent_id=agent_id, scope=scope, limit=limit)
