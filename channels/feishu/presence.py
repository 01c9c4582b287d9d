"""The mark on a question that is being worked on: a reaction, taken away when the work is done. Best effort."""

from typing import Final

import structlog

from channels.clock import Clock
from channels.feishu.api import segment
from channels.feishu.faults import FeishuFault, NotSetUp
from channels.feishu.messages import MESSAGES, Messages
from channels.feishu.raw import text
from channels.feishu.recent import Recent

log = structlog.get_logger(__name__)

MARK: Final = "OnIt"
"""An `emoji_type`; case matters."""

UNWANTED_FOR: Final = 3600.0
"""Seconds without marks where the app may not set any: each try is a call of the month's quota."""


class Presence:
    """The marks of one app."""

    def __init__(self, messages: Messages, clock: Clock) -> None:
        self._messages = messages
        self._clock = clock
        self._marks: Recent[str, str] = Recent()
        self._unwanted_until = float("-inf")

    async def react(self, chat_id: str, message_id: str, *, seen: bool) -> None:
        """Never raises for what the platform or the network does."""
        try:
            await (self._mark if seen else self._unmark)(chat_id, message_id)
        except NotSetUp as fault:
            self._unwanted_until = self._clock.monotonic() + UNWANTED_FOR
            log.info("Marks are not taken", reason=str(fault))
        except FeishuFault as fault:
            log.info("A mark was not set or taken away", reason=str(fault))

    async def _mark(self, chat_id: str, message_id: str) -> None:
        if self._clock.monotonic() < self._unwanted_until or message_id in self._marks:
            return
        path = f"{MESSAGES}/{segment(message_id)}/reactions"
        told = await self._messages.spared(chat_id, "POST", path, {"reaction_type": {"emoji_type": MARK}})
        self._marks.put(message_id, text(told.get("reaction_id")))

    async def _unmark(self, chat_id: str, message_id: str) -> None:
        mark = self._marks.pop(message_id)
        if mark:
            path = f"{MESSAGES}/{segment(message_id)}/reactions/{segment(mark)}"
            await self._messages.spared(chat_id, "DELETE", path, {})
