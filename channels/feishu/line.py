"""Everything that lives while a channel runs: who the bot is, the way in, and the way out."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

import structlog

from channels.base import Emit
from channels.clock import Clock
from channels.errors import BadRequest, NotRunning
from channels.feishu.api import BOT_PATH, Api
from channels.feishu.budget import Budget
from channels.feishu.complete import Completion
from channels.feishu.directory import Directory
from channels.feishu.faults import FeishuFault, Later
from channels.feishu.finals import Finals
from channels.feishu.hook import Challenge, open_request
from channels.feishu.http import Patience
from channels.feishu.link import Link, Reply
from channels.feishu.me import Me
from channels.feishu.messages import Messages
from channels.feishu.presence import Presence
from channels.feishu.raw import text, within
from channels.feishu.receive import NotTaken, Receiver
from channels.feishu.settings import FeishuSettings
from channels.feishu.stream import Stream
from channels.types import ChannelState, HookRequest, HookResponse

log = structlog.get_logger(__name__)

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 300.0
"""Seconds between two tries to learn who the bot is."""

_TAKEN: Final = {"msg": "success"}
"""What the official handlers answer to an event."""


class Line:
    """One running app. Make it where a loop runs."""

    def __init__(
        self, settings: FeishuSettings, emit: Emit, clock: Clock, now: Callable[[], datetime], patience: Patience
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._now = now
        self._me = Me(app_id=settings.app_id)
        self._known = asyncio.Event()
        self._problem = "connecting"
        self.api = Api(settings, clock, patience)
        directory = Directory(self.api)
        completion = Completion(directory, settings.app_id, settings.wording, look_up=patience.look_up)
        self.receiver = Receiver(
            channel_id=settings.id,
            emit=emit,
            me=lambda: self._me,
            identify=self._identified,
            completion=completion,
            wording=settings.wording,
            in_time=patience.answer,
        )
        budget = Budget(clock)
        messages = Messages(self.api, budget, directory)
        self.finals = Finals(self.api, messages, directory, settings.wording, completion.sent)
        self.stream = Stream(
            messages=messages, finals=self.finals, budget=budget, clock=clock, now=now, wording=settings.wording
        )
        self.presence = Presence(messages, clock)
        self._link = Link(settings, self.api.session, self._take, clock, patience)
        self._tasks: list[asyncio.Task[None]] = []

    def open(self) -> None:
        """Begin; connecting goes on in the background."""
        works = [self._identify()] + ([self._link.run()] if self._settings.mode == "socket" else [])
        self._tasks = [asyncio.create_task(work, name=f"feishu {self._settings.id}") for work in works]

    async def close(self) -> None:
        """Receive no more; events that are being taken in get a moment, calls are cut."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(self._link.close(), self.receiver.close())
        await self.stream.close()
        await self.api.close()

    def state(self) -> ChannelState:
        """Whether events can arrive, and answers can go."""
        if self.api.is_exhausted:
            reason = "the tenant's monthly quota of API calls is used up (99991403): answers wait until it is raised"
            return ChannelState(connected=False, reason=reason)
        if self._settings.mode == "socket" and self._link.reason:
            return ChannelState(connected=False, reason=self._link.reason)
        return ChannelState(connected=self._known.is_set(), reason="" if self._known.is_set() else self._problem)

    async def hook(self, request: HookRequest) -> HookResponse:
        """Raises BadRequest, NotRunning."""
        opened = open_request(
            request,
            encrypt_key=self._settings.encrypt_key,
            verification_token=self._settings.verification_token,
            now=self._now(),
        )
        if isinstance(opened, Challenge):
            return HookResponse(status=200, body={"challenge": opened.words})
        try:
            return HookResponse(status=200, body=await self.receiver.take(opened.body) or _TAKEN)
        except NotTaken as fault:
            raise NotRunning(f"the event was not stored: {fault}") from fault

    async def _take(self, payload: bytes) -> Reply:
        """An event of the long connection, answered with what the platform expects."""
        try:
            result = await self.receiver.take(payload)
        except (NotTaken, BadRequest) as fault:
            log.warning("An event is to come again", channel=self._settings.id, reason=str(fault))
            return 500, None
        return 200, result or None

    async def _identify(self) -> None:
        """Ask who the bot is, until the platform tells: once for as long as the channel runs."""
        pause = FIRST_PAUSE
        while not self._known.is_set():
            try:
                self._me = _me(self._settings.app_id, await self.api.call("GET", BOT_PATH))
                self._known.set()
            except FeishuFault as fault:
                self._problem = f"the bot does not know its own id: {fault}"
                log.warning("The platform does not tell who the bot is", channel=self._settings.id, reason=str(fault))
                wished = fault.retry_after if isinstance(fault, Later) else LONGEST_PAUSE
                await self._clock.sleep(max(pause, wished))
                pause = min(2 * pause, LONGEST_PAUSE)

    async def _identified(self) -> Me:
        await self._known.wait()
        return self._me


def _me(app_id: str, answer: Mapping[str, Any]) -> Me:
    """The answer has `bot` at its top. Raises Later."""
    bot = within(answer, "bot")
    if not text(bot.get("open_id")):
        raise Later("the platform's answer was unusable")
    return Me(app_id=app_id, open_id=text(bot.get("open_id")), name=text(bot.get("app_name")))
