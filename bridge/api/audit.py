"""The audit: who changed what."""

from datetime import datetime
from functools import partial
from typing import Final

from pydantic import Field

from bridge.api.call import Call, Page, Words
from bridge.api.cursor import pack, unpack
from bridge.api.errors import param_invalid
from bridge.api.routes import Routes
from bridge.shape import Shape
from store.audit import AuditEntry, list_audit

routes: Final = Routes("audit")


class AuditShape(Shape):
    """One change: `action` is "<noun>.<verb>", `keys` names what was changed (never the values)."""

    id: str
    at: datetime
    user_id: str
    action: str
    target_id: str
    keys: list[str]


class Listing(Shape):
    """A page of changes, the newest first."""

    limit: int = Field(default=50, ge=1, le=200)
    cursor: Words = ""


@routes.add("GET", "/api/audit", auth="admin")
async def index(call: Call, query: Listing) -> Page[AuditShape]:
    """What was changed over the API, newest first."""
    found = await call.read(partial(list_audit, limit=query.limit + 1, before=_before(query.cursor)))
    rows = found[: query.limit]
    last = pack("audit", rows[-1].at, str(rows[-1].number)) if len(found) > query.limit else None
    return Page(items=[_shape(row) for row in rows], next=last)


def _before(cursor: str) -> tuple[datetime, int] | None:
    seen = unpack("audit", cursor)
    if seen is None:
        return None
    if not seen[1].isascii() or not seen[1].isdigit() or len(seen[1]) > 18:
        raise param_invalid("cursor")
    return seen[0], int(seen[1])


def _shape(entry: AuditEntry) -> AuditShape:
    return AuditShape(
        id=str(entry.number),
        at=entry.at,
        user_id=entry.user_id,
        action=entry.action,
        target_id=entry.target_id,
        keys=list(entry.data.get("keys", [])),
    )
