"""A channel without a program around it, over the simulated platform."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from channels.base import Receipt
from channels.feishu.channel import FeishuChannel
from channels.feishu.http import Patience
from channels.feishu.settings import FeishuSettings
from channels.types import InboundEvent
from tests.support.clock import FakeClock
from tests.support.feishu.people import Person
from tests.support.feishu.server import APP_ID, APP_SECRET, FeishuServer


@dataclass(kw_only=True)
class Intake:
    """Accepts events; waits for `gate` if it is shut."""

    events: list[InboundEvent] = field(default_factory=list)
    gate: asyncio.Event | None = None

    async def __call__(self, event: InboundEvent) -> Receipt:
        if self.gate is not None:
            await self.gate.wait()
        self.events.append(event)
        return Receipt()

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events]


@dataclass(kw_only=True)
class Bench:
    """A platform and a channel; the platform's time is the test's."""

    server: FeishuServer
    clock: FakeClock
    intake: Intake
    channel: FeishuChannel

    def person(self, **more: object) -> Person:
        return Person(self.server, **more)  # type: ignore[arg-type]

    async def start(self) -> None:
        await self.channel.start(self.intake)
        async with asyncio.timeout(5):
            while not self.channel.state().connected:  # noqa: ASYNC110  # nobody tells when the answer is read
                await asyncio.sleep(0.001)

    async def advance_until(self, seconds: float, predicate: Callable[[], bool]) -> None:
        """Let time pass in steps, with real calls in between, until something is the case."""
        async with asyncio.timeout(10):
            while not predicate():
                await self.clock.advance(seconds)
                await asyncio.sleep(0.002)


PATIENCE = Patience(call=2.0, connect=0.5, beat=5.0, look_up=0.1, answer=0.3)


@pytest.fixture
async def bench(clock: FakeClock) -> AsyncIterator[Bench]:
    async with FeishuServer(now=lambda: clock.now().timestamp()) as server:
        settings = FeishuSettings(id="fs", app_id=APP_ID, app_secret=APP_SECRET, domain=server.base_url)
        channel = FeishuChannel(settings, now=clock.now, clock=clock, patience=PATIENCE)
        try:
            yield Bench(server=server, clock=clock, intake=Intake(), channel=channel)
        finally:
            server.script.clear()
            await channel.stop()
