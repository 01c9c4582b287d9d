"""An open connection to a tool server. Imports the SDK, which takes half a second: only when a server is needed.

The SDK does the handshake, matches answers with questions and speaks HTTP. Lists and results are taken from it as they
came: its own models would refuse a whole list for one tool that is described wrongly.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import WriteStream
from mcp.client.session import ClientSession, IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, Implementation, ToolListChangedNotification

from host.errors import Interrupted, ServerDown, ToolFault
from host.mcp.capped import PLAIN, cap
from host.mcp.link import Forgotten
from host.mcp.pipes import WAITING, opened_pipes
from host.mcp.spec import Patience, ServerSpec
from store.clock import Clock

GONE: Final = "The tool server was lost during this call. It is unknown whether the call took effect."
_SLOW: Final = "The tool server gave no answer within {seconds:g} seconds. It is unknown whether the call took effect."
_FORGOTTEN: Final = "Session terminated"
"""What the SDK makes of HTTP's 404: the server does not know us any more, so it has done nothing."""

_PAGES: Final = 20
_WORDS: Final = 2_000
"""Characters of an error that the model reads."""

_US: Final = Implementation(name="teambridge", version="1")

for each in (
    "mcp",
    "client",
):  # what goes wrong is told by us, once; a broken server would fill the log with tracebacks
    logging.getLogger(each).setLevel(logging.CRITICAL)


class _Cause(Protocol):
    """Who knows why a connection was lost."""

    @property
    def why(self) -> str: ...


class _Web:
    """Over HTTP the fault itself says it."""

    why = "it cannot be reached"


class Connection:
    """A `host.mcp.link.Link`."""

    def __init__(
        self, dispatcher: JSONRPCDispatcher[Any], patience: Patience, lost: asyncio.Event, cause: _Cause
    ) -> None:
        self._dispatcher = dispatcher
        self._patience = patience
        self._cause = cause
        self.lost = lost
        self.changed = False

    @property
    def why(self) -> str:
        return self._cause.why

    async def listed(self) -> list[object]:
        entries: list[object] = []
        cursor: object = None
        self.changed = False
        for _ in range(_PAGES):
            page = await self._ask("tools/list", {"cursor": cursor} if cursor else {}, self._patience.listing)
            tools = page.get("tools")
            entries += tools if isinstance(tools, list) else []
            cursor = page.get("nextCursor")
            if not cursor:
                break
        return entries

    async def ping(self) -> None:
        await self._ask("ping", {}, self._patience.ping)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        limit = self._patience.call
        if self.lost.is_set():
            raise Forgotten
        try:
            return await self._send("tools/call", {"name": tool, "arguments": dict(arguments)}, limit)
        except MCPError as fault:
            if fault.code == CONNECTION_CLOSED:
                self.lost.set()
            raise _refused(fault, limit) from fault
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError) as fault:
            raise Interrupted(GONE) from fault

    async def _ask(self, method: str, params: Mapping[str, Any], limit: float) -> Mapping[str, Any]:
        try:
            return await self._send(method, params, limit)
        except MCPError as fault:
            slow = fault.code == REQUEST_TIMEOUT
            raise ServerDown(f"no answer to {method} within {limit:g} s" if slow else self._said(fault)) from fault
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError) as fault:
            raise ServerDown(self.why) from fault

    def _said(self, fault: MCPError) -> str:
        return self.why if fault.code == CONNECTION_CLOSED else f"it answered: {fault.message[:_WORDS]}"

    async def _send(self, method: str, params: Mapping[str, Any], limit: float) -> Mapping[str, Any]:
        """The SDK begins to count when the question is out, which may take for ever if the server does not listen."""
        options: CallOptions = {"timeout": limit}
        try:
            async with asyncio.timeout(limit + self._patience.writing):
                return await self._dispatcher.send_raw_request(method, params, options)
        except TimeoutError as fault:
            raise MCPError(code=REQUEST_TIMEOUT, message="it does not listen") from fault

    async def hear(self, message: IncomingMessage) -> None:
        """What the server says unasked."""
        if isinstance(message, ToolListChangedNotification):
            self.changed = True


@asynccontextmanager
async def connected(spec: ServerSpec, patience: Patience, clock: Clock) -> AsyncIterator[Connection]:
    """An open connection; it must be left in the task that entered it.

    Raises ServerDown when it cannot be opened, and when it is lost: over HTTP the body is cancelled then, over pipes it
    should end when `lost` is set.
    """
    opened = _piped(spec, patience, clock) if spec.command else _web(spec, patience)
    try:
        async with opened as connection:
            yield connection
    except Exception as fault:
        raise _down(fault) from fault


@asynccontextmanager
async def _piped(spec: ServerSpec, patience: Patience, clock: Clock) -> AsyncIterator[Connection]:
    async with opened_pipes(spec, clock) as pipes:
        dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(pipes.inbox, pipes.outbox)
        async with _session(dispatcher, patience, pipes.lost, pipes) as session:
            yield session


@asynccontextmanager
async def _web(spec: ServerSpec, patience: Patience) -> AsyncIterator[Connection]:
    lost = asyncio.Event()
    try:
        async with _http(spec, patience) as client, streamable_http_client(spec.url, http_client=client) as streams:
            inbox, outbox = streams
            async with _buffered(outbox) as waiting:
                dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(inbox, waiting)
                async with _session(dispatcher, patience, lost, _Web()) as session:
                    yield session
    finally:
        lost.set()


@asynccontextmanager
async def _buffered(outbox: WriteStream[SessionMessage]) -> AsyncIterator[MemoryObjectSendStream[SessionMessage]]:
    """A stream before `outbox` that does not hold up who writes: a cancelled call sends a last word, and a server that
    does not listen would keep the run from ending."""
    waiting, due = anyio.create_memory_object_stream[SessionMessage](WAITING)
    passing_on = asyncio.create_task(_pass_on(due, outbox))
    try:
        yield waiting
    finally:
        passing_on.cancel()
        waiting.close()
        due.close()
        await asyncio.wait({passing_on})


async def _pass_on(due: MemoryObjectReceiveStream[SessionMessage], outbox: WriteStream[SessionMessage]) -> None:
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async for message in due:
            await outbox.send(message)


@asynccontextmanager
async def _session(
    dispatcher: JSONRPCDispatcher[Any], patience: Patience, lost: asyncio.Event, cause: _Cause
) -> AsyncIterator[Connection]:
    """After the handshake."""
    connection = Connection(dispatcher, patience, lost, cause)
    session = ClientSession(
        dispatcher=dispatcher,
        client_info=_US,
        message_handler=connection.hear,
        read_timeout_seconds=patience.opening,
    )
    async with session:
        try:
            await session.initialize()
        except MCPError as fault:
            slow = fault.code == REQUEST_TIMEOUT
            problem = f"no answer within {patience.opening:g} s" if slow else fault.message[:_WORDS]
            raise ServerDown(connection.why if fault.code == CONNECTION_CLOSED else problem) from fault
        except (ValueError, RuntimeError) as fault:
            raise ServerDown(f"it does not speak MCP as we do: {fault}"[:_WORDS]) from fault
        yield connection


def _http(spec: ServerSpec, patience: Patience) -> httpx2.AsyncClient:
    """Answers are read for as long as a call may take."""
    timeout = httpx2.Timeout(10.0, read=patience.call + 10.0)
    return httpx2.AsyncClient(headers=PLAIN | dict(spec.headers), timeout=timeout, event_hooks={"response": [cap]})


def _refused(fault: MCPError, limit: float) -> Exception:
    if fault.message == _FORGOTTEN:
        return Forgotten()
    if fault.code == REQUEST_TIMEOUT:
        return ToolFault(_SLOW.format(seconds=limit))
    if fault.code == CONNECTION_CLOSED:
        return Interrupted(GONE)
    return ToolFault(f"The tool server refused: {fault.message[:_WORDS]}")


def _down(fault: BaseException) -> ServerDown:
    """The first fault of a group; of a fault of HTTP only its kind: its words may hold the address, and that a key."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    if isinstance(fault, ServerDown):
        return fault
    return ServerDown(f"cannot be reached ({type(fault).__name__})")
