"""Failed logins, counted per address, so that nobody can guess all day."""

from collections import deque
from typing import Final

from store.clock import Clock

_MOST_ADDRESSES: Final = 4096


class Attempts:
    """At most `limit` failures within `window` seconds from one address."""

    def __init__(self, clock: Clock, *, limit: int = 10, window: int = 60) -> None:
        self.window = window
        self._clock = clock
        self._limit = limit
        self._failures: dict[str | None, deque[float]] = {}

    def may_try(self, address: str | None) -> bool:
        times = self._failures.get(address, ())
        return sum(1 for at in times if at > self._clock.monotonic() - self.window) < self._limit

    def failed(self, address: str | None) -> None:
        """Remember the newest failures of the newest addresses."""
        times = self._failures.pop(address, None) or deque(maxlen=self._limit)
        times.append(self._clock.monotonic())
        self._failures[address] = times
        if len(self._failures) > _MOST_ADDRESSES:
            del self._failures[next(iter(self._failures))]

    def succeeded(self, address: str | None) -> None:
        self._failures.pop(address, None)
