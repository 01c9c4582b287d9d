"""Reading a stream of server-sent events: the JSON texts in it, one per `data:` line as every endpoint writes them.

Models stream faster than people read, and being woken for a single token costs several times what is done with it. So
the first pieces of an answer are read as they come, and of a long one what comes within a moment is read together:
meanwhile it waits where it costs nothing, in the system's buffer.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final

from aiohttp import ClientError, ClientResponse, StreamReader

from host.models.faults import GarbledAnswerError

LARGEST: Final = 16 * 1024 * 1024
"""Bytes of one answer; a server that sends more has lost its mind, and must not take our memory with it."""

_END: Final = b"[DONE]"
_AT_ONCE: Final = 16
"""Pieces that are read as they come: a short answer is never held up."""

_MOMENT: Final = 0.03
"""Seconds; live readers are told every 40 ms."""

_GRACE: Final = 0.5
"""Seconds to wait for the end of the body behind the last event: read to its end, the connection can be used again."""


async def read_events(response: ClientResponse, take: Callable[[Sequence[bytes]], None]) -> None:
    """Give the events to `take` as they come, until the stream or the answer ends. Raises GarbledAnswerError."""
    rest, size, pieces = b"", 0, 0
    while chunk := await response.content.readany():
        size, pieces = size + len(chunk), pieces + 1
        if size > LARGEST:
            raise GarbledAnswerError(f"the answer has more than {LARGEST} bytes")
        *lines, rest = (rest + chunk).split(b"\n")
        events = _data_of(lines)
        take([data for data in events if data != _END])
        if _END in events:
            return await _to_the_end(response.content)
        if pieces > _AT_ONCE:
            await _let_gather(response)
    return take([data for data in _data_of([rest]) if data != _END])


def _data_of(lines: Sequence[bytes]) -> list[bytes]:
    return [line[5:].strip() for line in lines if line.startswith(b"data:")]


async def _let_gather(response: ClientResponse) -> None:
    transport = response.connection.transport if response.connection else None
    if transport is None:
        return
    transport.pause_reading()
    try:
        await asyncio.sleep(_MOMENT)
    finally:
        transport.resume_reading()


async def _to_the_end(content: StreamReader) -> None:
    with contextlib.suppress(TimeoutError, ClientError):
        async with asyncio.timeout(_GRACE):
            while await content.readany():
                pass
