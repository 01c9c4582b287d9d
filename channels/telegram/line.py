"""A running bot: everything that lives from one start of the channel to its next stop."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import structlog

from channels.base import Emit
from channels.clock import Clock
from channels.errors import NotRunning
from channels.telegram.api import Api, Patience
from channels.telegram.budget import Budget
from channels.telegram.connect import drop_hook, set_hook, show_menu, until_it_works
from channels.telegram.finals import Finals
from channels.telegram.me import Me
from channels.telegram.parse import Skip, parse
from channels.telegram.presence import Presence
from channels.telegram.receive import Poller
from channels.telegram.settings import TelegramSettings
from channels.telegram.stream import Stream
from channels.types import ChannelState, InboundEvent

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Line:
    """Connects, receives and holds what sends. Begins with `open`, ends with `close`."""

    def __init__(self, settings: TelegramSettings, patience: Patience, clock: Clock, emit: Emit) -> None:
        self.emit = emit
        self.api = Api(settings, patience)
        budget = Budget(clock.monotonic)
        self.finals = Finals(self.api, budget, clock)
        self.stream = Stream(self.api, budget, clock)
        self.presence = Presence(self.api, budget, clock, self.stream)
        self._settings = settings
        self._clock = clock
        self._poller = Poller(self.api, self.accept, clock, seconds=patience.poll)
        self._me: Me | None = None
        self._state = ChannelState(connected=False, reason="connecting")
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to connect, in the background."""
        await self.api.open()
        self._task = asyncio.create_task(self._receive(), name=f"telegram {self._settings.id}")

    async def close(self) -> None:
        """Receive no more, show no more, and let what is being sent finish for a moment."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
        await self.presence.close()
        await self.stream.close()
        await self.api.close()

    def state(self) -> ChannelState:
        return self._state if self._state.reason else self._poller.state()

    def link(self) -> str:
        return self._me.link if self._me else ""

    async def accept(self, update: Mapping[str, Any]) -> None:
        """Take an update in durably. One that cannot be read is told and passed over: it holds up nobody (R4).

        Raises NotRunning while it is not known who the bot is: without its name no mention is recognised.
        """
        if self._me is None:
            raise NotRunning(f"channel {self._settings.id} is not connected yet")
        event = self._read(update, self._me)
        if isinstance(event, InboundEvent):
            await self.emit(event)
        press = update.get("callback_query")
        if isinstance(press, Mapping):
            self.api.let_go(self.api.bot.answer_callback_query(str(press.get("id"))))

    def _read(self, update: Mapping[str, Any], me: Me) -> InboundEvent | Skip:
        try:
            event = parse(update, me)
        except Exception:
            log.exception("An update could not be read", channel=self._settings.id, update=update.get("update_id"))
            return Skip(reason="poison")
        if isinstance(event, Skip):
            log.debug("An update is not for us", channel=self._settings.id, reason=event.reason)
        return event

    async def _receive(self) -> None:
        """Until stopped."""
        is_hook = self._settings.mode == "webhook"
        self._me = await self._insist(self.api.me)
        way_in = partial(set_hook, self.api, self._settings) if is_hook else partial(drop_hook, self.api)
        await self._insist(way_in)
        self._state = ChannelState(connected=True)
        self.api.let_go(show_menu(self.api, self._settings.menu))
        if not is_hook:
            await self._poller.run()

    async def _insist(self, step: Callable[[], Awaitable[T]]) -> T:
        return await until_it_works(step, self._clock, self._tell)

    def _tell(self, reason: str) -> None:
        self._state = ChannelState(connected=False, reason=reason or "Telegram is not ready")
