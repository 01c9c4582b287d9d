"""The inbox: every platform event that was accepted, once, with what came of it."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Index, Text, UniqueConstraint, bindparam, delete, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.prepared import Prepared

MOVES: Final[dict[str, tuple[str, ...]]] = {"pending": ("done", "poison"), "done": (), "poison": ()}
"""From each state of an event to the next ones."""


class InboxEvent(Row):
    """One accepted event. `state`: pending, done, poison (with `reason`).

    `message_key` is "<chat id>\\n<message id>", NULL where the platform gave no message id. `digest` is the SHA-256
    of the raw body where the platform can repeat an id with other content. `outcome` is what the sender was told.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("channel_id", "event_key"),
        UniqueConstraint("channel_id", "message_key"),
        Index("ix_inbox_queue", "channel_id", "chat_id", "state", "number"),
    )

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    channel_id: Mapped[str]
    chat_id: Mapped[str]
    event_key: Mapped[str]
    message_key: Mapped[str | None]
    event: Mapped[dict[str, Any]]
    received_at: Mapped[datetime]
    digest: Mapped[str] = mapped_column(default="")
    state: Mapped[str] = mapped_column(default="pending")
    reason: Mapped[str] = mapped_column(Text, default="")
    outcome: Mapped[dict[str, Any]] = mapped_column(default=dict)
    finished_at: Mapped[datetime | None] = mapped_column(default=None)


def message_key(chat_id: str, message_id: str) -> str | None:
    """What makes a message unique within its channel; None where the platform gave it no id."""
    return f"{chat_id}\n{message_id}" if message_id else None


_COPIES: Prepared[InboxEvent] = Prepared(
    select(InboxEvent).where(
        InboxEvent.channel_id == bindparam("channel_id"),
        or_(InboxEvent.event_key == bindparam("event_key"), InboxEvent.message_key == bindparam("message_key")),
    )
)
"""No message key (NULL) equals none."""


async def find_copies(tx: Transaction, channel_id: str, event_key: str, message: str | None) -> list[InboxEvent]:
    """The event of that key and the event of that message, if they came before: none, one or two rows."""
    return await tx.rows(_COPIES, channel_id=channel_id, event_key=event_key, message_key=message)


async def add_event(tx: Transaction, event: InboxEvent) -> InboxEvent:
    """Store an event. A copy that another transaction stores at the same instant makes this one fail as a whole."""
    return await tx.add(event)


_NEXT: Prepared[InboxEvent] = Prepared(
    select(InboxEvent)
    .where(
        InboxEvent.channel_id == bindparam("channel_id"),
        InboxEvent.chat_id == bindparam("chat_id"),
        InboxEvent.state == "pending",
    )
    .order_by(InboxEvent.number)
    .limit(1)
)


async def next_pending(tx: Transaction, channel_id: str, chat_id: str) -> InboxEvent | None:
    """The chat's oldest event that nothing came of yet."""
    return await tx.row(_NEXT, channel_id=channel_id, chat_id=chat_id)


async def pending_from(tx: Transaction, first: InboxEvent, limit: int = 50) -> list[InboxEvent]:
    """`first` and the chat's next events that nothing came of yet, in order."""
    here = InboxEvent.channel_id == first.channel_id, InboxEvent.chat_id == first.chat_id
    query = select(InboxEvent).where(*here, InboxEvent.state == "pending", InboxEvent.number >= first.number)
    return list(await tx.orm.scalars(query.order_by(InboxEvent.number).limit(limit)))


_PENDING: Prepared[InboxEvent] = Prepared(
    select(InboxEvent).where(InboxEvent.number == bindparam("number"), InboxEvent.state == "pending")
)


async def find_pending(tx: Transaction, number: int) -> InboxEvent | None:
    """The event of that number, if nothing came of it yet."""
    return await tx.row(_PENDING, number=number)


async def change_event(tx: Transaction, event: InboxEvent, data: dict[str, Any]) -> None:
    """What a pending event says from now on."""
    event.event = data


async def finish_event(tx: Transaction, event: InboxEvent, outcome: dict[str, Any]) -> None:
    event.state, event.outcome, event.finished_at = "done", outcome, tx.now


async def poison_event(tx: Transaction, number: int, reason: str) -> None:
    """Give the event up, so that the next ones go on; it stays for people to look at."""
    here = InboxEvent.number == number, InboxEvent.state == "pending"
    given_up = {"state": "poison", "reason": reason, "finished_at": tx.now}
    await tx.orm.execute(update(InboxEvent).where(*here).values(given_up))


async def places_with_pending(tx: Transaction) -> list[tuple[str, str]]:
    """(channel, chat) of every chat with an event that nothing came of yet."""
    query = select(InboxEvent.channel_id, InboxEvent.chat_id).where(InboxEvent.state == "pending").distinct()
    return [(row.channel_id, row.chat_id) for row in await tx.orm.execute(query)]


async def prune_inbox(tx: Transaction, before: datetime) -> int:
    """Forget what was done before that time; poison stays."""
    old = InboxEvent.state == "done", InboxEvent.finished_at < before
    gone = delete(InboxEvent).where(*old).returning(InboxEvent.number).execution_options(synchronize_session=False)
    return len((await tx.orm.scalars(gone)).all())
