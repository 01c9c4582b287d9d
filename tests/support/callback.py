"""The other side of a webhook channel: takes the program's messages, checks their signatures, and can misbehave.

Each request is answered by `behave`, a function of the message and of how often this delivery has come; the default
takes everything. What was taken stands in `taken` in the order of its arrival, every request in `arrivals`.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from tests.support.gate import DEADLINE, Gate
from tests.support.keys import secret_of


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of the program, as the contract's JSON."""

    delivery_id: str
    channel_id: str
    chat_id: str
    thread: str | None
    session_id: str
    job_id: str | None
    seq: int
    kind: str
    speaker: str
    name: str
    role: str
    text: str
    display_text: str
    reply_to: str | None
    raw: Mapping[str, Any]

    def brief(self) -> tuple[str, str]:
        return self.kind, self.speaker


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the receiver does: `status`, or a cut before (`read=False`) or after it has read the request."""

    status: int = 204
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    keep: bool = True
    gate: Gate | None = None


TAKE = Answer()
CUT = Answer(cut=True, keep=False)
CUT_AFTER_READING = Answer(cut=True, keep=True)


def refuse(status: int, retry_after: str = "") -> Answer:
    return Answer(status=status, keep=False, headers={"Retry-After": retry_after} if retry_after else {})


def hold(gate: Gate) -> Answer:
    return Answer(gate=gate)


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """One request: when it came (monotonic seconds), its message, and what it was answered."""

    at: float
    path: str
    message: Message
    status: int


Behave = Callable[[Message, int], Answer]


class Receiver:
    """An HTTP server on loopback; the path is the channel's id, so that several channels can share one receiver."""

    def __init__(self) -> None:
        self.behave: Behave = lambda message, times: TAKE
        self.arrivals: list[Arrival] = []
        self.taken: list[Message] = []
        self.unsigned: list[str] = []
        self._times: dict[str, int] = {}
        self._changed = asyncio.Condition()
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/{path:.*}", self._take)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        self._port = 0

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await self._listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def url(self, channel_id: str = "hook") -> str:
        return f"http://127.0.0.1:{self._port}/{channel_id}"

    async def close_port(self) -> None:
        """From now on connections are refused, until `open_port`."""
        for site in list(self._runner.sites):
            await site.stop()

    async def open_port(self) -> None:
        await self._listen()

    def of(self, chat_id: str, channel_id: str = "hook") -> list[Message]:
        """What this chat has got, in the order of its arrival, each delivery once."""
        first: dict[str, Message] = {}
        for message in self.taken:
            if (message.channel_id, message.chat_id) == (channel_id, chat_id):
                first.setdefault(message.delivery_id, message)
        return list(first.values())

    async def until(self, predicate: Callable[["Receiver"], bool], within: float = DEADLINE) -> None:
        """Wait until `predicate` holds; it is asked again after each arrival."""
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(lambda: predicate(self))

    async def _listen(self) -> None:
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def _take(self, http: web.Request) -> web.StreamResponse:
        raw, channel = await http.read(), http.match_info["path"]
        if (problem := self._unsigned(channel, http, raw)) is not None:
            self.unsigned.append(problem)
            return web.Response(status=401)
        message = parse_message(json.loads(raw))
        if http.headers["webhook-id"] != message.delivery_id:
            self.unsigned.append(f"webhook-id is not the delivery id of {message}")
        self._times[message.delivery_id] = times = self._times.get(message.delivery_id, 0) + 1
        answer = self.behave(message, times)
        if answer.gate is not None:
            await answer.gate.wait()
        await self._record(Arrival(at=time.monotonic(), path=channel, message=message, status=answer.status), answer)
        if answer.cut and http.transport is not None:
            http.transport.close()
            raise ConnectionResetError("cut by the script")
        return web.Response(status=answer.status, headers=answer.headers)

    def _unsigned(self, channel: str, http: web.Request, raw: bytes) -> str | None:
        try:
            Webhook(secret_of(channel)).verify(raw, dict(http.headers))
        except WebhookVerificationError as fault:
            return f"{fault}: {raw[:200]!r}"
        return None

    async def _record(self, arrival: Arrival, answer: Answer) -> None:
        async with self._changed:
            self.arrivals.append(arrival)
            if answer.keep:
                self.taken.append(arrival.message)
            self._changed.notify_all()


def parse_message(raw: Mapping[str, Any]) -> Message:
    speaker = raw["speaker"]
    return Message(
        delivery_id=raw["delivery_id"],
        channel_id=raw["channel_id"],
        chat_id=raw["chat"]["id"],
        thread=raw["thread"],
        session_id=raw["session_id"],
        job_id=raw["job_id"],
        seq=raw["seq"],
        kind=raw["kind"],
        speaker=speaker["id"],
        name=speaker["name"],
        role=speaker["role"],
        text=raw["text"],
        display_text=raw["display_text"],
        reply_to=raw["reply_to"],
        raw=raw,
    )
