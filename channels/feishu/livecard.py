"""One live card: what is known of it, and the calls that change it, each with the next number, never two at once."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from channels.feishu.api import segment
from channels.feishu.card import STOP_ID, TEXT_ID, dumped, shortened
from channels.feishu.faults import FeishuFault, Refusal
from channels.feishu.messages import Messages, uuid_of
from channels.types import LivePost

CARDS: Final = "/open-apis/cardkit/v1/cards"

STALE_NUMBER: Final = 300317
CLOSED: Final = frozenset({200850, 200510, 300309, 300303})
"""The card takes no growing text any more: it was closed, or closed itself after ten minutes."""

NO_CARD: Final = frozenset({200740, 200750, 300311})
"""The card is gone, too old, or another app's."""

LAST_NUMBER: Final = 2**31 - 1
_JUMPS: Final = (0, 600_000, 36_000_000)
"""Milliseconds by which a number is raised when the platform knows a higher one: our clock went back."""


class LiveCard:
    """A card that was sent. Its numbers are the milliseconds since the post began, so that they need no store."""

    def __init__(
        self, post: LivePost, card_id: str, message_id: str, messages: Messages, now: Callable[[], datetime]
    ) -> None:
        self.card_id = card_id
        self.message_id = message_id
        self.is_streaming = True
        self._post = post
        self._messages = messages
        self._now = now
        self._last = 0
        self._calling = asyncio.Lock()

    @property
    def handle(self) -> str:
        return f"{self.card_id}:{self.message_id}"

    async def say(self, text: str) -> None:
        """All the text so far, while the card streams. The turn was waited for. Raises FeishuFault."""
        path = f"/elements/{TEXT_ID}/content"
        await self._change("PUT", path, {"content": text}, waited=True)

    async def settle(self, summary: str) -> None:
        """The end of streaming: the list of chats shows `summary`. Raises Later."""
        settings = {"config": {"streaming_mode": False, "summary": {"content": shortened(summary) or " "}}}
        try:
            await self._change("PATCH", "/settings", {"settings": dumped(settings)})
        except Refusal as refusal:
            if refusal.code not in CLOSED:
                raise
        self.is_streaming = False

    async def show(self, card: Mapping[str, Any], *, waited: bool = False) -> None:
        """Replace all of the card. Raises FeishuFault."""
        await self._change("PUT", "", {"card": {"type": "card_json", "data": dumped(card)}}, waited=waited)

    async def drop_button(self) -> None:
        """Best effort: a button that stays says that nothing is being generated."""
        try:
            await self._change("DELETE", f"/elements/{STOP_ID}", {})
        except FeishuFault:
            return

    async def _change(self, method: str, path: str, payload: Mapping[str, Any], *, waited: bool = False) -> None:
        call = self._messages.noted if waited else self._messages.call
        async with self._calling:
            for jump in _JUMPS:
                number = self._next(jump)
                told = {**payload, "sequence": number, "uuid": uuid_of(self._post.id, number)}
                try:
                    await call(self._post.chat_id, method, f"{CARDS}/{segment(self.card_id)}{path}", told)
                    return
                except Refusal as refusal:
                    if refusal.code != STALE_NUMBER or jump == _JUMPS[-1]:
                        raise

    def _next(self, jump: int) -> int:
        age = (self._now() - self._post.created_at).total_seconds()
        self._last = min(max(self._last + 1 + jump, int(age * 1000) + 1), LAST_NUMBER)
        return self._last
