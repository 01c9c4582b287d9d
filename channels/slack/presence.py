"""Small signs that somebody works: Slack's status line with who it is, and 👀 under the question."""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from channels.clock import Clock
from channels.slack.api import Api
from channels.slack.faults import Busy, Refusal, SlackFault
from channels.slack.words import Words
from channels.types import Speaker

log = structlog.get_logger(__name__)

EVERY: Final = 90.0
"""Seconds: Slack takes a status away after two minutes."""

AGAIN: Final = 0.5
"""Seconds after a message of ours until the status, which Slack has cleared with it, is shown again."""

LONGEST: Final = 3600.0
"""Seconds after which a sign that nobody took away ends by itself."""

SEEN: Final = "eyes"

_KEEP: Final = 10
_NEVER: Final = frozenset({"unknown_method", "missing_scope", "not_agent_app", "method_not_supported_for_channel_type"})
_DONE: Final = frozenset({"already_reacted", "no_reaction", "message_not_found"})

Place = tuple[str, str]
"""(channel, thread)."""


class _Sign:
    """One place's status while somebody works there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.changed = asyncio.Event()
        self.task: asyncio.Task[None] | None = None


class Presence:
    """Signs of one app: a task per place where somebody works, none elsewhere. Never raises."""

    def __init__(self, api: Api, clock: Clock, words: Words) -> None:
        self._api = api
        self._clock = clock
        self._words = words
        self._signs: dict[Place, _Sign] = {}
        self._refused: set[str] = set()

    async def show(self, chat_id: str, thread: str, at_work: Sequence[Speaker]) -> None:
        """These work there now. A place without a thread has no status line."""
        place = chat_id, thread
        if not thread or _kind(chat_id) in self._refused:
            return
        if not at_work:
            await self._clear(place)
            return
        text = self._words.status([one.name for one in at_work if one.role == "member"])
        sign = self._signs.get(place)
        if sign is None:
            sign = self._signs[place] = _Sign(text)
            sign.task = asyncio.create_task(self._keep(place, sign), name=f"status {chat_id}")
        elif sign.text != text:
            sign.text = text
            sign.changed.set()

    def cleared(self, chat_id: str, thread: str) -> None:
        """A message of ours came there, and took the status away."""
        if (sign := self._signs.get((chat_id, thread))) is not None:
            sign.changed.set()

    async def react(self, chat_id: str, message_id: str, *, seen: bool) -> None:
        """The mark under a person's message; what a command left behind has none."""
        method = "reactions.add" if seen else "reactions.remove"
        if (
            message_id.startswith("slash:")
            or "reactions" in self._refused
            or self._api.budget.wait(method, spare=_KEEP) > 0
        ):
            return
        try:
            await self._api.call(method, chat_id, timestamp=message_id, name=SEEN)
        except Refusal as refusal:
            if refusal.code not in _DONE:
                log.info("A mark could not be set", reason=str(refusal))
            if refusal.code in _NEVER:
                self._refused.add("reactions")
        except SlackFault as fault:
            log.info("A mark could not be set", reason=str(fault))

    async def close(self) -> None:
        tasks = [sign.task for sign in self._signs.values() if sign.task is not None]
        self._signs.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _keep(self, place: Place, sign: _Sign) -> None:
        until = self._clock.monotonic() + LONGEST
        while self._clock.monotonic() < until:
            await self._tell(place, sign.text)
            await self._changed_or_fading(sign)
        self._signs.pop(place, None)

    async def _changed_or_fading(self, sign: _Sign) -> None:
        fading = asyncio.ensure_future(self._clock.sleep(EVERY))
        changed = asyncio.ensure_future(sign.changed.wait())
        try:
            await asyncio.wait((fading, changed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            fading.cancel()
            changed.cancel()
        if sign.changed.is_set():
            await self._clock.sleep(AGAIN)
            sign.changed.clear()

    async def _clear(self, place: Place) -> None:
        sign = self._signs.pop(place, None)
        if sign is None or sign.task is None:
            return
        sign.task.cancel()
        await asyncio.wait((sign.task,))
        await self._tell(place, "")

    async def _tell(self, place: Place, status: str) -> None:
        chat_id, thread = place
        method = "assistant.threads.setStatus"
        if self._api.budget.wait(method, chat_id, spare=2) > 0:
            return
        try:
            await self._api.call(method, chat_id, channel_id=chat_id, thread_ts=thread, status=status)
        except Refusal as refusal:
            log.info("A status could not be shown", chat=chat_id, reason=str(refusal))
            if refusal.code in _NEVER:
                self._refused.add(_kind(chat_id))
        except Busy:
            log.debug("A status was left out", chat=chat_id)
        except SlackFault as fault:
            log.info("A status could not be shown", chat=chat_id, reason=str(fault))


def _kind(chat_id: str) -> str:
    """Channels and private chats may differ in what they support."""
    return chat_id[:1]
