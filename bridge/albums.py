"""Messages that were sent in pieces (albums) become one again before anybody looks at them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bridge.arrivals import Outcome, dump_event, dump_outcome, load_event
from channels.types import InboundEvent
from store.database import Transaction
from store.inbox import InboxEvent, change_event, find_pending, finish_event, pending_from

GATHER: Final = timedelta(seconds=1.5)
"""How long the last piece is waited for after the one before: no platform says which piece is the last."""

LONGEST: Final = timedelta(seconds=10)
"""From the first piece on. What comes later is a message of its own."""


def begins_album(row: InboxEvent) -> bool:
    """Whether an event is a piece of something."""
    return bool(row.event.get("album"))


async def gather(tx: Transaction, number: int) -> datetime | None:
    """Make one event of the album that the pending event `number` begins; when to look again if it may have more.

    The first piece becomes the whole message, so that copies of any piece are still recognised.
    """
    first = await find_pending(tx, number)
    if first is None or not begins_album(first):
        return None
    rows = [row for row in await pending_from(tx, first) if row.event.get("album") == first.event["album"]]
    ready = ready_at([row.received_at for row in rows])
    if tx.now < ready:
        return ready
    whole = merge([load_event(row.event) for row in rows])
    await change_event(tx, first, dump_event(whole))
    for row in rows[1:]:
        await finish_event(tx, row, dump_outcome(Outcome(ignored="album")))
    return None


def ready_at(times: Sequence[datetime]) -> datetime:
    """When an album whose pieces came at these times is taken as whole."""
    return min(max(times) + GATHER, min(times) + LONGEST)


def merge(pieces: Sequence[InboundEvent]) -> InboundEvent:
    """The pieces as one message: it speaks to the bot if one of them does, captions one below the other."""
    return replace(
        pieces[0],
        text="\n".join(piece.text for piece in pieces if piece.text),
        mentioned=any(piece.mentioned for piece in pieces),
        attachments=tuple(file for piece in pieces for file in piece.attachments),
        album="",
    )
