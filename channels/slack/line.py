"""A running app: everything that lives from one start of the channel to its next stop."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import structlog

from channels.base import Emit
from channels.clock import Clock
from channels.errors import NotRunning
from channels.slack.api import Api, Patience
from channels.slack.budget import Budget
from channels.slack.cards import Cards
from channels.slack.directory import Directory
from channels.slack.endings import Endings
from channels.slack.faults import Refusal, SlackFault, Unsent
from channels.slack.finals import Finals
from channels.slack.home import home_view
from channels.slack.lookup import Lookup
from channels.slack.me import Me
from channels.slack.parse import Heard, Read, Sign, Skip, parse
from channels.slack.presence import Presence
from channels.slack.settings import SlackSettings
from channels.slack.socket import Sockets
from channels.slack.stream import Stream
from channels.slack.turns import Turns
from channels.types import ChannelState, InboundEvent

log = structlog.get_logger(__name__)

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0


class Line:
    """Connects, receives and holds what sends. Begins with `open`, ends with `close`."""

    def __init__(self, settings: SlackSettings, patience: Patience, clock: Clock, emit: Emit) -> None:
        self.emit = emit
        self.settings = settings
        self.api = Api(settings, patience, Budget(clock.monotonic))
        lookup = Lookup(self.api, clock)
        self._cards = Cards(self.api, lookup, clock, settings.words)
        self.finals = Finals(self.api, lookup, self._cards, clock)
        self.stream = Stream(self.api, Endings(self.api, self.finals, lookup), clock)
        self.presence = Presence(self.api, clock, settings.words)
        self._directory = Directory(self.api, clock, settings.words, patience.tell)
        self._sockets = Sockets(self.api, self.accept, clock, patience)
        self._turns = Turns()
        self._clock = clock
        self._me: Me | None = None
        self._reason = "connecting"
        self._task: asyncio.Task[None] | None = None

    @property
    def me(self) -> Me:
        """Who the app is. Raises Unsent while that is not known: without its scopes nothing is said rightly."""
        if self._me is None:
            raise Unsent("the channel is not connected yet")
        return self._me

    async def open(self) -> None:
        """Begin to connect, in the background."""
        await self.api.open()
        self._task = asyncio.create_task(self._receive(), name=f"slack {self.settings.id}")

    async def close(self) -> None:
        """Receive no more, show no more, and let what is being sent finish for a moment."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
        await self._sockets.close()
        await self.presence.close()
        await self.stream.close()
        await self._cards.close()
        await self._directory.close()
        await self.api.close()

    def state(self) -> ChannelState:
        if self._me is None:
            return ChannelState(connected=False, reason=self._reason)
        if self.api.trouble:
            return ChannelState(connected=False, reason=self.api.trouble)
        return self._sockets.state() if self.settings.is_socket else ChannelState(connected=True)

    async def accept(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Take an envelope in durably. One that cannot be read is told and passed over: it holds up nobody (R4).

        Raises NotRunning while it is not known who the app is, and store faults as they are.
        """
        if self._me is None:
            raise NotRunning(f"channel {self.settings.id} is not connected yet")
        read = self._read(kind, payload, self._me)
        if isinstance(read, Heard):
            await self._hear(read, self._me)
        elif isinstance(read, Sign):
            self.api.let_go(self._notice(read))
        else:
            log.debug("An event is not for us", channel=self.settings.id, reason=read.reason)

    def _read(self, kind: str, payload: Mapping[str, Any], me: Me) -> Read:
        try:
            return parse(kind, payload, me, self.settings.commands)
        except Exception:
            log.exception("An event could not be read", channel=self.settings.id, event_id=payload.get("event_id"))
            return Skip(reason="poison")

    async def _hear(self, heard: Heard, me: Me) -> None:
        async with self._turns.turn(heard.event.chat.id):
            event = await self._directory.complete(heard, me)
            if heard.response_url:
                self.finals.answer_through(event.message_id, heard.response_url)
            await self.emit(event)
        if heard.is_stop:
            self.api.let_go(self._calm(event))

    async def _notice(self, sign: Sign) -> None:
        """What people do with the app without speaking to it. Comfort only."""
        try:
            if sign.kind == "home_opened":
                view = home_view(self.settings.home, self.settings.words)
                await self.api.call("views.publish", user_id=sign.user_id, view=view)
            elif sign.kind == "gone":
                await self.api.me()
            else:
                await self._greet(sign)
        except SlackFault as fault:
            log.info("A sign could not be answered", sign=sign.kind, reason=str(fault))

    async def _calm(self, event: InboundEvent) -> None:
        """Tell Slack that the stop was heard; else it shows for an hour that somebody works."""
        try:
            await self.api.call(
                "agents.sessions.setStatus",
                event.chat.id,
                channel_id=event.chat.id,
                thread_ts=event.thread,
                status="active",
            )
        except SlackFault as fault:
            log.info("Slack was not told that a stop was heard", reason=str(fault))

    async def _greet(self, sign: Sign) -> None:
        """The agent view's suggested prompts; whether Slack takes them tells that the app has one."""
        if sign.kind == "agent":
            self._directory.saw_agent_view()
        if sign.chat_id and "assistant:write" in self.me.scopes:
            await self._directory.probe(sign.chat_id)

    async def _receive(self) -> None:
        """Until stopped."""
        self._me = await self._identify()
        if self.settings.is_socket:
            await self._sockets.run()

    async def _identify(self) -> Me:
        """Who the app is, however long that takes."""
        pause = _FIRST_PAUSE
        while True:
            try:
                return await self.api.me()
            except SlackFault as fault:
                self._reason = _advice(fault)
            log.warning("Slack is not ready", channel=self.settings.id, reason=self._reason)
            await self._clock.sleep(pause)
            pause = min(_LONGEST_PAUSE, pause * 2)


def _advice(fault: SlackFault) -> str:
    return f"Slack does not accept the bot token ({fault.code})" if isinstance(fault, Refusal) else str(fault)
