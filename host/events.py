"""Emitting: the one way in which a session says something."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from host.lanes import Lanes
from host.values import Live
from store.base import Origin, Speaker
from store.database import Transaction
from store.events import Event, add_event
from store.sessions import Session, next_seq


@dataclass(frozen=True, kw_only=True)
class Said:
    """What is to be said. With an `origin` it is also posted there (unless it is not `posted`: then the origin only
    tells where it belongs); `rounds` are the rounds it belongs to.
    """

    kind: str
    speaker: Speaker
    text: str = ""
    turn_id: str | None = None
    job_id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    origin: Origin | None = None
    posted: bool = True
    rounds: Sequence[str] = ()


class Scribe:
    """Numbers events, appends them, and tells readers and the publisher once they are durable."""

    def __init__(self, lanes: Lanes, live: Live, new_id: Callable[[], str]) -> None:
        self._lanes = lanes
        self._live = live
        self._new_id = new_id

    async def emit(self, tx: Transaction, session: Session, said: Said) -> Event:
        """Append to a locked session."""
        posted = said.posted and said.origin is not None
        event = Event(
            session_id=session.id,
            seq=await next_seq(tx, session, posted=posted),
            id=self._new_id(),
            kind=said.kind,
            at=tx.now,
            speaker=said.speaker,
            text=said.text,
            turn_id=said.turn_id,
            job_id=said.job_id,
            data=said.data,
            origin=said.origin,
            rounds=list(said.rounds),
        )
        await add_event(tx, event)
        tx.after_commit(lambda: self._live.emitted(session.id, [event]))
        if posted:
            await self._lanes.wake(tx, f"publish:{session.id}")
        return event
