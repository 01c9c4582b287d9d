"""HTTP as this channel needs it: the library's own requests, with what it drops of an answer looked at before."""

import json
import re
from typing import Any, Final

import httpx
from telegram.request import HTTPXRequest

from channels.telegram.faults import Pause, ServerFault, TooLarge

_AFTER: Final = re.compile(r"retry after (\d+)", re.IGNORECASE)
_DEFAULT_PAUSE: Final = 5


def make_request(*, pool: int, connect: float, read: float, is_local: bool) -> HTTPXRequest:
    """A pool of connections. A server on this machine is never asked through a proxy of the environment."""
    return HTTPXRequest(
        connection_pool_size=pool,
        connect_timeout=connect,
        read_timeout=read,
        write_timeout=read,
        pool_timeout=connect,
        media_write_timeout=max(read, 60.0),
        httpx_kwargs={"trust_env": not is_local, "event_hooks": {"response": [examine]}},
    )


async def examine(answer: httpx.Response) -> None:
    """Raises for what the library would make alike: a 5xx, a 413, and a 429 in whatever shape it tells its pause."""
    if answer.status_code == 413:
        raise TooLarge("Request Entity Too Large")
    if answer.status_code >= 500:
        raise ServerFault(f"Telegram answered {answer.status_code}")
    if answer.status_code == 429:
        raise Pause(_pause(answer.headers.get("Retry-After", ""), await answer.aread()))


def _pause(header: str, body: bytes) -> int:
    """Seconds: from the parameters, the description or the header of an answer, whichever is longest."""
    told = [_in_body(body), int(header) if header.isdigit() else 0]
    return max(told) or _DEFAULT_PAUSE


def _in_body(body: bytes) -> int:
    try:
        answer: Any = json.loads(body)
        described = _AFTER.search(str(answer.get("description", "")))
        told = (answer.get("parameters") or {}).get("retry_after", 0)
        return max(int(told), int(described[1]) if described else 0)
    except (ValueError, TypeError, AttributeError):
        return 0
