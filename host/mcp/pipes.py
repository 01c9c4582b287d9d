"""MCP over the pipes of a child process, as streams for the SDK's session.

The SDK's own transport holds lines of any length, hears floods out for ever, and spares what the child has started if
the child goes by itself. This one does not.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter

from host.errors import ServerDown
from host.mcp.murmur import LONGEST, Murmur
from host.mcp.process import Child, start_child
from host.mcp.spec import ServerSpec
from store.clock import Clock

MESSAGE: Final = 8 * 1024 * 1024
"""Bytes of the longest message that is taken."""

_UNASKED: Final = 16 * 1024 * 1024
"""Bytes that a server may say between two of our messages."""

_REQUESTS: Final = 100
"""Requests of its own that it may make between two of our messages; each costs us a task."""

WAITING: Final = 100
"""Messages that wait for a server that does not read: until then a cancelled call need not wait for it."""

_PARTING: Final = 0.5
"""Seconds in which a dead server's last words are read, and one that says no more may still die."""

_CHANGED: Final = "notifications/tools/list_changed"
"""The only notification that is listened to."""

log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class Pipes:
    """Streams for a session; `lost` is set when the server is gone, and `why` tells then."""

    inbox: MemoryObjectReceiveStream[SessionMessage | Exception]
    outbox: MemoryObjectSendStream[SessionMessage]
    child: Child
    murmur: Murmur
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    flooded: bool = False

    @property
    def why(self) -> str:
        """In words, once it is lost or does not answer."""
        if self.flooded:
            return "it floods its output"
        words = f"; it said last: {self.murmur.last}" if self.murmur.last else ""
        return f"it ended with code {self.child.code}{words}" if self.child.exited.is_set() else f"no answer{words}"


@asynccontextmanager
async def opened_pipes(spec: ServerSpec, clock: Clock) -> AsyncIterator[Pipes]:
    """A started server, which is ended with all it started. Raises ServerDown if it cannot be started."""
    try:
        child = await start_child(spec.command, spec.env)
    except (OSError, ValueError) as fault:
        raise ServerDown(f"cannot be started: {getattr(fault, 'strerror', None) or fault}") from fault
    heard, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox, said = anyio.create_memory_object_stream[SessionMessage](WAITING)
    pipes = Pipes(inbox=inbox, outbox=outbox, child=child, murmur=Murmur(spec.name, clock))
    traffic = _Traffic(pipes, heard, said)
    tasks = [asyncio.create_task(each) for each in (traffic.listen(), traffic.speak(), traffic.overhear())]
    try:
        yield pipes
    finally:
        try:
            await child.end()
        finally:  # even if we are told a second time to leave
            for task in tasks:
                task.cancel()
            for stream in (heard, inbox, outbox, said):
                stream.close()
            await asyncio.wait(tasks)


class _Traffic:
    """What goes in and out. None of its parts raises: whatever happens, the server is lost, and the session is told."""

    def __init__(
        self,
        pipes: Pipes,
        heard: MemoryObjectSendStream[SessionMessage | Exception],
        said: MemoryObjectReceiveStream[SessionMessage],
    ) -> None:
        self._pipes = pipes
        self._child = pipes.child
        self._heard = heard
        self._said = said
        self._bytes = 0
        self._requests = 0

    async def listen(self) -> None:
        """Until the server is gone."""
        reading = asyncio.create_task(self._read())
        dying = asyncio.create_task(self._child.exited.wait())
        try:
            await asyncio.wait({reading, dying}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({reading, dying}, timeout=_PARTING)
        finally:
            for task in (reading, dying):
                task.cancel()
            self._lose()

    async def speak(self) -> None:
        """What the session has to say, until the server does not listen any more."""
        try:
            async for message in self._said:
                self._bytes, self._requests = 0, 0
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._child.tell(f"{text}\n".encode())
        except OSError:
            self._lose()

    async def overhear(self) -> None:
        """Its error output."""
        async for line in self._child.complaints(LONGEST):
            self._pipes.murmur.hear(line)

    async def _read(self) -> None:
        async for line in self._child.lines(MESSAGE):
            self._bytes += len(line.text)
            message = _parse(line.text)
            self._requests += isinstance(message, JSONRPCRequest)
            if line.cut or self._bytes > _UNASKED or self._requests > _REQUESTS:
                self._pipes.flooded = True
                return
            if message is not None:
                await self._pass_on(message)

    async def _pass_on(self, message: Any) -> None:
        try:
            await self._heard.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            await asyncio.Event().wait()  # the session is over; whoever ended it ends us

    def _lose(self) -> None:
        self._heard.close()
        self._pipes.lost.set()


def _parse(line: bytes) -> JSONRPCMessage | None:
    """A message that somebody waits for; None for the rest, be it other notifications or no message at all."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None
    return None if isinstance(message, JSONRPCNotification) and message.method != _CHANGED else message
