"""Servers over HTTP: sessions that are forgotten, answers that are none, connections that are cut."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from host.errors import Interrupted, ServerDown, ToolFault
from host.mcp.spec import ServerSpec
from tests.support.mcp_server import TOOLS
from tests.support.mcp_web import McpWeb, called
from tests.unit.host.mcp.conftest import HASTY, Hire, eventually

ECHO = [{"type": "text", "text": "echo hi"}]


@pytest.fixture
async def web() -> AsyncIterator[McpWeb]:
    async with McpWeb() as opened:
        yield opened


def spec(web: McpWeb) -> ServerSpec:
    return ServerSpec(name="docs", url=web.url, headers={"Authorization": "Bearer tok-1234567"})


@pytest.mark.parametrize("manner", ["", "sse"])
async def test_a_server_is_asked_over_http(hire: Hire, web: McpWeb, manner: str) -> None:
    """Issue: streamable HTTP, with the headers of the configuration; the session is closed at the end."""
    web.manner = manner
    server = hire(spec(web))
    assert len((await server.offers()).fit) == len(TOOLS)
    assert (await server.call("echo", {"text": "hi"}))["content"] == ECHO
    assert {headers["Authorization"] for headers in web.headers} == {"Bearer tok-1234567"}
    await server.stop()
    assert (web.sessions, web.ended) == (1, 1)


async def test_a_server_that_has_forgotten_us_is_told_again(hire: Hire, web: McpWeb) -> None:
    """After a restart of the server the call is made once, in a new session."""
    server = hire(spec(web))
    await server.offers()
    web.forget()
    assert (await server.call("echo", {"text": "hi"}))["content"] == ECHO
    assert web.sessions == 2


async def test_a_page_of_a_proxy_is_a_tool_error(hire: Hire, web: McpWeb) -> None:
    server = hire(spec(web))
    await server.offers()
    web.manner = "page"
    with pytest.raises(ToolFault, match="Unexpected content type"):
        await server.call("echo", {"text": "hi"})


@pytest.mark.parametrize("manner", ["cut", "gush", "squeeze"])
async def test_an_answer_that_cannot_be_had_is_an_interruption(hire: Hire, web: McpWeb, manner: str) -> None:
    """R6: an endless answer, and one that would grow when it is unpacked, are not read; the next call is made."""
    server = hire(spec(web))
    await server.offers()
    web.manner = manner
    with pytest.raises(Interrupted):
        await server.call("echo", {"text": "hi"})
    web.manner = ""
    assert (await server.call("echo", {"text": "hi"}))["content"] == ECHO
    assert called(web.requests) == ["echo", "echo"]


async def test_a_call_over_http_has_its_time_and_ends_with_its_run(hire: Hire, web: McpWeb) -> None:
    server = hire(spec(web), HASTY)
    await server.offers()
    web.manner = "hang"
    with pytest.raises(ToolFault, match="no answer within"):
        await server.call("echo", {"text": "hi"})
    calling = asyncio.create_task(server.call("echo", {"text": "hi"}))
    await eventually(lambda: len(called(web.requests)) == 2)
    calling.cancel()
    await asyncio.wait({calling}, timeout=1)
    assert calling.cancelled()
    web.manner = ""
    assert (await server.call("echo", {"text": "hi"}))["content"] == ECHO


async def test_a_server_that_stops_listening_holds_nobody_up(hire: Hire, web: McpWeb) -> None:
    """Issue: a call has a time cap, also while it is still being said; R7: such a server does not delay a stop."""
    server = hire(spec(web), HASTY)
    await server.offers()
    web.manner = "deaf"
    for _ in range(2):
        with pytest.raises(ToolFault, match="no answer within"):
            await asyncio.wait_for(server.call("echo", {"text": "hi"}), 3)
    await asyncio.wait_for(server.stop(), 5)
    web.manner = ""
    assert (await server.call("echo", {"text": "hi"}))["content"] == ECHO


async def test_nobody_at_the_address(hire: Hire) -> None:
    """X5: the address, which may hold a key, is not repeated."""
    server = hire(ServerSpec(name="docs", url="http://127.0.0.1:9/mcp?api_key=secret"))
    with pytest.raises(ServerDown) as down:
        await server.offers()
    assert down.value.reason == "cannot be reached (ConnectError)"
