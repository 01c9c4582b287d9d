"""Telegram's counterpart: the simulated Bot API, which calls the channel's hook."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from channels.base import Emit
from channels.errors import ChannelError
from channels.telegram.api import Patience
from channels.telegram.channel import TelegramChannel
from channels.telegram.receive import SIGNED_WITH
from channels.telegram.settings import TelegramSettings
from channels.types import HookRequest, OutboundMessage, Uncertain
from tests.contract.channel.harness import RETRY_AFTER, Call, Fault
from tests.support.telegram import faults
from tests.support.telegram.people import Person
from tests.support.telegram.server import TOKEN, BotApi
from tests.support.telegram.server import Call as ApiCall

PATIENCE = Patience(connect=0.2, read=0.3, call=0.6, end=0.1)
"""Short, so that a test of a hanging platform is short."""

_FAULTS = {
    Fault.BUSY: lambda: faults.busy(RETRY_AFTER),
    Fault.BROKEN: lambda: faults.Fault(kind="status", code=502),
    Fault.REFUSED: lambda: faults.refuse(400, "Bad Request: chat not found"),
    Fault.CUT: lambda: faults.Fault(kind="cut_after"),
    Fault.HANG: lambda: faults.Fault(kind="hang_after"),
    Fault.GARBAGE: lambda: faults.Fault(kind="garbage"),
    Fault.ENDLESS: lambda: faults.Fault(kind="endless"),
}


class TelegramHarness:
    """Implements Harness."""

    doubt = Uncertain
    chat_id = "42"
    other_chat_id = "43"
    tells_ids = False

    def __init__(self, api: BotApi) -> None:
        self.api = api
        self.settings = TelegramSettings(
            id="tg", token=TOKEN, mode="webhook", base_url=api.base_url, hook_url="http://127.0.0.1:1/hooks/tg"
        )
        self.channel = TelegramChannel(self.settings, patience=PATIENCE)
        self.ann = Person(api, user=42)
        api.room(43)

    @property
    def calls(self) -> list[Call]:
        return [_call(call) for call in self.api.of("sendMessage")]

    def shown(self, message: OutboundMessage) -> str:
        return "研究员：找到了"

    async def start(self, emit: Emit) -> None:
        await self.channel.start(emit)
        await self.api.until(lambda _: bool(self.api.hook_url))
        while not self.channel.state().connected:  # noqa: ASYNC110  # nobody tells when the answer is read
            await asyncio.sleep(0)

    def script(self, *scripted: Fault, chat_id: str = "") -> None:
        for fault in scripted:
            if fault is not Fault.NONE:
                made = _FAULTS[fault]()
                made.chat = chat_id
                self.api.script.add("sendMessage", made)

    async def arrived(self, count: int) -> None:
        await self.api.until(lambda _: len(self.calls) >= count)

    async def disconnect(self) -> None:
        await self.api.close_port()

    async def reconnect(self) -> None:
        await self.api.open_port()

    async def deliver(self, text: str, *, authentic: bool = True) -> bool:
        return await self.deliver_raw(json.dumps(self.ann.say(text)).encode(), authentic=authentic)

    async def deliver_raw(self, body: bytes, *, authentic: bool) -> bool:
        secret = self.settings.hook_secret if authentic else "a stranger's guess"
        try:
            return (await self.channel.hook(HookRequest(headers={SIGNED_WITH: secret}, body=body))).status < 300
        except ChannelError:  # the server renders it as 4xx or 503
            return False


def _call(call: ApiCall) -> Call:
    return Call(delivery_id="", chat_id=call.chat, text=call.args["text"])


@asynccontextmanager
async def telegram() -> AsyncIterator[TelegramHarness]:
    """A bot in webhook mode; its hook is called by the tests themselves."""
    async with BotApi() as api:
        harness = TelegramHarness(api)
        try:
            yield harness
        finally:
            await harness.channel.stop()
