"""The outbox: one row for each message that a platform shall show."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Index, Text, bindparam, case, delete, exists, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Moment, Row, table
from store.chats import Chat
from store.database import Transaction
from store.files import File, find_file
from store.inputs import Input
from store.prepared import Prepared

MOVES: Final[dict[str, tuple[str, ...]]] = {
    "pending": ("pending", "sent", "dead", "uncertain"),
    "sent": (),
    "dead": ("pending",),
    "uncertain": ("pending",),
}
"""From each state of a delivery to the next ones. Only `retry_delivery` leads back to pending."""

_GIVEN_UP: Final = tuple(state for state, following in MOVES.items() if following == ("pending",))


class Delivery(Row):
    """One outgoing message. `state`: pending, sent, dead, uncertain.

    `id` is stable for (event, part); `seq` numbers the chat's messages; `message` is the OutboundMessage as JSON.
    `attempts` and `first_attempt_at` are this delivery's own; `due_at` is when it may be tried next. `sending` stands
    from before an attempt until its outcome is known: after a kill it tells that the outcome is not. `asked_at` is
    when the question came in, on the first message of its round only. `doubt` tells of an attempt whose outcome stays
    unknown: "answered" if the platform said that it failed, "cut" if it said nothing; "" if there was none.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("uq_outbox_seq", "channel_id", "chat_id", "seq", unique=True),
        Index("ix_outbox_queue", "channel_id", "chat_id", "state", "seq"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    channel_id: Mapped[str]
    chat_id: Mapped[str]
    seq: Mapped[int]
    session_id: Mapped[str] = mapped_column(index=True)
    message: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    due_at: Mapped[datetime]
    event_id: Mapped[str | None] = mapped_column(default=None)
    state: Mapped[str] = mapped_column(default="pending", index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    sending: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str] = mapped_column(Text, default="")
    platform_id: Mapped[str] = mapped_column(default="")
    asked_at: Mapped[datetime | None] = mapped_column(default=None)
    first_attempt_at: Mapped[datetime | None] = mapped_column(default=None)
    sent_at: Mapped[datetime | None] = mapped_column(default=None)
    doubt: Mapped[str] = mapped_column(default="")


class DeliveryRound(Row):
    """A delivery belongs to a round (to several, when one wrap-up concludes them all)."""

    __tablename__ = "delivery_rounds"

    round_id: Mapped[str] = mapped_column(primary_key=True)
    delivery_id: Mapped[str] = mapped_column(primary_key=True, index=True)


_CHATS = table(Chat).c
_TAKE: Prepared[int] = Prepared(
    update(table(Chat))
    .where(_CHATS.channel_id == bindparam("in_channel"), _CHATS.id == bindparam("in_chat"))
    .values(seq=_CHATS.seq + bindparam("count"))
    .returning(_CHATS.seq)
)


async def take_seqs(tx: Transaction, channel_id: str, chat_id: str, count: int) -> int:
    """The first of the chat's next `count` message numbers. The chat stays locked until the transaction ends."""
    last = await tx.row(_TAKE, in_channel=channel_id, in_chat=chat_id, count=count)
    if last is not None:
        return last - count + 1
    await tx.add(Chat(channel_id=channel_id, id=chat_id, type="private", created_at=tx.now, seq=count))
    return 1


_UNANSWERED: Prepared[tuple[str, datetime]] = Prepared(
    select(Input.id, Input.created_at).where(
        Input.id.in_(bindparam("rounds")),
        ~exists().where(DeliveryRound.round_id == Input.id),
    )
)


async def questions_unanswered(tx: Transaction, rounds: Iterable[str]) -> dict[str, datetime]:
    """Those of `rounds` that have no message yet, with the time their question came in."""
    wanted = sorted(set(rounds))
    return dict(await tx.rows(_UNANSWERED, rounds=wanted)) if wanted else {}


async def add_deliveries(tx: Transaction, deliveries: Sequence[Delivery], links: Sequence[DeliveryRound]) -> None:
    for row in (*deliveries, *links):
        await tx.add(row)


async def find_delivery(tx: Transaction, delivery_id: str) -> Delivery | None:
    return await tx.get(Delivery, delivery_id)


_OLDEST: Prepared[Delivery] = Prepared(
    select(Delivery)
    .where(
        Delivery.channel_id == bindparam("channel_id"),
        Delivery.chat_id == bindparam("chat_id"),
        Delivery.state == "pending",
    )
    .order_by(Delivery.seq)
    .limit(1)
    .execution_options(populate_existing=True)
)


async def oldest_pending(tx: Transaction, channel_id: str, chat_id: str) -> Delivery | None:
    """The chat's next message, due or not: nothing overtakes it."""
    return await tx.row(_OLDEST, channel_id=channel_id, chat_id=chat_id)


async def begin_attempt(tx: Transaction, delivery: Delivery) -> Delivery:
    """Count an attempt before it is made, so that a kill in its middle leaves a trace."""
    delivery.attempts += 1
    delivery.sending = True
    delivery.first_attempt_at = delivery.first_attempt_at or tx.now
    return delivery


_OUTBOX = table(Delivery).c
_FINISH: Prepared[str] = Prepared(
    update(table(Delivery))
    .where(
        _OUTBOX.id == bindparam("delivery_id"),
        _OUTBOX.state == "pending",
        _OUTBOX.attempts == bindparam("attempt"),
    )
    .values(
        state=bindparam("ended"),
        reason=bindparam("why"),
        platform_id=bindparam("named"),
        sending=False,
        sent_at=func.coalesce(bindparam("arrived", type_=Moment), _OUTBOX.sent_at),
        due_at=func.coalesce(bindparam("due", type_=Moment), _OUTBOX.due_at),
        doubt=func.coalesce(func.nullif(bindparam("doubted", type_=Text), ""), _OUTBOX.doubt),
    )
    .returning(_OUTBOX.id)
)


async def finish_attempt(
    tx: Transaction,
    delivery_id: str,
    attempts: int,
    *,
    state: str,
    reason: str = "",
    platform_id: str = "",
    due_at: datetime | None = None,
    doubt: str = "",
) -> bool:
    """Record what came of attempt number `attempts`; False (and nothing changed) if it is not the current one.

    An empty `doubt` leaves the old one as it is.
    """
    finished = await tx.row(
        _FINISH,
        delivery_id=delivery_id,
        attempt=attempts,
        ended=state,
        why=reason,
        named=platform_id,
        arrived=tx.now if state == "sent" else None,
        due=due_at,
        doubted=doubt,
    )
    return finished is not None


async def retry_delivery(tx: Transaction, delivery_id: str) -> Delivery | None:
    """Put a dead or uncertain delivery back, as if it had never been tried; None if it is neither.

    What may have arrived keeps its doubt, and may end in a cut once more.
    """
    fresh: dict[str, Any] = {
        "state": "pending",
        "attempts": 0,
        "first_attempt_at": None,
        "due_at": tx.now,
        "sending": False,
    }
    fresh["doubt"] = case((Delivery.doubt != "", "answered"), else_="")
    query = update(Delivery).where(Delivery.id == delivery_id, Delivery.state.in_(_GIVEN_UP)).values(**fresh)
    options = {"populate_existing": True}
    return (await tx.orm.scalars(query.returning(Delivery), execution_options=options)).one_or_none()


async def hurry(tx: Transaction, channel_id: str, chat_id: str) -> bool:
    """Make everything due now that waits in the chat; whether anything does."""
    here = Delivery.channel_id == channel_id, Delivery.chat_id == chat_id, Delivery.state == "pending"
    query = update(Delivery).where(*here).values(due_at=tx.now).returning(Delivery.id)
    return bool((await tx.orm.scalars(query)).all())


async def chats_with_pending(tx: Transaction, channel_id: str | None = None) -> list[tuple[str, str]]:
    """(channel, chat) of every chat, or of the channel's chats, that a message waits for."""
    query = select(Delivery.channel_id, Delivery.chat_id).where(Delivery.state == "pending").distinct()
    if channel_id is not None:
        query = query.where(Delivery.channel_id == channel_id)
    return [(row.channel_id, row.chat_id) for row in await tx.orm.execute(query)]


async def count_pending(tx: Transaction) -> dict[str, int]:
    """How many messages wait, by channel."""
    query = select(Delivery.channel_id, func.count()).where(Delivery.state == "pending").group_by(Delivery.channel_id)
    return {row[0]: row[1] for row in await tx.orm.execute(query)}


async def list_deliveries(
    tx: Transaction,
    *,
    state: str | None = None,
    channel_ids: Collection[str] | None = None,
    limit: int,
    before: tuple[datetime, str] | None = None,
) -> list[Delivery]:
    """Deliveries (of these channels), newest first; `before` is the (created_at, id) of the last row already seen."""
    query = select(Delivery).order_by(Delivery.created_at.desc(), Delivery.id.desc()).limit(limit)
    if state is not None:
        query = query.where(Delivery.state == state)
    if channel_ids is not None:
        query = query.where(Delivery.channel_id.in_(channel_ids))
    if before is not None:
        at, last = before
        query = query.where(or_(Delivery.created_at < at, (Delivery.created_at == at) & (Delivery.id < last)))
    return list(await tx.orm.scalars(query))


async def deliveries_of_round(tx: Transaction, round_id: str) -> list[Delivery]:
    """The round's messages in the order of their chat."""
    query = select(Delivery).join(DeliveryRound, DeliveryRound.delivery_id == Delivery.id)
    query = query.where(DeliveryRound.round_id == round_id).order_by(Delivery.chat_id, Delivery.seq)
    return list(await tx.orm.scalars(query))


async def deliveries_after(
    tx: Transaction, channel_id: str, chat_id: str | None, after: int, limit: int = 500
) -> list[Delivery]:
    """Messages numbered above `after` of one chat, or of every chat of the channel (chat by chat), in order."""
    query = select(Delivery).where(Delivery.channel_id == channel_id, Delivery.seq > after)
    if chat_id is not None:
        query = query.where(Delivery.chat_id == chat_id)
    return list(await tx.orm.scalars(query.order_by(Delivery.chat_id, Delivery.seq).limit(limit)))


async def sent_file(tx: Transaction, channel_id: str, file_id: str) -> File | None:
    """The file, if a message of the channel carries it."""
    file = await find_file(tx, file_id)
    if file is None:
        return None
    mine = Delivery.session_id == file.session_id, Delivery.channel_id == channel_id
    carried = Delivery.message["file"]["id"].as_string() == file_id
    found = await tx.orm.scalar(select(Delivery.id).where(*mine, carried).limit(1))
    return None if found is None else file


async def prune_sent(tx: Transaction, before: datetime) -> int:
    """Forget deliveries that were sent before that time; dead and uncertain ones stay."""
    old = Delivery.state == "sent", Delivery.sent_at < before
    links = DeliveryRound.delivery_id.in_(select(Delivery.id).where(*old))
    await tx.orm.execute(delete(DeliveryRound).where(links).execution_options(synchronize_session=False))
    gone = delete(Delivery).where(*old).returning(Delivery.id).execution_options(synchronize_session=False)
    return len((await tx.orm.scalars(gone)).all())


async def pending_in(tx: Transaction, channel_id: str, chat_id: str) -> list[Delivery]:
    """What waits to be delivered to the chat, in order."""
    here = Delivery.channel_id == channel_id, Delivery.chat_id == chat_id, Delivery.state == "pending"
    return list(await tx.orm.scalars(select(Delivery).where(*here).order_by(Delivery.seq)))


async def readdress(tx: Transaction, delivery: Delivery, chat_id: str, seq: int) -> None:
    """The delivery goes to another chat, as its message number `seq`."""
    delivery.message = delivery.message | {"chat_id": chat_id, "seq": seq}
    delivery.chat_id, delivery.seq = chat_id, seq
    await tx.orm.flush()
