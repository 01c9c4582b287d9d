"""The long connection: opened again for ever, pinged, watched, and every event answered after it was taken in."""

import asyncio
import base64
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import aiohttp
import structlog

from channels.clock import Clock
from channels.feishu.endpoint import (
    Endpoint,
    LinkConfig,
    LinkFault,
    Misplaced,
    Unlinked,
    find_endpoint,
    handshake_fault,
    told_config,
)
from channels.feishu.http import Patience, reason_of
from channels.feishu.parts import Parts
from channels.feishu.settings import FeishuSettings
from channels.feishu.wire import CONTROL, DATA, BadFrame, Frame, decode, encode

log = structlog.get_logger(__name__)

LARGEST: Final = 8 * 1024 * 1024
"""Bytes of one frame."""

SILENT_ROUNDS: Final = 2
"""Pings in a row after which nothing was heard. (A dead socket is noticed much earlier, by the websocket's pings.)"""

SHORT_LIFE: Final = 5.0
"""Seconds; who is sent away sooner does not come back at once, whatever the server says."""

FIRST_PAUSE: Final = 1.0
ENDING: Final = 1.0
"""Seconds: before the first repetition of a failed try, and what events under way get when the channel stops."""

Take = Callable[[bytes], Awaitable["Reply"]]
"""Takes an event in, durably; answers within three seconds. Never raises."""

Reply = tuple[int, Mapping[str, Any] | None]
"""The code for the platform (200, or 500: bring it again), and what a pressed button is answered."""


class Link:
    """One bot's connection. `run` it as a task; `reason` says why it is not connected, "" if it is."""

    def __init__(
        self,
        settings: FeishuSettings,
        session: aiohttp.ClientSession,
        take: Take,
        clock: Clock,
        patience: Patience,
        *,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._session = session
        self._take = take
        self._clock = clock
        self._patience = patience
        self._chance = chance
        self._config = LinkConfig()
        self._taking: set[asyncio.Task[None]] = set()
        self.reason = "connecting"

    async def run(self) -> None:
        """Connect, receive, and connect again, until it is cancelled."""
        failures = 0
        while True:
            began = self._clock.monotonic()
            try:
                endpoint = await find_endpoint(self._session, self._settings, self._config)
                self._config = endpoint.config
                await self._connected(endpoint)
                short = self._clock.monotonic() - began < SHORT_LIFE
                fault: LinkFault = Unlinked("the connection was lost", FIRST_PAUSE if short else 0.0)
                failures = 0
            except LinkFault as raised:
                fault = raised
                failures += 1
            self.reason = fault.reason
            pause = max(self._pause(failures), fault.pause)
            tell = log.error if isinstance(fault, Misplaced) else log.warning
            tell("No long connection", channel=self._settings.id, reason=fault.reason, again_in=round(pause, 1))
            await self._clock.sleep(pause)

    async def close(self) -> None:
        """Let events that are being taken in come to their end, for a moment."""
        if self._taking:
            await asyncio.wait(self._taking, timeout=ENDING)
        for task in self._taking:
            task.cancel()

    def _pause(self, failures: int) -> float:
        """A lost connection: somewhere within the server's nonce. A failed try: longer and longer, up to its
        interval, with some chance so that not everybody comes back at once."""
        if failures == 0:
            return self._config.nonce * self._chance()
        doubled = FIRST_PAUSE * 2.0 ** min(failures - 1, 16)
        return min(doubled, max(self._config.interval, FIRST_PAUSE)) * (1 + self._chance() / 4)

    async def _connected(self, endpoint: Endpoint) -> None:
        """One connection, from its opening to its end. Raises LinkFault if it cannot be opened."""
        try:
            socket = await self._session.ws_connect(
                endpoint.url,
                heartbeat=self._patience.beat,
                max_msg_size=LARGEST,
                timeout=aiohttp.ClientWSTimeout(ws_close=ENDING),
            )
        except aiohttp.WSServerHandshakeError as error:
            raise handshake_fault(error) from None
        except (aiohttp.ClientError, OSError, ValueError, RuntimeError) as error:
            raise Unlinked(reason_of(error)) from None
        self.reason = ""
        log.info("The long connection is open", channel=self._settings.id)
        try:
            await self._converse(_Conversation(socket, endpoint.service))
        finally:
            await socket.close()

    async def _converse(self, talk: "_Conversation") -> None:
        ping = asyncio.create_task(self._ping(talk), name=f"feishu-ping {self._settings.id}")
        try:
            async for message in talk.socket:
                if message.type is aiohttp.WSMsgType.BINARY:
                    talk.frames += 1
                    self._read(talk, message.data)
        except (aiohttp.ClientError, OSError) as error:
            log.info("The long connection broke", channel=self._settings.id, reason=reason_of(error))
        finally:
            ping.cancel()

    async def _ping(self, talk: "_Conversation") -> None:
        """At once and then in the server's rhythm; a server that says nothing for two rounds is gone."""
        silent = 0
        while silent < SILENT_ROUNDS:
            before = talk.frames
            await talk.send(Frame(service=talk.service, method=CONTROL, headers=(("type", "ping"),)))
            await self._clock.sleep(self._config.ping)
            silent = 0 if talk.frames > before else silent + 1
        log.warning("The long connection is silent", channel=self._settings.id)
        await talk.socket.close()

    def _read(self, talk: "_Conversation", data: bytes) -> None:
        """What cannot be read is left alone: the platform brings an event again that nobody answered."""
        try:
            frame = decode(data)
        except BadFrame as fault:
            log.warning("A frame could not be read", channel=self._settings.id, reason=str(fault))
            return
        if frame.method == CONTROL and frame.header("type") == "pong":
            self._config = self._config.changed(told_config(frame.payload))
        elif frame.method == DATA:
            payload = talk.parts.add(frame, self._clock.monotonic())
            if payload is not None:
                task = asyncio.create_task(self._answer(talk, frame, payload))
                self._taking.add(task)
                task.add_done_callback(self._taking.discard)

    async def _answer(self, talk: "_Conversation", frame: Frame, payload: bytes) -> None:
        """`card` frames carry what `event` frames of pressed buttons do."""
        began = time.monotonic()
        code, result = await self._take(payload)
        answer: dict[str, Any] = {"code": code}
        if result is not None:
            answer["data"] = base64.b64encode(json.dumps(result, ensure_ascii=False).encode()).decode()
        took = ("biz_rt", str(int((time.monotonic() - began) * 1000)))
        await talk.send(replace(frame, headers=(*frame.headers, took), payload=json.dumps(answer).encode()))


class _Conversation:
    """What belongs to one connection."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, service: int) -> None:
        self.socket = socket
        self.service = service
        self.frames = 0
        self.parts = Parts()

    async def send(self, frame: Frame) -> None:
        """A frame that does not arrive is made up for: events without an answer come again."""
        try:
            await self.socket.send_bytes(encode(frame))
        except (aiohttp.ClientError, OSError, RuntimeError) as error:
            log.info("A frame could not be sent", reason=reason_of(error))
