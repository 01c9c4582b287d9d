"""A session's events, page by page."""

from typing import Final, Literal

from pydantic import Field

from bridge.api.call import Call, Page, Words
from bridge.api.errors import param_invalid
from bridge.api.routes import Routes
from bridge.api.sessions import READING, read_session
from bridge.frames import EventShape, event_shape
from bridge.html import html_of
from bridge.shape import Shape
from store.database import Transaction
from store.events import Event, events_after

routes: Final = Routes("sessions")

LARGEST_SEQ: Final = 2**63 - 1


class Passage(Shape):
    """Events numbered above `after`; `cursor` (of the page before) goes before it. `render=html` adds `html`."""

    after: int = Field(default=0, ge=0, le=LARGEST_SEQ)
    limit: int = Field(default=200, ge=1, le=1000)
    cursor: Words = ""
    render: Literal["html"] | None = None


@routes.add("GET", "/api/sessions/{id}/events", errors=("PARAM_INVALID", *READING))
async def index(call: Call, query: Passage) -> Page[EventShape]:
    """The events of a session in order, each number exactly once."""
    after = _position(query.cursor) if query.cursor else query.after

    async def look(tx: Transaction) -> list[Event]:
        session = await read_session(call, tx)
        return await events_after(tx, session.id, after, query.limit + 1)

    found = await call.read(look)
    rows = found[: query.limit]
    items = [event_shape(row, html_of(row) if query.render else None) for row in rows]
    return Page(items=items, next=str(rows[-1].seq) if len(found) > query.limit else None)


def _position(cursor: str) -> int:
    if not cursor.isascii() or not cursor.isdigit() or int(cursor) > LARGEST_SEQ:
        raise param_invalid("cursor")
    return int(cursor)
