"""Events: numbered, durable facts of a session that people may see. Append-only."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Text, bindparam, select
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Origin, Row, Speaker
from store.database import Transaction
from store.prepared import Prepared


class Event(Row):
    """One event; `kind` as in the API. `rounds` are the rounds it belongs to, `origin` the place it is posted to."""

    __tablename__ = "events"

    session_id: Mapped[str] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    at: Mapped[datetime]
    speaker: Mapped[Speaker]
    text: Mapped[str] = mapped_column(Text, default="")
    turn_id: Mapped[str | None] = mapped_column(default=None)
    job_id: Mapped[str | None] = mapped_column(default=None)
    data: Mapped[dict[str, Any]] = mapped_column(default=dict)
    origin: Mapped[Origin | None] = mapped_column(default=None)
    rounds: Mapped[list[str]] = mapped_column(default=list)


_AFTER: Prepared[Event] = Prepared(
    select(Event)
    .where(Event.session_id == bindparam("session_id"), Event.seq > bindparam("after"))
    .order_by(Event.seq)
    .limit(bindparam("limit"))
)


async def events_after(tx: Transaction, session_id: str, after: int, limit: int = 1000) -> list[Event]:
    """The session's events with a number above `after`, in order."""
    return await tx.rows(_AFTER, session_id=session_id, after=after, limit=limit)


async def add_event(tx: Transaction, event: Event) -> None:
    """Append. The session must be locked and the number fresh from `next_seq`."""
    await tx.add(event)


async def find_event(tx: Transaction, session_id: str, seq: int) -> Event | None:
    return await tx.get(Event, session_id, seq)


async def tell_later(event: Event, **data: Any) -> None:
    """What nobody could know when the event was appended; the only change that an event ever sees."""
    event.data = {**event.data, **data}


_NEWEST: Prepared[Event] = Prepared(
    select(Event)
    .where(Event.session_id == bindparam("session_id"), Event.kind.in_(bindparam("kinds")))
    .order_by(Event.seq.desc())
    .limit(bindparam("limit"))
)


async def transcript(tx: Transaction, session_id: str, kinds: Sequence[str], limit: int) -> list[Event]:
    """The newest `limit` events of these kinds, in order."""
    return (await tx.rows(_NEWEST, session_id=session_id, kinds=list(kinds), limit=limit))[::-1]


async def notices_of_turn(tx: Transaction, session_id: str, turn_id: str) -> list[Event]:
    """What was noted in this turn."""
    mine = Event.session_id == session_id, Event.turn_id == turn_id, Event.kind == "notice"
    return list(await tx.orm.scalars(select(Event).where(*mine).order_by(Event.seq)))


async def words_of_turns(tx: Transaction, session_ids: Sequence[str], turn_ids: Sequence[str]) -> dict[str, Event]:
    """The last of what each of these turns said, or why it failed, by turn id. `session_ids` are the turns' own."""
    said = ("host_message", "member_message", "wrapup", "turn_ended")
    mine = Event.session_id.in_(session_ids), Event.turn_id.in_(turn_ids), Event.kind.in_(said)
    found: dict[str, Event] = {}
    for event in await tx.orm.scalars(select(Event).where(*mine).order_by(Event.session_id, Event.seq)):
        if event.turn_id is not None and event.text.strip():
            found[event.turn_id] = event
    return found
