"""One post while its words come. `grow` returns at once; a writer of its own, the only one, appends what is new."""

import asyncio
from typing import Final

from channels.clock import Clock
from channels.errors import LiveLost
from channels.fences import open_fence
from channels.slack.api import Api
from channels.slack.faults import Busy, Doubt, SlackFault
from channels.slack.pieces import LONGEST_LIFE, MOST_BYTES, Piece, Shown, fits, ready
from channels.slack.render import head, persona
from channels.types import LivePost

EVERY: Final = 0.8
"""Seconds between two appends of one post."""

_KEEP: Final = 10
_KEEP_OF_STARTS: Final = 2
"""Calls of a method's budget that live text leaves to others."""


class Growing:
    """Begin it with `begin`; end it with `end`, after which `shown` is what the chat shows."""

    def __init__(self, post: LivePost, api: Api, clock: Clock, *, is_persona: bool) -> None:
        self.post = post
        self.is_persona = is_persona
        self.shown = Shown()
        self._api = api
        self._clock = clock
        self._text = ""
        self._lost = ""
        self._changed = asyncio.Event()
        self._calling = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None

    async def begin(self, text: str) -> str:
        """The first message; its `ts`. Raises SlackFault."""
        self.shown.head = head(self.post.label, text, is_persona=self.is_persona)
        known = ready(text)
        first = known[: fits(known, MOST_BYTES // 2)]
        await self.start(self.shown.head + first)
        self.shown.told = first
        self._writer = asyncio.create_task(self._write(), name=f"live {self.post.id}")
        self.grow(text)
        return self.shown.last.ts

    def grow(self, text: str) -> None:
        """Raises LiveLost once nothing more can be shown."""
        if self._lost:
            raise LiveLost(self._lost)
        self._text = text
        self._changed.set()

    async def end(self) -> None:
        """No more appends; one that is under way is let finish."""
        if self._writer is None:
            return
        async with self._calling:
            self._writer.cancel()
        await asyncio.wait((self._writer,))

    async def start(self, text: str) -> None:
        """Begin another message with this text. Raises SlackFault."""
        self._afford("chat.startStream", _KEEP_OF_STARTS)
        answer = await self._api.call(
            "chat.startStream",
            self.post.chat_id,
            thread_ts=self.post.thread,
            markdown_text=text or None,
            **(persona(self.post.speaker) if self.is_persona else {}),
        )
        self.shown.pieces.append(Piece(ts=str(answer["ts"]), opened_at=self._clock.monotonic(), text=text))

    async def close(self, piece: Piece, **told: object) -> None:
        """End a message. Raises SlackFault."""
        await self._api.call("chat.stopStream", self.post.chat_id, ts=piece.ts, **told)
        piece.is_open = False

    async def _write(self) -> None:
        while not self._lost:
            await self._words_or_age()
            self._changed.clear()
            async with self._calling:
                await self._show()
            await self._clock.sleep(EVERY)

    async def _words_or_age(self) -> None:
        """Wait for words, but not so long that the message would die open."""
        if not self.shown.last.is_open:
            await self._changed.wait()
            return
        age = asyncio.ensure_future(self._clock.sleep(self._left()))
        words = asyncio.ensure_future(self._changed.wait())
        try:
            await asyncio.wait((age, words), return_when=asyncio.FIRST_COMPLETED)
        finally:
            age.cancel()
            words.cancel()

    def _left(self) -> float:
        """Seconds until the last message is to be closed."""
        return self.shown.last.opened_at + LONGEST_LIFE - self._clock.monotonic()

    async def _show(self) -> None:
        """One step. A pause costs a step, a refusal ends the growing."""
        try:
            await self._step()
        except Busy:
            self._changed.set()
        except SlackFault as fault:
            self.shown.doubtful = isinstance(fault, Doubt)
            self._lost = str(fault)

    async def _step(self) -> None:
        known, shown = ready(self._text), self.shown
        if not known.startswith(shown.told):
            self._lost = "the text began anew"
            return
        fresh = known[len(shown.told) :]
        if shown.last.is_open:
            fits_in = fresh[: fits(fresh, shown.last.room())]
            if self._left() <= 0 or (fresh and not fits_in):
                await self._turn_over()
            else:
                fresh = fits_in
        if not fresh:
            return
        await self._tell(fresh[: fits(fresh, MOST_BYTES // 2)])
        if len(shown.told) < len(known):
            self._changed.set()

    async def _tell(self, fresh: str) -> None:
        shown = self.shown
        if shown.last.is_open:
            self._afford("chat.appendStream", _KEEP)
            await self._api.call("chat.appendStream", self.post.chat_id, ts=shown.last.ts, markdown_text=fresh)
            shown.last.text += fresh
        else:
            fence = open_fence(shown.told)
            await self.start(f"{fence.line}\n{fresh}" if fence else fresh)
        shown.told += fresh

    async def _turn_over(self) -> None:
        """Close a message whose text goes on in the next one; code that goes on is closed as well."""
        fence = open_fence(self.shown.told)
        await self.close(self.shown.last, markdown_text=f"\n{fence.marks}" if fence else None)

    def _afford(self, method: str, keep: int) -> None:
        if (seconds := self._api.budget.wait(method, self.post.chat_id, spare=keep)) > 0:
            raise Busy(seconds)
