"""When the bot may call: one budget per chat and one for the bot, shared by everything it does there.

Telegram's rules: about 30 calls a second, one a second in a private chat (short bursts are fine), 20 a minute in a
group. A call while a flood ban is on prolongs it, so a silent chat is not called at all; during a long ban the whole
bot does only what must be done.
"""

from collections.abc import Callable
from typing import Final

from channels.pace import Budget as Span
from channels.pace import Pace

BOT: Final = Span(calls=30, seconds=1.0)
PRIVATE: Final = Span(calls=3, seconds=3.0)
GROUP: Final = Span(calls=20, seconds=60.0)

LONG_BAN: Final = 60.0
"""Seconds from which a pause is more than one group's budget."""

_EVERYWHERE: Final = "*"


class Budget:
    """Asks how long to wait and counts what goes out. Chats are Telegram's numbers, groups are negative."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._bot = Pace(bot=(BOT,))
        self._private = Pace(chat=(PRIVATE,))
        self._groups = Pace(chat=(GROUP,))
        self._banned_until = float("-inf")

    def wait(self, chat: int) -> float:
        """Seconds until the chat may be told something that must arrive."""
        now = self._monotonic()
        return max(self._bot.wait(_EVERYWHERE, now), self._of(chat).wait(str(chat), now))

    def spare(self, chat: int, keep: int) -> float:
        """Seconds until a call that may as well be left out; `keep` of the chat's budget stay for the rest."""
        now = self._monotonic()
        banned = self._banned_until - now
        return max(banned, self._bot.wait(_EVERYWHERE, now, spare=10), self._of(chat).wait(str(chat), now, spare=keep))

    def take(self, chat: int) -> None:
        """The chat is called now."""
        now = self._monotonic()
        self._bot.take(_EVERYWHERE, now)
        self._of(chat).take(str(chat), now)

    def silence(self, chat: int, seconds: float) -> None:
        """Telegram asked for a pause."""
        now = self._monotonic()
        self._of(chat).silence(seconds, now, chat=str(chat))
        if seconds >= LONG_BAN:
            self._banned_until = max(self._banned_until, now + seconds)

    def _of(self, chat: int) -> Pace:
        return self._groups if chat < 0 else self._private
