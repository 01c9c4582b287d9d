"""When the next call to a platform may go: sliding windows for the whole bot and for each chat, and silences.

Decides only; the caller waits. Times are seconds of a clock that only rises, passed in.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Budget:
    """At most `calls` in any span of `seconds`."""

    calls: int
    seconds: float


class Window:
    """One budget and the calls that still count against it."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._times: deque[float] = deque(maxlen=budget.calls)

    def wait(self, now: float, *, spare: int = 0) -> float:
        """Seconds until a call may go that leaves `spare` of the budget (at most all but one) for others."""
        usable = max(self._budget.calls - spare, 1)
        if len(self._times) < usable:
            return 0.0
        return max(self._times[-usable] + self._budget.seconds - now, 0.0)

    def take(self, now: float) -> None:
        """A call goes now, whether it might or not: what happened counts."""
        self._times.append(now)

    def is_idle(self, now: float) -> bool:
        """Whether nothing counts any more."""
        return not self._times or self._times[-1] + self._budget.seconds <= now


class Pace:
    """One bot's budgets. Finals, edits and typing share them; what may be dropped passes `spare` and so yields.

    Remembers only chats that were called within their longest span: idle chats cost nothing.
    """

    def __init__(self, *, bot: tuple[Budget, ...] = (), chat: tuple[Budget, ...] = ()) -> None:
        self._bot = tuple(Window(budget) for budget in bot)
        self._chat = chat
        self._chats: OrderedDict[str, tuple[Window, ...]] = OrderedDict()
        self._silent_until = float("-inf")
        self._silences: dict[str, float] = {}

    def wait(self, chat: str, now: float, *, spare: int = 0) -> float:
        """Seconds until this chat may be called; 0 means now."""
        silence = max(self._silent_until, self._silences.get(chat, now)) - now
        waits = (window.wait(now, spare=spare) for window in self._windows(chat))
        return max(silence, 0.0, *waits)

    def take(self, chat: str, now: float) -> None:
        """This chat is called now."""
        if self._chat and chat not in self._chats:
            self._chats[chat] = tuple(Window(budget) for budget in self._chat)
        for window in self._windows(chat):
            window.take(now)
        self._forget_idle(chat, now)

    def silence(self, seconds: float, now: float, *, chat: str | None = None) -> None:
        """The platform asked for a pause, of one chat or of everything (a flood ban). None shortens another."""
        until = now + seconds
        if chat is None:
            self._silent_until = max(self._silent_until, until)
        else:
            self._silences[chat] = max(self._silences.get(chat, until), until)

    @property
    def remembered(self) -> int:
        """How many chats it keeps something of."""
        return len(self._chats.keys() | self._silences.keys())

    def _windows(self, chat: str) -> Iterator[Window]:
        yield from self._bot
        yield from self._chats.get(chat, ())

    def _forget_idle(self, chat: str, now: float) -> None:
        if chat in self._chats:
            self._chats.move_to_end(chat)
        while self._chats and all(window.is_idle(now) for window in next(iter(self._chats.values()))):
            self._chats.popitem(last=False)
        for silent in [name for name, until in self._silences.items() if until <= now]:
            del self._silences[silent]
