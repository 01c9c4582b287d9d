"""Flood control: who calls too fast is refused for a while, and calling meanwhile makes it longer."""

from collections import deque
from collections.abc import Callable

from tests.support.telegram.answers import Refusal


class Flood:
    """A group takes 20 calls in any minute, a private chat 30 in half a minute and 5 in a row, a bot 30 in a second."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._calls: dict[str, deque[float]] = {}
        self._until: dict[str, float] = {}
        self.refused = 0
        self.is_on = True

    def ban(self, chat: str, seconds: float) -> None:
        self._until[chat] = self._now() + seconds

    def take(self, chat: str) -> None:
        """Raises Refusal 429."""
        now = self._now()
        if (left := self._until.get(chat, now) - now) > 0:
            self._until[chat] += 1
            self._refuse(left + 1)
        if not self.is_on:
            return
        for name, calls, seconds in self._budgets(chat):
            times = self._calls.setdefault(name, deque())
            while times and times[0] <= now - seconds:
                times.popleft()
            if len(times) >= calls:
                self._until[chat] = times[0] + seconds
                self._refuse(self._until[chat] - now)
            times.append(now)

    def _budgets(self, chat: str) -> list[tuple[str, int, float]]:
        if chat.startswith("-"):
            return [(chat, 20, 60.0), ("bot", 30, 1.0)]
        return [(chat, 30, 30.0), (f"{chat} burst", 5, 1.0), ("bot", 30, 1.0)]

    def _refuse(self, seconds: float) -> None:
        self.refused += 1
        after = max(1, round(seconds + 0.5))
        raise Refusal(429, f"Too Many Requests: retry after {after}", retry_after=after)
