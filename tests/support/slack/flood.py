"""How often may be posted: about one message a second in a channel, bursts are fine."""

from collections import deque
from collections.abc import Callable

BURST = 20
SPAN = 10.0


class Flooded(Exception):
    """429, to be answered with so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(str(seconds))
        self.seconds = seconds


class Flood:
    """Counts posts by channel. Switched off where a test needs the room."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.is_on = True
        self.refused = 0
        self._now = now
        self._posts: dict[str, deque[float]] = {}

    def take(self, channel: str) -> None:
        posts = self._posts.setdefault(channel, deque())
        now = self._now()
        while posts and posts[0] <= now - SPAN:
            posts.popleft()
        if self.is_on and len(posts) >= BURST:
            self.refused += 1
            raise Flooded(2)
        posts.append(now)
