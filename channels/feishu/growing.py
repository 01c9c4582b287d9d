"""A card while its words come, and what it shows of them."""

import asyncio
from collections.abc import Sequence
from typing import Final

from channels.feishu.limits import TABLES_OF_ELEMENT
from channels.feishu.livecard import LiveCard
from channels.feishu.markdown import card_markdown, pieces, tables_in
from channels.fences import open_fence
from channels.types import LivePost

SHOWN: Final = 6000
LOOKED_AT: Final = 12_000
"""Characters of growing text that are shown at most, and that are read for that."""


class Growing:
    """A card while its words come."""

    def __init__(self, post: LivePost, live: LiveCard, since: float) -> None:
        self.post = post
        self.live = live
        self.since = since
        self.text = ""
        self.shown = ""
        self.changed = asyncio.Event()
        self.lost = ""
        self.calling = asyncio.Lock()
        self.task: asyncio.Task[None] | None = None

    async def end(self) -> None:
        """After a call that is under way: an old frame must not arrive behind the final words."""
        if self.task is None:
            return
        async with self.calling:
            self.task.cancel()
        await asyncio.wait((self.task,))


def visible(words: str) -> str:
    """What a growing card shows: all of a short text, else its end. Never empty, every code block closed."""
    recent = pieces(_tail(words)) or (" ",)
    shown = recent[-2:] if _fits(recent[-2:]) else recent[-1:]
    is_whole = len(shown) == len(recent) and len(words) <= LOOKED_AT
    text = "\n\n".join(shown)
    return card_markdown(text if is_whole else f"…\n\n{text}") or " "


def _fits(shown: Sequence[str]) -> bool:
    return sum(map(len, shown)) <= SHOWN and sum(map(tables_in, shown)) <= TABLES_OF_ELEMENT


def _tail(words: str) -> str:
    """As much of a text as is worth looking at, cut at a line; a code block that began before begins again."""
    if len(words) <= LOOKED_AT:
        return words
    cut = words.find("\n", len(words) - LOOKED_AT) + 1 or len(words) - LOOKED_AT
    fence = open_fence(words, cut)
    return f"{fence.marks}\n{words[cut:]}" if fence else words[cut:]
