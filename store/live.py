"""Live posts: messages on a platform that were opened while their speaker wrote, until their final text closed them."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.outbox import Delivery
from store.sessions import Session
from store.turns import Turn


class LiveRow(Row):
    """One live post. The row is written before the platform is called, `handle` right after its answer.

    `post` is the LivePost as JSON, without its handle; `state` is open or closed.
    """

    __tablename__ = "live_posts"
    __table_args__ = (Index("ix_live_posts_place", "channel_id", "chat_id", "state"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    turn_id: Mapped[str] = mapped_column(index=True)
    channel_id: Mapped[str]
    chat_id: Mapped[str]
    post: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    handle: Mapped[str] = mapped_column(default="")
    state: Mapped[str] = mapped_column(default="open")


async def add_live(tx: Transaction, row: LiveRow) -> None:
    """The intent: from now on a crash leaves a trace of the message that may be open."""
    await tx.add(row)


async def keep_handle(tx: Transaction, post_id: str, handle: str) -> None:
    await tx.orm.execute(update(LiveRow).where(LiveRow.id == post_id).values(handle=handle))


async def open_post(tx: Transaction, turn_id: str, channel_id: str, chat_id: str) -> LiveRow | None:
    """The turn's oldest open post in this chat."""
    here = LiveRow.turn_id == turn_id, LiveRow.channel_id == channel_id, LiveRow.chat_id == chat_id
    query = select(LiveRow).where(*here, LiveRow.state == "open").order_by(LiveRow.created_at, LiveRow.id).limit(1)
    return (await tx.orm.scalars(query)).first()


async def close_live(tx: Transaction, post_id: str) -> None:
    await tx.orm.execute(update(LiveRow).where(LiveRow.id == post_id).values(state="closed"))


async def open_posts(tx: Transaction) -> list[tuple[str, str, str]]:
    """(turn, channel, chat) of every open post."""
    query = select(LiveRow.turn_id, LiveRow.channel_id, LiveRow.chat_id).where(LiveRow.state == "open").distinct()
    return [(turn_id, channel_id, chat_id) for turn_id, channel_id, chat_id in await tx.orm.execute(query)]


async def is_settled(tx: Transaction, channel_id: str, chat_id: str) -> bool:
    """Nothing waits to be delivered to the chat, and no session of the channel waits to be published."""
    waiting = select(Delivery.id).where(
        Delivery.channel_id == channel_id, Delivery.chat_id == chat_id, Delivery.state == "pending"
    )
    if (await tx.orm.scalars(waiting.limit(1))).first() is not None:
        return False
    unseen = select(Session.id).where(Session.app_id == channel_id, Session.seq > Session.published)
    return (await tx.orm.scalars(unseen.limit(1))).first() is None


async def orphans(tx: Transaction, channel_id: str, chat_id: str) -> list[LiveRow]:
    """Open posts of a settled chat whose turn is over: no final text will come."""
    over = Turn.id.is_(None) | (Turn.state != "live")
    here = LiveRow.channel_id == channel_id, LiveRow.chat_id == chat_id, LiveRow.state == "open"
    query = select(LiveRow).outerjoin(Turn, Turn.id == LiveRow.turn_id).where(*here, over)
    return list(await tx.orm.scalars(query.order_by(LiveRow.created_at)))
