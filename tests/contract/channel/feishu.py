"""Feishu's counterpart: the simulated platform, reached over both ways in."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

from channels.base import Emit
from channels.errors import ChannelError
from channels.feishu.channel import FeishuChannel
from channels.feishu.http import Patience
from channels.feishu.settings import FeishuSettings
from channels.types import HookRequest, OutboundMessage, Retryable
from tests.contract.channel.harness import RETRY_AFTER, Call, Fault
from tests.support.feishu import faults
from tests.support.feishu.events import dumped
from tests.support.feishu.hook import ENCRYPT_KEY, encrypt, sign
from tests.support.feishu.people import Person
from tests.support.feishu.rules import shown_text
from tests.support.feishu.server import APP_ID, APP_SECRET, FeishuServer
from tests.support.feishu.server import Call as ApiCall

PATIENCE = Patience(call=0.5, connect=0.2)
"""Short, so that a test of a hanging platform is short."""

_FAULTS = {
    Fault.BUSY: lambda: faults.busy_chat(RETRY_AFTER),
    Fault.BROKEN: lambda: faults.Fault(kind="status", status=502),
    Fault.REFUSED: lambda: faults.refuse(230002, "Bot can NOT be out of the chat."),
    Fault.CUT: lambda: faults.Fault(kind="cut_after"),
    Fault.HANG: lambda: faults.Fault(kind="hang_after"),
    Fault.GARBAGE: lambda: faults.Fault(kind="garbage"),
    Fault.ENDLESS: lambda: faults.Fault(kind="endless"),
}


class FeishuHarness:
    """Implements Harness."""

    doubt = Retryable
    tells_ids = True

    def __init__(self, server: FeishuServer, mode: Literal["socket", "webhook"]) -> None:
        self.server = server
        self.mode = mode
        self.settings = FeishuSettings(
            id="fs", app_id=APP_ID, app_secret=APP_SECRET, domain=server.base_url, mode=mode, encrypt_key=ENCRYPT_KEY
        )
        self.channel = FeishuChannel(self.settings, patience=PATIENCE)
        self.ann = Person(server)
        self.chat_id = self.ann.room.id
        self.other_chat_id = Person(server).room.id

    @property
    def calls(self) -> list[Call]:
        return [_call(call) for call in self.server.of("send")]

    def shown(self, message: OutboundMessage) -> str:
        return "研究员\n**找到了**"

    async def start(self, emit: Emit) -> None:
        await self.channel.start(emit)
        async with asyncio.timeout(5):
            while not self.channel.state().connected:  # noqa: ASYNC110  # nobody tells when the answer is read
                await asyncio.sleep(0.001)

    def script(self, *scripted: Fault, chat_id: str = "") -> None:
        for fault in scripted:
            if fault is not Fault.NONE:
                made = _FAULTS[fault]()
                made.chat = chat_id
                self.server.script.add("send", made)

    async def arrived(self, count: int) -> None:
        await self.server.until(lambda _: len(self.calls) >= count)

    async def disconnect(self) -> None:
        await self.server.close_port()

    async def reconnect(self) -> None:
        await self.server.open_port()

    async def deliver(self, text: str, *, authentic: bool = True) -> bool:
        _, event = self.ann.event_of(text)
        return await self.deliver_raw(dumped(event), authentic=authentic)

    async def deliver_raw(self, body: bytes, *, authentic: bool) -> bool:
        return await (self._over_http if self.mode == "webhook" else self._over_socket)(body, authentic)

    async def _over_socket(self, body: bytes, authentic: bool) -> bool:
        """Nobody but the platform can write into a connection that the channel has opened to it."""
        ack = await self.server.connections.push(body) if authentic else None
        return ack is not None and ack.code == 200

    async def _over_http(self, body: bytes, authentic: bool) -> bool:
        key = ENCRYPT_KEY if authentic else "a stranger's guess"
        encrypted = encrypt(body, key)
        try:
            request = HookRequest(headers=sign(encrypted, key), body=encrypted)
            return (await self.channel.hook(request)).status < 300
        except ChannelError:  # the server renders it as 4xx or 503
            return False


def _call(call: ApiCall) -> Call:
    card: dict[str, Any] = json.loads(call.body["content"])
    words = [card["header"]["title"]["content"], *(each["content"] for each in card["body"]["elements"])]
    return Call(delivery_id=call.body["uuid"], chat_id=call.body["receive_id"], text=shown_text("\n".join(words)))


@asynccontextmanager
async def feishu(mode: Literal["socket", "webhook"] = "socket") -> AsyncIterator[FeishuHarness]:
    """An app whose events come over a long connection, or over HTTP."""
    async with FeishuServer() as server:
        harness = FeishuHarness(server, mode)
        try:
            yield harness
        finally:
            await harness.channel.stop()
