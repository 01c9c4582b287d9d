"""What is forgotten after a while: work that was finished and answered. Dead letters, sessions and events stay."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete

from store.database import Transaction
from store.files import expire_files
from store.inbox import prune_inbox
from store.inputs import Receipt
from store.outbox import prune_sent

KEPT: Final = timedelta(days=30)
"""How long finished work is kept."""


@dataclass(frozen=True, kw_only=True)
class Pruned:
    """How many rows were forgotten."""

    deliveries: int
    inbox: int
    receipts: int
    files: int


async def prune(tx: Transaction, before: datetime) -> Pruned:
    """Forget deliveries sent, inbox rows finished and receipts given before that time, and let go of files."""
    return Pruned(
        deliveries=await prune_sent(tx, before),
        inbox=await prune_inbox(tx, before),
        receipts=await _prune_receipts(tx, before),
        files=await expire_files(tx, before),
    )


async def _prune_receipts(tx: Transaction, before: datetime) -> int:
    query = delete(Receipt).where(Receipt.created_at < before).returning(Receipt.id)
    return len((await tx.orm.scalars(query.execution_options(synchronize_session=False))).all())
