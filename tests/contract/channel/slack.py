"""Slack's counterpart: the simulated workspace. Its events go over a socket, or straight to the channel's hook."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from channels.base import Emit
from channels.errors import ChannelError
from channels.slack.api import Patience
from channels.slack.channel import SlackChannel
from channels.slack.settings import SlackSettings
from channels.types import HookRequest, OutboundMessage, Uncertain
from tests.contract.channel.harness import RETRY_AFTER, Call, Fault
from tests.support.slack import faults
from tests.support.slack.server import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, Slack, signed
from tests.support.slack.server import Call as ApiCall
from tests.support.slack.state import BOT_USER, TEAM

PATIENCE = Patience(connect=0.2, call=0.5, end=0.1)
"""Short, so that a test of a hanging platform is short."""

_FAULTS = {
    Fault.BUSY: lambda: faults.busy(RETRY_AFTER),
    Fault.BROKEN: lambda: faults.Fault(kind="status"),
    Fault.REFUSED: lambda: faults.refuse("channel_not_found"),
    Fault.CUT: lambda: faults.Fault(kind="cut_after"),
    Fault.HANG: lambda: faults.Fault(kind="hang_after"),
    Fault.GARBAGE: lambda: faults.Fault(kind="garbage"),
    Fault.ENDLESS: lambda: faults.Fault(kind="endless"),
}


class SlackHarness:
    """Implements Harness."""

    doubt = Uncertain
    chat_id = "D42"
    other_chat_id = "C43"
    tells_ids = True

    def __init__(self, slack: Slack, *, is_socket: bool) -> None:
        self.slack = slack
        self.is_socket = is_socket
        settings = SlackSettings(
            id="slack",
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN if is_socket else "",
            signing_secret="" if is_socket else SIGNING_SECRET,
            base_url=slack.base_url,
        )
        self.channel = SlackChannel(settings, patience=PATIENCE)
        slack.users["U42"] = "Ann"
        slack.channel("D42", user="U42")
        slack.channel("C43")

    @property
    def calls(self) -> list[Call]:
        return [_call(call) for call in self.slack.of("chat.postMessage")]

    def shown(self, message: OutboundMessage) -> str:
        return message.text

    async def start(self, emit: Emit) -> None:
        await self.channel.start(emit)
        while not self.channel.state().connected:  # noqa: ASYNC110  # nobody tells when the answer is read
            await asyncio.sleep(0)

    def script(self, *scripted: Fault, chat_id: str = "") -> None:
        for fault in scripted:
            if fault is not Fault.NONE:
                made = _FAULTS[fault]()
                made.channel = chat_id
                self.slack.script.add("chat.postMessage", made)

    async def arrived(self, count: int) -> None:
        await self.slack.until(lambda _: len(self.calls) >= count)

    async def disconnect(self) -> None:
        await self.slack.close_port()

    async def reconnect(self) -> None:
        await self.slack.open_port()

    async def deliver(self, text: str, *, authentic: bool = True) -> bool:
        event = {"type": "message", "channel": "D42", "channel_type": "im", "user": "U42", "text": text}
        payload = {
            "type": "event_callback",
            "event_id": f"Ev{self.slack.new_number()}",
            "event": event | {"ts": self.slack.new_ts()},
            "authorizations": [{"team_id": TEAM, "user_id": BOT_USER}],
        }
        if self.is_socket and authentic:
            delivery = self.slack.bring("events_api", payload)
            await delivery.over.wait()
            return delivery.acked
        return await self.deliver_raw(json.dumps(payload).encode(), authentic=authentic)

    async def deliver_raw(self, body: bytes, *, authentic: bool) -> bool:
        """Over a socket nobody can pretend to be Slack; what is no envelope is never acknowledged."""
        if self.is_socket and authentic:
            await self.slack.socket.raw(body.decode("utf-8", "replace"))
            return False
        headers = signed(body, SIGNING_SECRET if authentic else "a stranger's guess")
        request = HookRequest(headers={name.lower(): value for name, value in headers.items()}, body=body)
        try:
            return (await self.channel.hook(request)).status < 300
        except ChannelError:  # the server renders it as 4xx or 503
            return False


def _call(call: ApiCall) -> Call:
    delivery_id = call.args["metadata"]["event_payload"]["delivery_id"]
    return Call(delivery_id=delivery_id, chat_id=call.channel, text=call.args["blocks"][0]["text"])


@asynccontextmanager
async def slack(mode: str = "socket") -> AsyncIterator[SlackHarness]:
    """An app whose events come over a socket, or over HTTP."""
    async with Slack(retries=()) as workspace:
        workspace.ack_within = 0.5
        harness = SlackHarness(workspace, is_socket=mode == "socket")
        try:
            yield harness
        finally:
            await harness.channel.stop()
