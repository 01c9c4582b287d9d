"""Delayed wakes: one heap for all lanes, one time per lane."""

import heapq
from datetime import datetime

_SLACK = 64


class Timers:
    """Which lane is to be woken when. The earliest time of a lane wins, later ones are forgotten.

    A drain that leaves work which is not due yet asks for its next time itself, so forgetting loses nothing and
    the memory is bounded by the number of lanes that wait.
    """

    def __init__(self) -> None:
        self._due: dict[str, datetime] = {}
        self._heap: list[tuple[datetime, str]] = []

    def __len__(self) -> int:
        return len(self._due)

    def set(self, lane: str, when: datetime) -> bool:
        """Wake `lane` at `when`, or earlier if that was asked before. True if `when` is now the first time of all."""
        known = self._due.get(lane)
        if known is not None and known <= when:
            return False
        self._due[lane] = when
        heapq.heappush(self._heap, (when, lane))
        self._forget_replaced()
        return self._heap[0] == (when, lane)

    def first(self) -> datetime | None:
        """The next time at which a lane is due."""
        while self._heap and self._replaced(*self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take_due(self, now: datetime) -> list[str]:
        """The lanes whose time has come, in that order; they are no longer waiting."""
        lanes = []
        while (when := self.first()) is not None and when <= now:
            _, lane = heapq.heappop(self._heap)
            del self._due[lane]
            lanes.append(lane)
        return lanes

    def _replaced(self, when: datetime, lane: str) -> bool:
        return self._due.get(lane) != when

    def _forget_replaced(self) -> None:
        if len(self._heap) > 2 * len(self._due) + _SLACK:
            self._heap = [(when, lane) for lane, when in self._due.items()]
            heapq.heapify(self._heap)
