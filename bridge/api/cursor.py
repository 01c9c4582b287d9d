"""Cursors of lists ordered by (time, id): opaque to clients, and good for the list that gave them only."""

import base64
import binascii
from datetime import datetime

from bridge.api.errors import param_invalid


def pack(listed: str, at: datetime, last: str) -> str:
    """`listed` names the list."""
    return base64.urlsafe_b64encode(f"{listed} {at.isoformat()} {last}".encode()).decode().rstrip("=")


def unpack(listed: str, cursor: str) -> tuple[datetime, str] | None:
    """What `pack` packed for this list; None for "". Raises ApiError."""
    if not cursor:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        name, at, last = text.split(" ", 2)
        moment = datetime.fromisoformat(at)
    except (ValueError, binascii.Error):
        raise param_invalid("cursor") from None
    if name != listed or moment.tzinfo is None or "\0" in last:
        raise param_invalid("cursor")
    return moment, last
