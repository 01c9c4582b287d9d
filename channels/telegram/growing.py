"""One live post while its words come."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from channels.errors import LiveLost
from channels.telegram.place import Place
from channels.types import LivePost

Show = Callable[["Growing"], Coroutine[Any, Any, None]]
"""Shows a post until it is cancelled."""


class Growing:
    """`write` returns at once; a task of its own shows the newest text when it may."""

    def __init__(self, post: LivePost, place: Place, show: Show) -> None:
        self.post = post
        self.place = place
        self.text = ""
        self.changed = asyncio.Event()
        self.lost = ""
        self.calling = asyncio.Lock()
        self._task = asyncio.create_task(show(self), name=f"live {post.id}")

    def write(self, text: str) -> None:
        """The whole text so far. Raises LiveLost once the platform takes no more."""
        if self.lost:
            raise LiveLost(self.lost)
        self.text = text
        self.changed.set()

    async def end(self) -> None:
        """After a call that is under way: an old frame must not arrive behind the final words."""
        async with self.calling:
            self._task.cancel()
        await asyncio.wait((self._task,))
