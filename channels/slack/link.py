"""One WebSocket of Socket Mode: frames in, acknowledgements out."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp

from channels.slack.api import Api, Patience
from channels.slack.faults import Unsent
from channels.slack.receive import read_object

_LARGEST_FRAME = 16 * 1024 * 1024


class Link:
    """Open one with `open_link`. A connection whose pings stay unanswered ends by itself."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    @property
    def is_open(self) -> bool:
        return not self._socket.closed

    async def frames(self) -> AsyncIterator[Mapping[str, Any]]:
        """Until the connection ends, however it ends. What is no JSON object is passed over."""
        async for message in self._socket:
            if message.type == aiohttp.WSMsgType.TEXT and (frame := read_object(message.data)) is not None:
                yield frame

    async def acknowledge(self, envelope_id: str) -> None:
        """On this connection and no other. A closed one is no harm: the envelope comes again, and is known then."""
        if self.is_open:
            await self._socket.send_str(json.dumps({"envelope_id": envelope_id}))

    async def close(self) -> None:
        await self._socket.close()


async def open_link(api: Api, patience: Patience) -> Link:
    """A new connection. Raises SlackFault."""
    url = await api.socket_url()
    try:
        async with asyncio.timeout(patience.connect):
            socket = await api.session.ws_connect(
                url,
                heartbeat=patience.beat,
                max_msg_size=_LARGEST_FRAME,
                timeout=aiohttp.ClientWSTimeout(ws_close=patience.end),
            )
    except (aiohttp.ClientError, OSError, ValueError) as fault:
        raise Unsent(f"the connection could not be made ({type(fault).__name__})") from None
    return Link(socket)
