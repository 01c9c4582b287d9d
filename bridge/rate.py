"""How many messages a minute: one sender's, and five times that for a whole channel."""

from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

WINDOW: Final = timedelta(minutes=1)
CHANNEL_FACTOR: Final = 5


class RateLimits:
    """Sliding minutes, in memory: exact, and never more entries than the channel's limit allows messages.

    Times are arguments: what waited in the inbox counts in the minute in which it came in.
    """

    def __init__(self) -> None:
        self._served: dict[str, deque[tuple[datetime, str]]] = {}
        self._told: dict[tuple[str, str], datetime] = {}

    def wait(self, channel_id: str, sender_id: str, limit: int, at: datetime) -> float | None:
        """Seconds until this sender's next message is welcome; None: it is welcome now. Counts nothing."""
        minute = [(when, who) for when, who in self._served.get(channel_id, ()) if at - WINDOW < when <= at]
        own = [when for when, who in minute if who == sender_id]
        waits = _until_free(own, limit, at), _until_free([when for when, _ in minute], CHANNEL_FACTOR * limit, at)
        return max((wait for wait in waits if wait is not None), default=None)

    def count(self, channel_id: str, sender_id: str, limit: int, at: datetime) -> None:
        """This message was served."""
        served = self._served.get(channel_id)
        if served is None or served.maxlen != CHANNEL_FACTOR * limit:
            served = self._served[channel_id] = deque(served or (), maxlen=CHANNEL_FACTOR * limit)
        while served and served[0][0] <= at - WINDOW:
            served.popleft()
        served.append((at, sender_id))

    def may_tell(self, channel_id: str, chat_id: str, at: datetime) -> bool:
        """Whether the chat was not told within the last minute that it is too fast."""
        told = self._told.get((channel_id, chat_id))
        return told is None or at - told >= WINDOW

    def tell(self, channel_id: str, chat_id: str, at: datetime) -> None:
        """The chat is told now."""
        self._told = {place: told for place, told in self._told.items() if at - told < WINDOW}
        self._told[channel_id, chat_id] = at


def _until_free(times: Sequence[datetime], limit: int, at: datetime) -> float | None:
    """When enough of `times` have left the window for one more."""
    if len(times) < limit:
        return None
    return (sorted(times)[len(times) - limit] + WINDOW - at).total_seconds()
