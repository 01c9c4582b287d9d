"""Fetching from addresses that nobody vouches for: those in people's messages and those that a model names (X7).

Only http and https, never with credentials or cookies, and only to public addresses: each name is resolved here, every
address it has is checked, and the connection goes to exactly these. The same holds after each redirect. Bytes and time
are capped while they come in, unpacked ones too.
"""

import asyncio
import socket
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from typing import Final
from urllib.parse import unquote

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, hdrs
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from host.addresses import Address, address_of, is_public
from host.errors import OutsideFailed, OutsideRefused

MAX_REDIRECTS: Final = 5
SECONDS: Final = 60.0
"""For the whole of it, redirects included."""

USER_AGENT: Final = "teambridge (fetches what a person or an agent in a chat asked for)"
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_CHUNK: Final = 64 * 1024
_PACKED: Final = ("gzip", "x-gzip", "deflate")
_EITHER: Final = 47
"""zlib's window for gzip and zlib alike, told apart by their heads."""

Allowed = Callable[[Address], bool]
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""`resolve(host, port)`: the addresses of a name. Raises OSError."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back: the address it came from in the end, what it says it is, and its bytes.

    `name` is what the answer or its address calls the file, perhaps "", and not to be trusted. `pieces` are the
    unpacked bytes, to be read once; reading raises OutsideRefused (too large) and OutsideFailed.
    """

    url: str
    mime: str
    charset: str
    name: str
    pieces: AsyncIterator[bytes] = field(repr=False)


async def system_resolve(host: str, port: int) -> list[str]:
    """The system's own resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


@asynccontextmanager
async def open_outside(
    url: str,
    *,
    limit: int,
    whole: bool = True,
    seconds: float = SECONDS,
    accept: str = "*/*",
    allowed: Allowed = is_public,
    resolve: Resolve = system_resolve,
) -> AsyncIterator[Answer]:
    """Ask for `url`: an answer of at most `limit` bytes within `seconds`. Raises OutsideRefused, OutsideFailed.

    A longer one is refused if it must be `whole`, else cut.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    checked = _Checked(allowed, resolve)
    async with ClientSession(
        connector=TCPConnector(resolver=checked, use_dns_cache=False, force_close=True),
        cookie_jar=DummyCookieJar(),
        headers={"User-Agent": USER_AGENT, "Accept": accept, "Accept-Encoding": "gzip"},
        auto_decompress=False,
        timeout=ClientTimeout(total=None),
    ) as http:
        with _explained():
            async with asyncio.timeout_at(deadline):
                response = await _arrive(http, checked, url)
        async with response:
            yield _answer(response, _Cap(limit=limit, whole=whole), deadline)


class _Checked(AbstractResolver):
    """Names become addresses here and nowhere else, and only allowed ones come out."""

    def __init__(self, allowed: Allowed, resolve: Resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Raises OutsideRefused if one of the name's addresses is not allowed: then none of them is trusted."""
        return [_result(host, port, address) for address in await self.addresses(host, port)]

    async def addresses(self, host: str, port: int) -> list[Address]:
        found = [address_of(each) for each in await self._resolve(host, port)]
        good = [each for each in found if each is not None and self._allowed(each)]
        if not good or len(good) < len(found):
            raise OutsideRefused("address", f"{host} is not a public address")
        return good

    async def close(self) -> None:
        pass


def _result(host: str, port: int, address: Address) -> ResolveResult:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=str(address), port=port, family=family, proto=0, flags=flags)


async def _arrive(http: ClientSession, checked: _Checked, url: str) -> ClientResponse:
    """The answer at the end of the redirects."""
    here = URL(url)
    for _ in range(MAX_REDIRECTS + 1):
        await _check(checked, here)
        response = await http.get(here, allow_redirects=False)
        if response.status not in _REDIRECTS or hdrs.LOCATION not in response.headers:
            return _good(response)
        response.close()
        here = here.join(URL(response.headers[hdrs.LOCATION]))
    raise OutsideRefused("redirects", f"more than {MAX_REDIRECTS} redirects")


async def _check(checked: _Checked, url: URL) -> None:
    """The client asks its resolver about names only: what is or resembles a bare address is looked at here."""
    if url.scheme not in ("http", "https") or not url.host:
        raise OutsideRefused("scheme", "only http:// and https:// addresses are fetched")
    if url.user is not None or url.password is not None:
        raise OutsideRefused("credentials", "an address with a user name or a password is not fetched")
    if ":" in url.host or url.host.replace(".", "").isdigit():
        await checked.addresses(url.host, url.port or 0)


def _good(response: ClientResponse) -> ClientResponse:
    if 200 <= response.status < 300:
        return response
    response.close()
    raise OutsideFailed("status", f"the server answered {response.status}", status=response.status)


@dataclass(frozen=True, kw_only=True)
class _Cap:
    limit: int
    whole: bool

    def refusal(self) -> OutsideRefused:
        return OutsideRefused("too_large", f"it is larger than {self.limit} bytes")


def _answer(response: ClientResponse, cap: _Cap, deadline: float) -> Answer:
    packed = response.headers.get(hdrs.CONTENT_ENCODING, "identity").strip().lower()
    if packed not in (*_PACKED, "identity", ""):
        raise OutsideRefused("encoding", "the server packed its answer in a way that was not asked for")
    if cap.whole and (response.content_length or 0) > cap.limit:
        raise cap.refusal()
    raw = _raw(response, deadline)
    return Answer(
        url=str(response.url),
        mime=response.content_type,
        charset=response.charset or "",
        name=_name(response),
        pieces=_capped(_unpacked(raw) if packed in _PACKED else raw, cap),
    )


async def _raw(response: ClientResponse, deadline: float) -> AsyncIterator[bytes]:
    while True:
        with _explained():
            async with asyncio.timeout_at(deadline):
                piece = await response.content.read(_CHUNK)
        if not piece:
            return
        yield piece


async def _unpacked(raw: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    unpacker = zlib.decompressobj(_EITHER)
    is_empty = True
    async for packed in raw:
        is_empty = False
        for piece in _small_pieces(unpacker, packed):
            yield piece
    if not unpacker.eof and not is_empty:
        raise OutsideFailed("connection", "the answer ended too early")


def _small_pieces(unpacker: "zlib._Decompress", packed: bytes) -> Iterator[bytes]:
    """A little at a time, so that a small answer never becomes a large one before it is counted."""
    rest = packed
    while rest and not unpacker.eof:
        try:
            piece = unpacker.decompress(rest, _CHUNK)
        except zlib.error as fault:
            raise OutsideFailed("connection", "the server's answer cannot be unpacked", status=400) from fault
        rest = unpacker.unconsumed_tail
        yield piece


async def _capped(pieces: AsyncIterator[bytes], cap: _Cap) -> AsyncIterator[bytes]:
    left = cap.limit
    async for piece in pieces:
        if len(piece) > left:
            if cap.whole:
                raise cap.refusal()
            yield piece[:left]
            return
        left -= len(piece)
        yield piece


def _name(response: ClientResponse) -> str:
    disposition = Message()
    disposition["content-disposition"] = response.headers.get(hdrs.CONTENT_DISPOSITION, "")
    return disposition.get_filename() or unquote(response.url.raw_name)


@contextmanager
def _explained() -> Iterator[None]:
    """What the client raises, in our words."""
    try:
        yield
    except TimeoutError as fault:
        raise OutsideFailed("time", "the server took too long") from fault
    except (ClientError, OSError) as fault:
        raise OutsideFailed("connection", f"the server could not be reached ({type(fault).__name__})") from fault
    except ValueError as fault:
        raise OutsideRefused("scheme", "this is not an address that can be fetched") from fault
