"""The embedded lane engine: asyncio tasks in this process, for SQLite or PostgreSQL with one `serve`."""

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial

import structlog

from host.lanes import Drain
from host.timers import Timers
from store.clock import Clock
from store.database import Transaction

FIRST_RETRY = 1.0
LAST_RETRY = 60.0
STUCK = 5
"""Faults one after the other after which a lane is no longer a hiccup: half a minute has passed."""

_log = structlog.get_logger(__name__)


def _uncounted(_lane: str) -> None:
    pass


class EmbeddedLanes:
    """Lanes as tasks: one for each lane that has work, none for idle ones, and no polling.

    Nothing here is durable: at start the program wakes every lane with open work (`wake_now`), and a drain that
    leaves work which is not due yet asks for it with `wake_at`. A drain that raises is logged, counted through
    `on_fault` and retried after 1 s, 2 s, 4 s … 60 s; the other lanes do not notice. A lane whose own task broke ends
    `run`: its work would wait for ever, and nobody would know.
    """

    def __init__(self, clock: Clock, on_fault: Callable[[str], None] = _uncounted) -> None:
        self._clock = clock
        self._on_fault = on_fault
        self._timers = Timers()
        self._timers_changed = asyncio.Event()
        self._drain: Drain | None = None
        self._before_run: dict[str, None] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._failing: dict[str, int] = {}
        self._broken: BaseException | None = None

    @property
    def at_work(self) -> int:
        """How many lanes have a task just now."""
        return len(self._tasks)

    @property
    def failing(self) -> Collection[str]:
        """The lanes whose last drain failed and which wait for their next try."""
        return self._failing.keys()

    async def idle(self) -> None:
        """Wait until no lane has a task; timers may still be set."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def wake(self, tx: Transaction, lane: str) -> None:
        """Drain `lane` once `tx` is durable; if it is being drained by then, drain it once more."""
        tx.after_commit(partial(self.wake_now, lane))

    async def wake_at(self, tx: Transaction, lane: str, when: datetime) -> None:
        """The same, not before `when`. A lane has one such time: the earliest asked for wins."""
        tx.after_commit(partial(self._set_timer, lane, when))

    def wake_now(self, lane: str) -> None:
        """Drain `lane` without waiting for a transaction."""
        if self._drain is None:
            self._before_run[lane] = None
        elif lane in self._tasks:
            self._again.add(lane)
        else:
            task = self._tasks[lane] = asyncio.create_task(self._work(lane, self._drain), name=f"lane {lane}")
            task.add_done_callback(self._watch)

    async def run(self, drain: Drain) -> None:
        """Work until cancelled; then the running drains are cancelled too, and awaited."""
        self._drain, self._broken = drain, None
        try:
            self._start_early_ones()
            await self._ring()
        finally:
            await self._stop()

    def _start_early_ones(self) -> None:
        early, self._before_run = self._before_run, {}
        for lane in early:
            self.wake_now(lane)

    async def _work(self, lane: str, drain: Drain) -> None:
        delay = FIRST_RETRY
        try:
            while self._drain is not None:
                self._again.discard(lane)
                if not await self._drained(lane, drain):
                    delay = await self._back_off(delay)
                elif lane in self._again:
                    delay = FIRST_RETRY
                else:
                    return
        finally:
            self._again.discard(lane)
            self._failing.pop(lane, None)
            del self._tasks[lane]

    async def _drained(self, lane: str, drain: Drain) -> bool:
        try:
            await drain(lane)
        except asyncio.CancelledError as leaked:
            if self._is_cancelled():
                raise
            self._complain(lane, leaked)
            return False
        except Exception as fault:
            self._complain(lane, fault)
            return False
        self._failing.pop(lane, None)
        return True

    def _is_cancelled(self) -> bool:
        """Whether it is we who end the lane; else a drain let the end of something of its own through."""
        task = asyncio.current_task()
        return self._drain is None or task is None or task.cancelling() > 0

    def _complain(self, lane: str, fault: BaseException) -> None:
        times = self._failing[lane] = self._failing.get(lane, 0) + 1
        _log.error("a lane's drain failed", lane=lane, times=times, exc_info=fault)
        if times == STUCK:
            _log.critical("a lane makes no progress: its work waits until the cause is gone", lane=lane, times=times)
        self._on_fault(lane)

    def _watch(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._broken = fault
            self._timers_changed.set()

    async def _back_off(self, delay: float) -> float:
        """Wait, unless the engine is stopping: a drain may have turned its cancellation into a fault."""
        if self._drain is not None:
            await self._clock.sleep(delay)
        return min(2 * delay, LAST_RETRY)

    def _set_timer(self, lane: str, when: datetime) -> None:
        if self._timers.set(lane, when):
            self._timers_changed.set()

    async def _ring(self) -> None:
        while True:
            self._timers_changed.clear()
            if self._broken is not None:
                raise self._broken
            for lane in self._timers.take_due(self._clock.now()):
                self.wake_now(lane)
            await self._next_ring()

    async def _next_ring(self) -> None:
        """Wait for the first timer, or for an earlier one to be set."""
        waits: list[asyncio.Task[object]] = [asyncio.create_task(self._timers_changed.wait())]
        if (first := self._timers.first()) is not None:
            seconds = (first - self._clock.now()).total_seconds()
            waits.append(asyncio.create_task(self._clock.sleep(seconds)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _stop(self) -> None:
        self._drain = None
        running = list(self._tasks.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
