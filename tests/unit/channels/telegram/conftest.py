"""A channel on the simulated Bot API, with a clock that only moves when a test says so."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from channels.base import Receipt
from channels.telegram.api import Patience
from channels.telegram.channel import TelegramChannel
from channels.telegram.settings import TelegramSettings
from channels.types import InboundEvent, LivePost, OutboundMessage, Speaker
from tests.support.clock import START, FakeClock
from tests.support.telegram.people import Person
from tests.support.telegram.server import TOKEN, BotApi
from tests.unit.channels.samples import message

T = TypeVar("T")
PATIENCE = Patience(connect=0.5, read=1.0, call=1.5, poll=5, end=0.1)
RESEARCHER = Speaker(id="researcher", name="研究员", role="member")


@dataclass(kw_only=True)
class Line:
    """The channel, its platform, and what it emitted."""

    api: BotApi
    clock: FakeClock
    channel: TelegramChannel
    events: list[InboundEvent] = field(default_factory=list)
    fault: Exception | None = None
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def emit(self, event: InboundEvent) -> Receipt:
        if self.fault is not None:
            raise self.fault
        async with self.arrived:
            self.events.append(event)
            self.arrived.notify_all()
        return Receipt()

    async def start(self) -> None:
        await self.channel.start(self.emit)
        await self.during(self.api.until(lambda api: bool(api.hook_url or api.polled)))

    async def got(self, *texts: str) -> None:
        """Wait until exactly these texts have come."""
        async with asyncio.timeout(10), self.arrived:
            await self.arrived.wait_for(lambda: len(self.events) >= len(texts))
        assert [event.text for event in self.events] == list(texts)

    async def during(self, work: Awaitable[T]) -> T:
        """The work's result, while time passes as fast as it must."""
        task = asyncio.ensure_future(work)
        while not task.done():
            if self.clock.sleepers:
                await self.clock.advance(0.05)
            await asyncio.wait((task,), timeout=0.001)
        return task.result()

    def ann(self, user: int = 42) -> Person:
        return Person(self.api, user=user)

    def group(self, chat: int = -100, kind: str = "group", **more: Any) -> Person:
        return Person(self.api, room=self.api.room(chat, kind, **more))

    def shown(self, chat: int) -> list[str]:
        return [one.text for one in self.api.rooms[chat].heard]


@pytest.fixture
async def api(clock: FakeClock) -> AsyncIterator[BotApi]:
    async with BotApi(now=clock.monotonic) as running:
        running.room(42, title="Ann")
        running.room(-100, "group", title="G")
        yield running


@pytest.fixture
async def line(api: BotApi, clock: FakeClock) -> AsyncIterator[Line]:
    """Polling, started."""
    settings = TelegramSettings(id="tg", token=TOKEN, base_url=api.base_url)
    made = Line(api=api, clock=clock, channel=TelegramChannel(settings, clock=clock, patience=PATIENCE))
    try:
        yield made
    finally:
        await made.channel.stop()


def final(text: str = "找到了", **changes: Any) -> OutboundMessage:
    """A member's message to Ann's private chat, unless `chat_id` says otherwise."""
    label = changes.pop("label", "研究员：")
    return message(**({"chat_id": "42", "text": text, "label": label, "display_text": label + text} | changes))


def post(**changes: Any) -> LivePost:
    """A live post of the researcher in the group."""
    base = LivePost(
        id="5a0f7f2c-3f0e-4e43-9c1c-6f2a2a7d5b11",
        turn_id="t1",
        channel_id="tg",
        chat_id="-100",
        chat_type="group",
        thread="",
        speaker=RESEARCHER,
        created_at=START,
        label="研究员：",
    )
    return replace(base, **changes)
