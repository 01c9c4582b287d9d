"""When the bot may call: one budget for the app and one for each chat, shared by finals and live text; finals first.

Feishu's rules: 50 calls a second and 1000 a minute for each API, 5 messages a second in a chat, of all bots together.
"""

from typing import Final

from channels.clock import Clock
from channels.feishu.faults import FeishuFault, Later
from channels.pace import Budget as Span
from channels.pace import Pace

APP: Final = (Span(calls=45, seconds=1.0), Span(calls=900, seconds=60.0))
CHAT: Final = (Span(calls=4, seconds=1.0),)

KEEP: Final = 2
"""Calls of a chat's second that live text leaves to finals."""

PATIENCE: Final = 5.0
"""Seconds that a call waits here; a longer pause is the delivery's to wait."""


class Budget:
    """Waits until a call may go, and counts it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pace = Pace(bot=APP, chat=CHAT)

    async def turn(self, chat: str) -> None:
        """Wait for a call that must be made. Raises Later if that would take long."""
        while (seconds := self._pace.wait(chat, self._clock.monotonic())) > 0:
            if seconds > PATIENCE:
                raise Later("the platform asked for a pause", seconds)
            await self._clock.sleep(seconds)
        self._pace.take(chat, self._clock.monotonic())

    async def spare_turn(self, chat: str, patience: float = PATIENCE) -> None:
        """Wait for a call that may as well be left out. Raises Later if that would take longer than `patience`."""
        while (seconds := self._pace.wait(chat, self._clock.monotonic(), spare=KEEP)) > 0:
            if seconds > patience:
                raise Later("the platform asked for a pause", seconds)
            await self._clock.sleep(seconds)
        self._pace.take(chat, self._clock.monotonic())

    def note(self, fault: FeishuFault, chat: str) -> None:
        """Keep the silence that the platform asked for."""
        if isinstance(fault, Later) and fault.quiet:
            only = chat if fault.quiet == "chat" else None
            self._pace.silence(fault.retry_after, self._clock.monotonic(), chat=only)
