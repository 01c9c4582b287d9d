"""Driving one run of a turn: the agent loop on one side, the store on the other."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol
from uuid import uuid4

import structlog

from host.agent import Assignment, Response, run_agent
from host.errors import ModelUnavailable, Refused
from host.values import Live, Writing
from store.clock import Clock
from store.database import Database, Transaction
from store.errors import Lost, StoreUnavailable
from store.turns import Turn, add_checkpoint, count_response, park_turn

_INSTANT = 0.001
"""Seconds that are as good as none."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a turn could not be finished. `state` is failed or timed_out; `error_id` stands in the log too.

    A `reason` in words takes the place of the sentence about the model.
    """

    state: str
    error_id: str
    reason: str = ""


class Seat(Protocol):
    """Who works in this turn, and what its words mean to the sessions around it."""

    turn: Turn
    time_limit: float
    """Seconds of running time for the whole turn."""

    @property
    def writing(self) -> Writing:
        """Whose words these are while they are written, and who sees them."""

    async def assignment(self) -> Assignment:
        """What the model is told and may do. Raises ModelUnavailable; CancelledError if the turn is to end at once."""

    async def hold(self, tx: Transaction) -> Turn:
        """Lock the room, then the side session; the turn, if this run still owns it. Raises Lost."""

    async def respond(self, tx: Transaction, turn: Turn, response: Response) -> bool:
        """Store what a complete response means; False ends the run (the turn is closed)."""

    async def heard(self, tx: Transaction, turn: Turn, messages: bytes) -> str:
        """Store what the tools' answers mean; why the model may not be asked again, "" if it may."""

    @property
    def rested(self) -> float:
        """Seconds of this run in which it only waited for others: they do not count."""

    async def stop(self, tx: Transaction, turn: Turn, text: str) -> None:
        """Close the turn as stopped; `text` is what people saw of it."""

    async def fail(self, tx: Transaction, turn: Turn, failure: Failure) -> None:
        """Close the turn as failed."""


class Runs:
    """The runs of this process: a stop finds its turn here."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._blameless: set[str] = set()

    def cancel(self, turn_id: str) -> None:
        """End the turn's run, if it is running here."""
        if (task := self._tasks.get(turn_id)) is not None:
            task.cancel()

    def excuse(self, turn_id: str) -> None:
        """The store failed, not the run: its end does not count as an attempt."""
        self._blameless.add(turn_id)

    def excused(self, turn_id: str) -> bool:
        """Whether the last run was excused; asked once."""
        known = turn_id in self._blameless
        self._blameless.discard(turn_id)
        return known

    @contextlib.contextmanager
    def listed(self, turn_id: str, task: "asyncio.Task[None]") -> Iterator[None]:
        self._tasks[turn_id] = task
        try:
            yield
        finally:
            del self._tasks[turn_id]


class Follower:
    """Follows a run: shows its words, stores its steps."""

    def __init__(self, seat: Seat, database: Database, live: Live, clock: Clock) -> None:
        self._seat = seat
        self._writing = seat.writing
        self._database = database
        self._live = live
        self._clock = clock
        self._began = clock.monotonic()
        self._chunks: list[str] = []
        self._length = 0

    @property
    def visible(self) -> str:
        """What people have seen of the response that is being written."""
        return "".join(self._chunks)

    @property
    def spent(self) -> float:
        """The turn's running time so far, in seconds."""
        return self._seat.turn.spent + self._clock.monotonic() - self._began - self._seat.rested

    def text(self, offset: int, text: str) -> None:
        if offset != self._length:
            self._chunks = [self.visible[:offset]]
        self._chunks.append(text)
        self._length = offset + len(text)
        self._live.delta(self._writing, offset, text)

    async def responded(self, response: Response) -> bool:
        go_on = await self._database.write(partial(self._store, response))
        self._chunks, self._length = [], 0
        return go_on

    async def tools_ran(self, messages: bytes) -> None:
        """Raises Refused."""
        if reason := await self._database.write(partial(self._store_tools, messages)):
            raise Refused(reason)

    async def _store(self, response: Response, tx: Transaction) -> bool:
        turn = await self._seat.hold(tx)
        await count_response(tx, turn, len(response.calls))
        await add_checkpoint(tx, turn, response.messages, spent=self.spent)
        return await self._seat.respond(tx, turn, response)

    async def _store_tools(self, messages: bytes, tx: Transaction) -> str:
        turn = await self._seat.hold(tx)
        await add_checkpoint(tx, turn, messages, spent=self.spent)
        return await self._seat.heard(tx, turn, messages)


class Driver:
    """Runs seats to their end, whatever that is."""

    def __init__(self, database: Database, live: Live, clock: Clock, runs: Runs) -> None:
        self._database = database
        self._live = live
        self._clock = clock
        self._runs = runs

    async def work(self, seat: Seat) -> None:
        """One run of the seat's turn. Afterwards the turn is closed, or parked if we were cancelled.

        Raises StoreUnavailable: the turn stays as it is and a later run goes on.
        """
        follower = Follower(seat, self._database, self._live, self._clock)
        task = asyncio.create_task(self._run(seat, follower), name=f"turn {seat.turn.id}")
        with self._runs.listed(seat.turn.id, task):
            in_time = await self._until_done(task, seat, follower)
        try:
            await self._conclude(task, seat, follower, in_time=in_time)
        except Lost:
            log.info("a run was overtaken", turn=seat.turn.id)
        except StoreUnavailable:
            self._runs.excuse(seat.turn.id)
            raise

    async def _run(self, seat: Seat, follower: Follower) -> None:
        await run_agent(await seat.assignment(), follower)

    async def _until_done(self, task: "asyncio.Task[None]", seat: Seat, follower: Follower) -> bool:
        """True if the run ended by itself, False if its time was up. A cancellation of ours parks the turn."""
        timer = asyncio.create_task(self._time_up(seat, follower))
        try:
            await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
            in_time = task.done()
            await _end(task)
            return in_time
        except asyncio.CancelledError:
            await _end(task)
            await self._park(seat, follower)
            raise
        finally:
            await _end(timer)

    async def _time_up(self, seat: Seat, follower: Follower) -> None:
        """Until the running time is spent; a run that rests is looked at again at the earliest moment."""
        await self._clock.sleep(max(0.0, seat.time_limit - seat.turn.spent))
        while (left := seat.time_limit - follower.spent) > _INSTANT:
            await self._clock.sleep(max(left, 1.0))

    async def _conclude(self, task: "asyncio.Task[None]", seat: Seat, follower: Follower, *, in_time: bool) -> None:
        if not in_time:
            await self._close(
                seat, lambda tx, turn: seat.fail(tx, turn, Failure(state="timed_out", error_id=_error_id()))
            )
        elif task.cancelled():
            await self._close(seat, lambda tx, turn: seat.stop(tx, turn, follower.visible))
        elif (fault := task.exception()) is not None:
            await self._explain(seat, fault)

    async def _explain(self, seat: Seat, fault: BaseException) -> None:
        if isinstance(fault, (Lost, StoreUnavailable)):
            raise fault
        if isinstance(fault, ModelUnavailable):
            failure = Failure(state="failed", error_id=fault.error_id)
        elif isinstance(fault, Refused):
            log.info("a run may not go on", turn=seat.turn.id, reason=fault.reason)
            failure = Failure(state="failed", error_id="", reason=fault.reason)
        else:
            failure = Failure(state="failed", error_id=_error_id())
            log.error("a run broke", turn=seat.turn.id, error_id=failure.error_id, exc_info=fault)
        await self._close(seat, lambda tx, turn: seat.fail(tx, turn, failure))

    async def _close(self, seat: Seat, how: Callable[[Transaction, Turn], Awaitable[None]]) -> None:
        async def close(tx: Transaction) -> None:
            await how(tx, await seat.hold(tx))

        await self._database.write(close)

    async def _park(self, seat: Seat, follower: Follower) -> None:
        async def park(tx: Transaction) -> None:
            await park_turn(tx, await seat.hold(tx), follower.spent)

        with contextlib.suppress(Lost, StoreUnavailable):
            await self._database.write(park)


async def _end(task: "asyncio.Task[None]") -> None:
    """Cancel the task if it still runs, and wait until it is over; its outcome stays in it."""
    task.cancel() if not task.done() else None
    await asyncio.wait({task})


def _error_id() -> str:
    return uuid4().hex[:8]
