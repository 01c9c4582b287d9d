"""The way out in small: events that are simply there, a channel that does as it is told, lanes that a test turns."""

import heapq
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from functools import partial
from typing import Any

from channels.base import Emit
from channels.types import ChannelState, Limits, OutboundMessage, Outcome, Sent
from store.base import Origin, Speaker
from store.chats import Chat
from store.database import Database, Transaction
from store.events import Event
from store.inputs import Input
from store.outbox import Delivery, find_delivery
from store.sessions import Session, find_session, lock_session, next_seq
from tests.support.clock import START, FakeClock

HOST = Speaker(id="studio", name="内容工作室", role="host", icon=":star:")
MEMBER = Speaker(id="researcher", name="研究员", role="member")
PERSON = Speaker(id="u1", name="Ann", role="user")
PLACE = Origin(channel_id="hook", chat_id="c1", message_id="m1")


class HandLanes:
    """Lanes that run when the test says so, one after the other, on the test's clock."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._ready: deque[str] = deque()
        self._later: list[tuple[datetime, str]] = []

    async def wake(self, tx: Transaction, lane: str) -> None:
        tx.after_commit(partial(self._ready.append, lane))

    async def wake_at(self, tx: Transaction, lane: str, when: datetime) -> None:
        tx.after_commit(partial(heapq.heappush, self._later, (when, lane)))

    async def run(self, drain: Callable[[str], Awaitable[None]]) -> None:
        """Everything that is due now."""
        while lane := self._next():
            await drain(lane)

    async def run_for(self, seconds: float, drain: Callable[[str], Awaitable[None]]) -> None:
        """Everything that becomes due within that time, at its time."""
        goal = self._clock.monotonic() + seconds
        await self.run(drain)
        while self._later and (self._later[0][0] - START).total_seconds() <= goal:
            await self._clock.advance(max(0.0, (self._later[0][0] - self._clock.now()).total_seconds()))
            await self.run(drain)
        await self._clock.advance(goal - self._clock.monotonic())

    @property
    def waiting(self) -> set[str]:
        """Lanes that were woken and did not run yet, now or later."""
        return {*self._ready, *(lane for _, lane in self._later)}

    def _next(self) -> str | None:
        while self._later and self._later[0][0] <= self._clock.now():
            self._ready.append(heapq.heappop(self._later)[1])
        return self._ready.popleft() if self._ready else None


class ScriptedChannel:
    """Answers each message as the script says (`answer`, else sent) and remembers what arrived and when."""

    answers_inline = True

    def __init__(
        self, channel_id: str = "hook", *, limits: Limits | None = None, clock: FakeClock | None = None
    ) -> None:
        self.id = channel_id
        self.limits = limits or Limits()
        self.clock = clock or FakeClock()
        self.answer: Callable[[OutboundMessage], Outcome] = lambda message: Sent(platform_id=f"p{message.seq}")
        self.tried: list[tuple[float, OutboundMessage]] = []
        self.arrived: list[OutboundMessage] = []
        self.emit: Emit | None = None

    async def start(self, emit: Emit) -> None:
        self.emit = emit

    async def stop(self) -> None:
        self.emit = None

    def state(self) -> ChannelState:
        return ChannelState(connected=self.emit is not None)

    async def send(self, message: OutboundMessage) -> Outcome:
        self.tried.append((self.clock.monotonic(), message))
        outcome = self.answer(message)
        if isinstance(outcome, Sent):
            self.arrived.append(message)
        return outcome

    def script(self, outcomes: Iterable[Outcome]) -> None:
        """These outcomes one after the other, then sent."""
        rest = iter(outcomes)
        self.answer = lambda message: next(rest, Sent(platform_id=f"p{message.seq}"))

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.arrived]


class Channels:
    """The channels that run."""

    def __init__(self, *channels: ScriptedChannel) -> None:
        self.running = {channel.id: channel for channel in channels}

    def find(self, channel_id: str) -> ScriptedChannel | None:
        return self.running.get(channel_id)


def event(kind: str, text: str = "", **fields: Any) -> Event:
    """An event as the store gives it; without fields it is the host's, of session s1."""
    base: dict[str, Any] = {
        "session_id": "s1",
        "seq": 1,
        "id": "e1",
        "at": START,
        "speaker": HOST,
        "turn_id": None,
        "job_id": None,
        "data": {},
        "origin": PLACE,
        "rounds": ["r1"],
    }
    return Event(**base | {"kind": kind, "text": text} | fields)


async def add_room(database: Database, session_id: str = "s1", *, kind: str = "room") -> None:
    """An empty session and the chat c1 of the channel hook."""

    async def work(tx: Transaction) -> None:
        if await tx.orm.get(Chat, ("hook", "c1")) is None:
            tx.orm.add(Chat(channel_id="hook", id="c1", type="private", created_at=tx.now))
        tx.orm.add(
            Session(
                id=session_id,
                kind=kind,
                agent_id="studio",
                owner_id="owner",
                principal="chat:hook:c1",
                app_id="hook",
                created_at=tx.now,
                updated_at=tx.now,
            )
        )

    await database.write(work)


async def add_question(
    database: Database, round_id: str = "r1", *, session_id: str = "s1", state: str = "done"
) -> None:
    """The input that begins a round, asked now."""

    async def work(tx: Transaction) -> None:
        values = {"id": round_id, "session_id": session_id, "round_id": round_id, "state": state}
        tx.orm.add(Input(**values, kind="user", position=1, created_at=tx.now, text="?"))

    await database.write(work)


async def finish_question(database: Database, round_id: str = "r1") -> None:
    async def work(tx: Transaction) -> None:
        found = await tx.orm.get(Input, round_id)
        assert found is not None
        found.state = "done"

    await database.write(work)


async def say(database: Database, *events: Event, session_id: str = "s1") -> None:
    """Append the events to the session, numbered as the host would."""

    async def work(tx: Transaction) -> None:
        session = await lock_session(tx, session_id)
        for one in events:
            one.session_id, one.seq, one.at = (
                session_id,
                await next_seq(tx, session, posted=one.origin is not None),
                tx.now,
            )
            one.id = f"{session_id}-{one.seq}"
            tx.orm.add(one)

    await database.write(work)


async def stored(database: Database, delivery_id: str) -> Delivery:
    found = await database.read(partial(find_delivery, delivery_id=delivery_id))
    assert found is not None
    return found


async def session_of(database: Database, session_id: str = "s1") -> Session:
    found = await database.read(partial(find_session, session_id=session_id))
    assert found is not None
    return found
