"""One live post: opened when its speaker begins to write, grown while it writes, left to the final delivery."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import structlog

from channels.base import CanStream
from channels.errors import LiveLost
from channels.types import LivePost
from store.clock import Clock

log = structlog.get_logger(__name__)

LONGEST: Final = 60_000
"""Characters of live text that are shown; beyond them the post stops growing and waits for its final text."""

FAST: Final = 0.4
"""Seconds in which an answer may be complete: one that is needs no post before it, and no call for it."""

AGAIN: Final = 0.3
"""Seconds until a post that could not be opened yet is looked at again, though no more words may come for a while."""

Prepare = Callable[[LivePost], Awaitable[LivePost | None]]
"""Completes the post and stores its intent, before the platform is called; None: something older must be shown first.

Raises LiveLost if it is not worth showing here.
"""

Keep = Callable[[LivePost], Awaitable[None]]
"""Stores the handle that the platform gave."""


class Show:
    """Shows one post. The channel paces: while it is busy, words gather, and the next call shows them all."""

    def __init__(self, channel: CanStream, post: LivePost, clock: Clock, prepare: Prepare, keep: Keep) -> None:
        self.post = post
        self._channel = channel
        self._clock = clock
        self._prepare = prepare
        self._keep = keep
        self._text = ""
        self._changed = asyncio.Event()
        self._ending = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name=f"show {post.id}")

    def write(self, offset: int, text: str) -> None:
        """`text` continues the visible text at `offset` characters; an offset below replaces from there."""
        if offset + len(text) <= LONGEST:
            self._text = self._text[:offset] + text
            self._changed.set()

    async def end(self) -> None:
        """Stop growing. A call that is under way is let finish, so that its handle is kept."""
        self._ending.set()
        self._changed.set()
        await asyncio.wait((self._task,))

    def drop(self) -> None:
        """The program stops: leave the post as it is, the next start closes it."""
        self._task.cancel()

    async def _run(self) -> None:
        try:
            is_open = False
            await self._outlast_fast_answers()
            while await self._more():
                if is_open:
                    await self._channel.grow(self.post, self._text)
                elif not (is_open := await self._open()):
                    asyncio.get_running_loop().call_later(AGAIN, self._changed.set)
        except LiveLost as lost:
            log.info("A live post stopped growing", channel=self.post.channel_id, reason=str(lost))
        except Exception:
            log.exception("A live post broke", channel=self.post.channel_id)

    async def _outlast_fast_answers(self) -> None:
        """Wait for words, and then whether they are all; the end of the show cuts it short."""
        await self._changed.wait()
        waits = [asyncio.ensure_future(each) for each in (self._clock.sleep(FAST), self._ending.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _open(self) -> bool:
        post = await self._prepare(self.post)
        if post is None:
            return False
        self.post = replace(post, handle=await self._channel.open(post, self._text))
        await self._keep(self.post)
        return True

    async def _more(self) -> bool:
        """Wait for words; False when the show is over."""
        await self._changed.wait()
        self._changed.clear()
        return not self._ending.is_set()
