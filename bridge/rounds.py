"""Waiting for a round to end, and reading the messages that were made of it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from bridge.outgoing import load_message
from channels.types import OutboundMessage
from store.clock import Clock
from store.database import Database, Transaction
from store.jobs import round_is_over
from store.outbox import deliveries_after, deliveries_of_round
from store.sessions import find_session

MAX_WAITERS: Final = 1000
"""Requests that may wait at once; the next ones are answered at once, as if their time were up."""


class _Waiter:
    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.expired = False

    async def expire(self, clock: Clock, seconds: float) -> None:
        await clock.sleep(seconds)
        self.expired = True
        self.changed.set()


class Rounds:
    """Rounds as those who asked see them: over and published, or still going on."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._waiters: dict[str, set[_Waiter]] = {}
        self.waiting = 0

    async def wait(self, session_id: str, round_id: str, seconds: float) -> tuple[OutboundMessage, ...] | None:
        """The round's messages in order once it is over and all of it is published, else None after `seconds`."""
        look = partial(_finished, session_id, round_id)
        if seconds <= 0 or self.waiting >= MAX_WAITERS:
            return await self._database.read(look)
        with self._listening(session_id) as waiter:
            timer = asyncio.create_task(waiter.expire(self._clock, seconds), name="rounds.timer")
            try:
                while (messages := await self._database.read(look)) is None and not waiter.expired:
                    await waiter.changed.wait()
                    waiter.changed.clear()
                return messages
            finally:
                timer.cancel()

    def stop(self) -> None:
        """The program ends: whoever waits is answered as if the time were up."""
        for waiter in [each for waiters in self._waiters.values() for each in waiters]:
            waiter.expired = True
            waiter.changed.set()

    def published(self, session_id: str) -> None:
        """Everything that the session has emitted so far has become messages."""
        for waiter in self._waiters.get(session_id, ()):
            waiter.changed.set()

    async def messages_after(self, channel_id: str, chat_id: str | None, after: int) -> tuple[OutboundMessage, ...]:
        """Messages of the chat (of every chat of the channel, chat by chat) numbered above `after`; 500 at most."""
        rows = await self._database.read(partial(deliveries_after, channel_id=channel_id, chat_id=chat_id, after=after))
        return tuple(load_message(row.message) for row in rows)

    @contextmanager
    def _listening(self, session_id: str) -> Iterator[_Waiter]:
        waiter = _Waiter()
        self._waiters.setdefault(session_id, set()).add(waiter)
        self.waiting += 1
        try:
            yield waiter
        finally:
            self.waiting -= 1
            self._waiters[session_id].discard(waiter)
            if not self._waiters[session_id]:
                del self._waiters[session_id]


async def _finished(session_id: str, round_id: str, tx: Transaction) -> tuple[OutboundMessage, ...] | None:
    """Looks at the end first: what a round emitted before it was over is seen by the later look at the cursor."""
    if not await round_is_over(tx, round_id):
        return None
    session = await find_session(tx, session_id)
    if session is not None and session.published < session.seq:
        return None
    rows = await deliveries_of_round(tx, round_id)
    return tuple(load_message(row.message) for row in rows)
