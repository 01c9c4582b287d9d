"""Optimistic locking: who changes something may say which edition of it was seen (`If-Match`)."""

from datetime import UTC, datetime
from typing import Final

from bridge.api.call import Call
from bridge.api.errors import ApiError, param_invalid

HEADER: Final = "If-Match"
ANY: Final = "*"


def check_edition(call: Call, updated_at: datetime) -> None:
    """Raises ApiError (409) if the request was made with an older edition in mind.

    The header holds the `updated_at` that the editor saw, in quotes or not; without it the last writer wins.
    """
    seen = call.request.headers.get(HEADER, ANY).strip().removeprefix("W/").strip('"')
    if seen != ANY and _moment(seen) != updated_at:
        raise ApiError("EDIT_CONFLICT", details={"updated_at": updated_at.isoformat().replace("+00:00", "Z")})


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise param_invalid(HEADER) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
