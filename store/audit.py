"""The audit: who changed what, and when. Append-only; it names what was changed, never a secret."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Integer, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction


class AuditEntry(Row):
    """One change. `action` is "<noun>.<verb>", `target_id` the id of the noun, `data` what else is worth knowing."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_listing", "at", "number"),)

    number: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at: Mapped[datetime]
    user_id: Mapped[str]
    action: Mapped[str]
    target_id: Mapped[str]
    data: Mapped[dict[str, Any]] = mapped_column(default=dict)


async def record(tx: Transaction, user_id: str, action: str, target_id: str, **data: object) -> None:
    """Write down a change, in the transaction that makes it."""
    await tx.add(AuditEntry(at=tx.now, user_id=user_id, action=action, target_id=target_id, data=data))


async def list_audit(tx: Transaction, *, limit: int, before: tuple[datetime, int] | None = None) -> list[AuditEntry]:
    """Changes, newest first; `before` is the (at, number) of the last row already seen."""
    query = select(AuditEntry).order_by(AuditEntry.at.desc(), AuditEntry.number.desc()).limit(limit)
    if before is not None:
        at, number = before
        query = query.where(or_(AuditEntry.at < at, (AuditEntry.at == at) & (AuditEntry.number < number)))
    return list(await tx.orm.scalars(query))
