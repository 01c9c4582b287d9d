"""`web_fetch`: pages as Markdown, text as it is, everything else as a sentence; only where it may go (X7)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from host.addresses import Address
from host.agent import ToolCall
from host.errors import ToolFault
from host.web import LARGEST, SHOWN, WebTools

PAGE = """<!doctype html><html><head><title> Green
 tea </title><style>b{}</style><script>alert("x")</script></head><body><nav>Home | About</nav>
<h1>Tea</h1><p>Hello <b>green</b> <a href="/more?x=1">tea</a>.</p><ul><li>one</li><li>two</li></ul>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<img src="data:image/png;base64,AAAA" alt="a leaf"><form><input value="x">search</form></body></html>"""


class Site:
    """One page on this machine, which counts as public here."""

    def __init__(self) -> None:
        self.body = b""
        self.mime = "text/html; charset=utf-8"
        self.port = 0

    async def answer(self, request: web.Request) -> web.Response:
        return web.Response(body=self.body, headers={"Content-Type": self.mime})

    async def resolve(self, host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async def fetch(self, body: str | bytes, mime: str = "text/html; charset=utf-8") -> Any:
        self.body, self.mime = body if isinstance(body, bytes) else body.encode(), mime
        [tool] = await WebTools(allowed=_is_ours, resolve=self.resolve).tools(("web_fetch",), None)  # type: ignore[arg-type]
        return await tool.run(_call(f"http://site.example:{self.port}/a/page"))


def _is_ours(address: Address) -> bool:
    return str(address) == "127.0.0.1"


def _call(url: str) -> ToolCall:
    return ToolCall(id="c", number=1, position=0, name="web_fetch", arguments={"url": url})


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", site.answer)
    async with TestServer(app) as server:
        site.port = int(server.port or 0)
        yield site


async def test_a_page_is_its_text(site: Site) -> None:
    """Address, title, Markdown with whole links; no scripts, menus, forms and pictures."""
    text = await site.fetch(PAGE)
    here = f"http://site.example:{site.port}"
    assert text.splitlines()[:3] == [f"{here}/a/page", "# Green tea", ""]
    assert "# Tea" in text
    assert f"Hello **green** [tea]({here}/more?x=1)." in text
    assert "* one\n* two" in text
    assert "| a | b |" in text
    assert "a leaf" in text
    assert not [each for each in ("alert", "b{}", "base64", "search", "About") if each in text]


async def test_the_main_part_of_a_page(site: Site) -> None:
    text = await site.fetch(f"<div>menu</div><main><p>{'word ' * 100}</p></main><footer>imprint</footer>")
    assert "word" in text
    assert not [each for each in ("menu", "imprint") if each in text]
    assert "menu" in await site.fetch("<div>menu</div><main>too short</main>")


@pytest.mark.parametrize(
    ("body", "mime"),
    [
        ("<p>绿茶</p>".encode("gbk"), "text/html; charset=gbk"),
        ('<meta charset="gb2312"><p>绿茶</p>'.encode("gb2312"), "text/html"),
        ("<p>绿茶</p>".encode(), "text/html"),
        ("<p>绿茶</p>".encode(), "text/html; charset=no-such-charset"),
        ("绿茶".encode("gb18030"), "text/plain"),
        ("绿茶".encode("utf-16"), "text/plain; charset=utf-16"),
        ("绿茶".encode(), "application/ld+json"),
    ],
)
async def test_charsets(site: Site, body: bytes, mime: str) -> None:
    assert "绿茶" in await site.fetch(body, mime)


async def test_text_and_json_stay_as_they_are(site: Site) -> None:
    body = '{"a": [1, 2],\n "b": "<p>"}'
    assert (await site.fetch(body, "application/json")).endswith(f"\n{body}")


async def test_what_is_no_text_is_said_so(site: Site) -> None:
    with pytest.raises(ToolFault, match="image/png, no text"):
        await site.fetch(b"\x89PNG", "image/png")
    with pytest.raises(ToolFault, match="no text"):
        await site.fetch(b"\x00\x01\x02", "application/octet-stream")


async def test_a_long_page_is_cut(site: Site) -> None:
    """What a model gets is capped, and what is looked at."""
    text = await site.fetch("绿" * SHOWN, "text/plain; charset=utf-8")
    assert len(text.encode()) < SHOWN + 200
    assert f"[cut: {SHOWN - SHOWN // 3} more characters]" in text
    text = await site.fetch("x" * (LARGEST + 1000), "text/plain")
    assert f"[cut: {LARGEST - SHOWN} more characters]" in text


async def test_a_page_made_to_break_its_reader(site: Site) -> None:
    """Nesting without end is a fault of the call, not of the run."""
    with pytest.raises(ToolFault, match="nested"):
        await site.fetch("<div>" * 20_000 + "x")


async def test_where_it_may_not_go(site: Site) -> None:
    """X7: with the real rule and the real resolver."""
    [tool] = await WebTools().tools(("web_fetch",), None)  # type: ignore[arg-type]
    for url in (f"http://127.0.0.1:{site.port}/", "http://localhost/", "file:///etc/passwd", "http://169.254.169.254/"):
        with pytest.raises(ToolFault, match="was not fetched"):
            await tool.run(_call(url))
    with pytest.raises(ToolFault):
        await tool.run(_call(""))
    assert await WebTools().tools(("file_read",), None) == []  # type: ignore[arg-type]
