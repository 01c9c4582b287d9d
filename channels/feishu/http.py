"""HTTP as this channel needs it: bounded in time and size, no redirects, and faults told without addresses."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
from yarl import URL

from channels.feishu.faults import Later, pause_of

MOST_BYTES: Final = 1024 * 1024
"""Bytes of an answer that are read; the platform's are far shorter."""

Payload = Mapping[str, Any] | Callable[[], aiohttp.FormData] | None
"""What goes along: JSON, or a form that is made anew for each attempt."""

_FAULTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (TimeoutError, "the platform did not answer in time"),
    (aiohttp.ClientConnectorDNSError, "the platform's host name was not found"),
    (aiohttp.ClientSSLError, "no secure connection to the platform"),
    (aiohttp.ClientConnectorError, "the platform is not reachable"),
    (aiohttp.ClientConnectionError, "the connection to the platform was cut"),
    (Exception, "the platform's answer was unusable"),
)
"""From the particular to the general. The exceptions' own texts may contain addresses, which may carry keys."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds: for a whole call, for one with a file, to connect, between two signs of life on the long connection; for
    looking up names that are only nice to know; and until an event is answered, which the platform brings again after
    three."""

    call: float = 20.0
    file: float = 180.0
    connect: float = 10.0
    beat: float = 20.0
    look_up: float = 1.2
    answer: float = 2.5


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A JSON answer, whatever it says; `code` 0 is success."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def code(self) -> int:
        """The platform's code; -1 if there is none."""
        code = self.body.get("code", -1)
        return code if isinstance(code, int) else -1

    @property
    def message(self) -> str:
        return str(self.body.get("msg") or "")


def make_session(patience: Patience, *, is_local: bool) -> aiohttp.ClientSession:
    """Make it where a loop runs; close it. A platform on this machine is never asked through a proxy."""
    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=patience.call, sock_connect=patience.connect),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": "teambridge"},
        json_serialize=_compact,
        trust_env=not is_local,
    )


def _compact(value: Any) -> str:
    """The platform counts bytes, and an escaped character takes twice as many as the character."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


async def ask(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    *,
    query: Mapping[str, str] | None = None,
    payload: Payload = None,
    headers: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Answer:
    """One call that is answered in JSON, within `seconds` or the session's own. Raises Later for everything that is no
    such answer."""
    async with opened(session, method, url, query=query, payload=payload, headers=headers, seconds=seconds) as response:
        body = _object(await _read(response))
        if body is None:
            raise Later("the platform's answer was unusable", pause_of(response.headers))
        return Answer(status=response.status, body=body, headers=response.headers)


@asynccontextmanager
async def opened(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    *,
    query: Mapping[str, str] | None = None,
    payload: Payload = None,
    headers: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> AsyncIterator[aiohttp.ClientResponse]:
    """One call, its body not read yet. Raises Later for what a network does, also while the body is read."""
    sent: dict[str, Any] = {"data": payload()} if callable(payload) else {"json": payload} if payload else {}
    if seconds is not None:
        sent["timeout"] = aiohttp.ClientTimeout(total=seconds, sock_connect=session.timeout.sock_connect)
    address = URL(url, encoded=True).update_query(query or {})
    try:
        async with session.request(method, address, headers=headers, allow_redirects=False, **sent) as response:
            yield response
    except (aiohttp.ClientError, OSError, ValueError, RuntimeError) as error:
        raise Later(reason_of(error)) from error


def reason_of(error: Exception) -> str:
    """Why a call got no answer."""
    return next(reason for kind, reason in _FAULTS if isinstance(error, kind))


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body, or as much of it as an answer may have."""
    pieces = bytearray()
    async for piece in response.content.iter_any():
        pieces += piece
        if len(pieces) > MOST_BYTES:
            response.close()
            break
    return bytes(pieces)


def _object(body: bytes) -> Mapping[str, Any] | None:
    """The JSON object that the body begins with: an answer may be followed by what never ends."""
    try:
        value, _ = json.JSONDecoder().raw_decode(body.decode("utf-8-sig", "replace").lstrip())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
