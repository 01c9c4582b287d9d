"""Small signs that somebody works: "typing…", and 👀 under the question. The first to be left out."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

import structlog
from telegram import ReactionTypeEmoji
from telegram.constants import ChatAction
from telegram.error import Forbidden

from channels.clock import Clock
from channels.telegram.api import Api
from channels.telegram.budget import Budget
from channels.telegram.faults import Pause
from channels.telegram.place import Place
from channels.telegram.stream import Stream

log = structlog.get_logger(__name__)

EVERY: Final = 4.0
"""Seconds: Telegram takes the sign away after five."""

EVERY_IN_GROUPS: Final = 10.0
LONGEST: Final = 20 * 60.0
"""Seconds after which a sign that nobody took away ends by itself."""

KEEP_OF_PRIVATE: Final = 2
KEEP_OF_GROUP: Final = 12
"""What signs leave of a chat's budget."""

SEEN: Final = "👀"


class Presence:
    """Signs of one bot: a task per place where somebody works, none elsewhere."""

    def __init__(self, api: Api, budget: Budget, clock: Clock, stream: Stream) -> None:
        self._api = api
        self._budget = budget
        self._clock = clock
        self._stream = stream
        self._typing: dict[Place, asyncio.Task[None]] = {}
        self._marks: dict[tuple[int, int], asyncio.Task[None] | None] = {}

    def show(self, place: Place, *, working: bool) -> None:
        """Begin or end the sign at a place."""
        if working and place not in self._typing:
            self._typing[place] = asyncio.create_task(self._type(place), name=f"typing {place.chat}")
        elif not working and (task := self._typing.pop(place, None)):
            task.cancel()

    async def react(self, chat: int, message: int, *, seen: bool) -> None:
        """Set the mark under a message, if there is budget to spare; take away what was set, as soon as there is."""
        mark = chat, message
        if seen and mark not in self._marks and self._may(chat):
            self._marks[mark] = None
            await self._mark(chat, message, [ReactionTypeEmoji(SEEN)])
        elif not seen and mark in self._marks and self._marks[mark] is None:
            self._marks[mark] = asyncio.create_task(self._unmark(chat, message), name=f"unmark {chat}")

    async def close(self) -> None:
        tasks = [*self._typing.values(), *(task for task in self._marks.values() if task is not None)]
        self._typing, self._marks = {}, {}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _unmark(self, chat: int, message: int) -> None:
        """Signs that stay would lie, so this one waits for its turn."""
        while not self._may(chat):
            await self._clock.sleep(max(self._spare(chat), 0.1))
        await self._mark(chat, message, [])
        self._marks.pop((chat, message), None)

    async def _mark(self, chat: int, message: int, marks: list[ReactionTypeEmoji]) -> None:
        await self._do(chat, "reaction", self._api.bot.set_message_reaction(chat, message, marks))

    async def _type(self, place: Place) -> None:
        every = EVERY_IN_GROUPS if place.is_group else EVERY
        until = self._clock.monotonic() + LONGEST
        while self._clock.monotonic() < until:
            if self._may(place.chat) and not self._stream.is_shown_in(place):
                await self._do(
                    place.chat,
                    "typing",
                    self._api.bot.send_chat_action(place.chat, ChatAction.TYPING, message_thread_id=place.thread),
                )
            await self._clock.sleep(every)

    def _may(self, chat: int) -> bool:
        return self._spare(chat) == 0

    def _spare(self, chat: int) -> float:
        return self._budget.spare(chat, KEEP_OF_GROUP if chat < 0 else KEEP_OF_PRIVATE)

    async def _do(self, chat: int, what: str, work: Coroutine[Any, Any, bool]) -> None:
        self._budget.take(chat)
        try:
            await self._api.call(work)
        except Pause as pause:
            self._budget.silence(chat, pause.seconds)
        except Exception as fault:
            level = log.debug if isinstance(fault, Forbidden) else log.info
            level("A sign could not be shown", sign=what, chat=chat, reason=type(fault).__name__)
