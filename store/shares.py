"""Shares: experts that their owners lend to named users. Sharing with everybody is the agent's `visibility`."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ForeignKey, bindparam, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.prepared import Prepared


class Share(Row):
    """This user may use this expert."""

    __tablename__ = "shares"

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    created_at: Mapped[datetime]


_LENT: Prepared[str] = Prepared(select(Share.agent_id).where(Share.user_id == bindparam("user_id")))


async def shared_with(tx: Transaction, user_id: str) -> frozenset[str]:
    """The ids of the experts that others lend to this user."""
    return frozenset(await tx.rows(_LENT, user_id=user_id))


async def borrowers_of(tx: Transaction, agent_ids: Sequence[str]) -> dict[str, list[str]]:
    """To whom these experts are lent: user ids by expert; one who lends to nobody is left out."""
    query = select(Share.agent_id, Share.user_id).where(Share.agent_id.in_(agent_ids)).order_by(Share.user_id)
    found: dict[str, list[str]] = {}
    for agent_id, user_id in await tx.orm.execute(query):
        found.setdefault(agent_id, []).append(user_id)
    return found


async def share_with(tx: Transaction, agent_id: str, user_ids: Collection[str]) -> None:
    """Lend the expert to exactly these users from now on."""
    known = set((await borrowers_of(tx, [agent_id])).get(agent_id, []))
    gone = known.difference(user_ids)
    await tx.orm.execute(delete(Share).where(Share.agent_id == agent_id, Share.user_id.in_(gone)))
    for user_id in sorted(set(user_ids) - known):
        await tx.add(Share(agent_id=agent_id, user_id=user_id, created_at=tx.now))
