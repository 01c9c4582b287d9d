"""The usage ledger: what every answer of a model cost, and what it was for."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction


class Usage(Row):
    """One answer of a model; `scene` is what it was for ("chat", "dispatch", …)."""

    __tablename__ = "usage"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    at: Mapped[datetime]
    owner_id: Mapped[str] = mapped_column(index=True)
    agent_id: Mapped[str]
    session_id: Mapped[str]
    scene: Mapped[str]
    model: Mapped[str]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]


@dataclass(frozen=True, kw_only=True)
class Sum:
    """What one scene cost with one model."""

    scene: str
    model: str
    answers: int
    input_tokens: int
    output_tokens: int


async def add_usage(tx: Transaction, usage: Usage) -> None:
    await tx.add(usage)


async def usage_since(tx: Transaction, owner_id: str, since: datetime) -> list[Sum]:
    """One owner's costs by scene and model."""
    query = (
        select(
            Usage.scene,
            Usage.model,
            func.count(),
            func.coalesce(func.sum(Usage.input_tokens), 0),
            func.coalesce(func.sum(Usage.output_tokens), 0),
        )
        .where(Usage.owner_id == owner_id, Usage.at >= since)
        .group_by(Usage.scene, Usage.model)
        .order_by(Usage.scene, Usage.model)
    )
    return [
        Sum(scene=scene, model=model, answers=answers, input_tokens=int(read), output_tokens=int(written))
        for scene, model, answers, read, written in await tx.orm.execute(query)
    ]
