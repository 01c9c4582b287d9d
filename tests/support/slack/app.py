"""A Slack channel of the program without the program: what it emits is kept, its clock is the test's."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from channels.base import Receipt
from channels.slack.api import Patience
from channels.slack.channel import SlackChannel
from channels.slack.settings import SlackSettings
from channels.types import HookRequest, InboundEvent, LivePost, OutboundMessage, Speaker
from tests.support.clock import START, FakeClock
from tests.support.slack.server import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, Slack, encode, signed
from tests.support.slack.state import Json, Message
from tests.unit.channels.samples import MESSAGE

T = TypeVar("T")
PATIENCE = Patience(connect=0.5, call=0.5, file=0.5, end=0.1, tell=0.3, hello=0.3, beat=30.0, linger=8.0)
HOST = Speaker(id="studio", name="内容工作室", role="host")
MEMBER = Speaker(id="researcher", name="研究员", role="member", icon=":mag:")


class App:
    """The channel and its workspace."""

    def __init__(self, slack: Slack, clock: FakeClock, *, is_socket: bool, patience: Patience) -> None:
        self.slack = slack
        self.clock = clock
        self.events: list[InboundEvent] = []
        self.fault: Exception | None = None
        self.gate: asyncio.Event | None = None
        self._patience = patience
        self._settings = SlackSettings(
            id="slack",
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN if is_socket else "",
            signing_secret="" if is_socket else SIGNING_SECRET,
            base_url=slack.base_url,
            commands=("team", "status", "stop", "cancel"),
        )
        self.channel = SlackChannel(self._settings, clock=clock, patience=patience)

    def configure(self, **changes: Any) -> None:
        """A channel with other settings; not started."""
        self._settings = replace(self._settings, **changes)
        self.channel = SlackChannel(self._settings, clock=self.clock, patience=self._patience)

    async def start(self) -> None:
        await self.channel.start(self.emit)
        await self.until(lambda: self.channel.state().connected)

    async def restart(self) -> None:
        """As after a kill: another process, which remembers nothing."""
        await self.channel.stop()
        self.configure()
        await self.start()

    async def emit(self, event: InboundEvent) -> Receipt:
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        self.events.append(event)
        return Receipt()

    async def until(self, condition: Callable[[], bool], *, step: float = 0.0) -> None:
        """Wait until it holds, while the test's clock goes on in steps (if it shall)."""
        async with asyncio.timeout(10):
            while not condition():
                await asyncio.sleep(0)
                if step and self.clock.sleepers:
                    await self.clock.advance(step)

    async def done(self, work: Awaitable[T], *, step: float = 0.5) -> T:
        """What the work returns, while the test's clock goes on."""
        task = asyncio.ensure_future(work)
        await self.until(task.done, step=step)
        return task.result()

    async def post(self, kind: str, payload: Json) -> int:
        """A signed request to the channel's hook; its status."""
        body, _ = encode(kind, payload)
        headers = {name.lower(): value for name, value in signed(body).items()}
        return (await self.channel.hook(HookRequest(headers=headers, body=body))).status

    def shown(self, chat: str, thread: str = "") -> list[Message]:
        """What the app wrote there."""
        place = self.slack.channels[chat]
        return [one for one in (place.thread(thread) if thread else place.messages.values()) if one.by_app]

    def ask(self, chat: str, text: str = "?") -> str:
        """A question of Ann's, which makes a thread; its `ts`. Nobody is told of it."""
        message = Message(ts=self.slack.new_ts(), text=text, user="U42")
        self.slack.channels[chat].messages[message.ts] = message
        return message.ts


def outbound(chat: str, text: str = "好。", **changes: Any) -> OutboundMessage:
    """A host's message of now; `member=True`: a member's at work."""
    if changes.pop("member", False):
        base: dict[str, Any] = {"kind": "member", "speaker": MEMBER, "label": "研究员：", "job_id": "j1"}
    else:
        base = {"kind": "host", "speaker": HOST, "label": ""}
    values = base | {"chat_id": chat, "text": text, "turn_id": "t1"} | changes
    values.setdefault("display_text", values["label"] + text)
    return replace(MESSAGE, **values)


def live(chat: str, thread: str, **changes: Any) -> LivePost:
    """A post that grows in a private thread; `member=True`: a member's."""
    is_member = changes.pop("member", False)
    base: dict[str, Any] = {"speaker": MEMBER, "label": "研究员："} if is_member else {"speaker": HOST}
    fixed: dict[str, Any] = {"id": "p1", "turn_id": "t1", "channel_id": "slack", "created_at": START}
    return LivePost(**{"chat_type": "private", "chat_id": chat, "thread": thread} | fixed | base | changes)


@asynccontextmanager
async def open_app(
    clock: FakeClock, *, is_socket: bool = False, start: bool = True, patience: Patience = PATIENCE
) -> AsyncIterator[App]:
    """A started channel; faults of the workspace are the test's."""
    async with Slack(now=clock.monotonic, retries=()) as slack:
        slack.ack_within = 1.0
        app = App(slack, clock, is_socket=is_socket, patience=patience)
        try:
            if start:
                await app.start()
            yield app
        finally:
            slack.script.clear()
            await app.channel.stop()
