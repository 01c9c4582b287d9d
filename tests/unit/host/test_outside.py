"""Fetching from outside (X7): public addresses only, however they are spelled or reached; everything is capped."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from ipaddress import ip_address

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from host.addresses import Address, address_of, is_public
from host.errors import OutsideFailed, OutsideRefused
from host.outside import open_outside

Play = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """A site of several names on this machine, which counts as public here, and the names of the world around it."""

    def __init__(self) -> None:
        self.play: Play = _hello
        self.names = {"site.example": ["127.0.0.1"], "inside.example": ["127.0.0.2"]}
        self.asked: list[web.Request] = []
        self.resolved: list[str] = []
        self.port = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        return await self.play(request)

    async def resolve(self, host: str, port: int) -> list[str]:
        self.resolved.append(host)
        if host not in self.names and address_of(host) is None:
            raise OSError("no such name")
        return self.names.get(host, [host])

    def url(self, path: str = "/", host: str = "site.example") -> str:
        return f"http://{host}:{self.port}{path}"

    async def fetch(self, url: str, *, limit: int = 1000, seconds: float = 5) -> bytes:
        async with open_outside(url, limit=limit, seconds=seconds, allowed=_is_ours, resolve=self.resolve) as answer:
            return b"".join([piece async for piece in answer.pieces])


def _is_ours(address: Address) -> bool:
    return str(address) == "127.0.0.1" or is_public(address)


async def _hello(request: web.Request) -> web.Response:
    return web.Response(text="hello")


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", site.answer)
    async with TestServer(app) as server:
        site.port = int(server.port or 0)
        yield site


def _sends(body: bytes, **headers: str) -> Play:
    async def play(request: web.Request) -> web.Response:
        return web.Response(body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return play


def _leads(target: str) -> Play:
    async def play(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": target})

    return play


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0.1.2.3"),
        *("224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1", "::ffff:10.0.0.1"),
        *("::127.0.0.1", "fe80::1", "fe80::1%1", "fc00::1", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::1"),
        *("2002:7f00:1::", "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "100::1"),
        *("::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe"),
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    """X7: loopback, private, link-local, metadata, and all of them inside of IPv6."""
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(ip_address(address))


async def test_a_public_page_is_fetched(site: Site) -> None:
    """An honest name, nothing that identifies anybody, and what the answer is."""
    site.play = _sends(b"%PDF", Content_Type="application/pdf", Content_Disposition='attachment; filename="a b.pdf"')
    url = site.url("/x/y%20z.bin?q=1")
    async with open_outside(url, limit=4, allowed=_is_ours, resolve=site.resolve) as answer:
        assert (answer.url, answer.mime, answer.name) == (url, "application/pdf", "a b.pdf")
        assert [piece async for piece in answer.pieces] == [b"%PDF"]
    headers = site.asked[0].headers
    assert headers["User-Agent"].startswith("teambridge")
    assert not {"Cookie", "Authorization", "Referer"} & set(headers)


async def test_the_name_may_come_from_the_address(site: Site) -> None:
    async with open_outside(site.url("/x/y%20z.bin"), limit=9, allowed=_is_ours, resolve=site.resolve) as answer:
        assert (answer.name, answer.charset) == ("y z.bin", "utf-8")


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://site.example/", "file:///etc/passwd", "site.example/", "", "http://", "gopher://x/", "http:///x"),
        *("javascript:alert(1)", "http://[::1", "http://a..b:99999/"),
    ],
)
async def test_only_web_addresses(site: Site, url: str) -> None:
    """X7."""
    with pytest.raises(OutsideRefused) as refused:
        await site.fetch(url)
    assert refused.value.code == "scheme"


async def test_no_credentials_in_the_address(site: Site) -> None:
    """X7."""
    with pytest.raises(OutsideRefused) as refused:
        await site.fetch(f"http://ann:secret@site.example:{site.port}/")
    assert (refused.value.code, site.asked) == ("credentials", [])


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "0",
        "127.0.0.1.",
    ],
)
async def test_our_own_machine_is_never_asked(site: Site, host: str) -> None:
    """X7: whatever way to write it; the real resolver and the real rule."""
    with pytest.raises((OutsideRefused, OutsideFailed)):
        async with open_outside(site.url(host=host), limit=9):
            pass
    assert site.asked == []


async def test_one_private_address_among_public_ones_is_too_many(site: Site) -> None:
    """X7."""
    site.names["mixed.example"] = ["127.0.0.1", "10.0.0.1"]
    with pytest.raises(OutsideRefused) as refused:
        await site.fetch(site.url(host="mixed.example"))
    assert (refused.value.code, site.asked) == ("address", [])


@pytest.mark.parametrize(
    "where", ["http://inside.example/", "http://10.0.0.1/", "//inside.example/", "file:///etc/passwd"]
)
async def test_a_redirect_inside_is_refused(site: Site, where: str) -> None:
    """X7: each step is checked like the first."""
    site.play = _leads(where)
    with pytest.raises(OutsideRefused):
        await site.fetch(site.url())
    assert len(site.asked) == 1


async def test_redirects_end(site: Site) -> None:
    site.play = _leads("/again")
    with pytest.raises(OutsideRefused) as refused:
        await site.fetch(site.url())
    assert (refused.value.code, len(site.asked)) == ("redirects", 6)


async def test_a_relative_redirect_is_followed(site: Site) -> None:
    async def play(request: web.Request) -> web.Response:
        if request.path == "/there/":
            return web.Response(text="arrived")
        return web.Response(status=307, headers={"Location": "./there/"})

    site.play = play
    assert await site.fetch(site.url("/")) == b"arrived"


async def test_a_name_that_turns_inside_later_is_not_followed(site: Site) -> None:
    """X7: the connection goes to the address that was checked (DNS rebinding)."""
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])

    async def resolve(host: str, port: int) -> list[str]:
        return next(answers)

    async with open_outside(site.url(), limit=9, allowed=_is_ours, resolve=resolve) as answer:
        assert answer.url == site.url()
    with pytest.raises(OutsideRefused):
        async with open_outside(site.url(), limit=9, allowed=_is_ours, resolve=resolve):
            pass
    assert len(site.asked) == 1
    assert next(answers, None) is None, "a name is asked for once for each connection"


async def test_too_much_is_given_up(site: Site) -> None:
    """X7: by what the head says, and while it streams."""
    site.play = _sends(b"x" * 1001)
    with pytest.raises(OutsideRefused) as refused:
        await site.fetch(site.url())
    assert refused.value.code == "too_large"

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 100)

    site.play = endless
    with pytest.raises(OutsideRefused) as refused:
        await site.fetch(site.url())
    assert refused.value.code == "too_large"


async def test_what_need_not_be_whole_is_cut(site: Site) -> None:
    site.play = _sends(b"x" * 1001)
    async with open_outside(site.url(), limit=9, whole=False, allowed=_is_ours, resolve=site.resolve) as answer:
        assert b"".join([piece async for piece in answer.pieces]) == b"x" * 9


async def test_what_is_packed_is_unpacked(site: Site) -> None:
    for body, how in (
        (gzip.compress(b"hello" * 100), "gzip"),
        (zlib.compress(b"hello" * 100), "deflate"),
        (b"", "gzip"),
    ):
        site.play = _sends(body, Content_Encoding=how)
        assert await site.fetch(site.url()) == (b"hello" * 100 if body else b"")


async def test_a_bomb_is_given_up_before_it_is_large(site: Site) -> None:
    """X7: a hundred kilobytes that would become a hundred megabytes."""
    packer = zlib.compressobj(wbits=31)
    bomb = b"".join(packer.compress(bytes(1_000_000)) for _ in range(100)) + packer.flush()
    site.play = _sends(bomb, Content_Encoding="gzip")
    seen: list[bytes] = []

    async def read() -> None:
        async with open_outside(site.url(), limit=200_000, allowed=_is_ours, resolve=site.resolve) as answer:
            while True:
                seen.append(await anext(answer.pieces))

    with pytest.raises(OutsideRefused):
        await read()
    assert max(map(len, seen)) <= 65_536
    assert sum(map(len, seen)) <= 200_000


async def test_an_answer_that_is_packed_wrongly(site: Site) -> None:
    for body in (b"not gzip at all", gzip.compress(b"hello" * 1000)[:-12]):
        site.play = _sends(body, Content_Encoding="gzip")
        with pytest.raises(OutsideFailed):
            await site.fetch(site.url(), limit=10_000)
    site.play = _sends(b"x", Content_Encoding="br")
    with pytest.raises(OutsideRefused):
        await site.fetch(site.url())


async def test_a_slow_body_is_given_up(site: Site) -> None:
    """X7: time is capped for the whole of it, not for each byte."""
    over = asyncio.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"x")
        await over.wait()
        return response

    site.play = slow
    try:
        with pytest.raises(OutsideFailed) as failed:
            await site.fetch(site.url(), seconds=0.2)
        assert (failed.value.code, failed.value.may_work_later) == ("time", True)
    finally:
        over.set()


async def test_what_the_server_says_decides_about_another_try(site: Site) -> None:
    for status, later in ((404, False), (403, False), (429, True), (503, True)):

        async def play(request: web.Request, status: int = status) -> web.Response:
            return web.Response(status=status)

        site.play = play
        with pytest.raises(OutsideFailed) as failed:
            await site.fetch(site.url())
        assert (failed.value.status, failed.value.may_work_later) == (status, later)
    with pytest.raises(OutsideFailed) as failed:
        await site.fetch("http://nowhere.example/")
    assert (failed.value.code, failed.value.may_work_later) == ("connection", True)
