"""The gallery: which pictures of a conversation a model with eyes is shown.

Stored messages only name them; the bytes are taken from the shelf for each request. The newest come first, and only so
many: every one costs tokens again and again. What is not shown stays a line of text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from host.pictures import pictures_in
from host.shelf import Shelf

MOST: Final = 10
"""Pictures in one request."""

ROOM: Final = 16 * 1024 * 1024
"""Bytes of all of them; providers take about 20 MB of text, and these become a third more."""


class Gallery:
    """Hung anew for each request."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    async def hang(self, checkpoints: Sequence[bytes]) -> Mapping[str, bytes]:
        """The bytes of the pictures to be shown, by digest."""
        hung: dict[str, bytes] = {}
        room = ROOM
        for digest in _newest(checkpoints):
            content = await self._shelf.read(digest)
            if content is None or len(content) > room:
                continue
            room -= len(content)
            hung[digest] = content
            if len(hung) == MOST:
                break
        return hung


def _newest(checkpoints: Sequence[bytes]) -> Iterable[str]:
    """The digests of the pictures, from the newest message back, each once."""
    return dict.fromkeys(_backwards(checkpoints))


def _backwards(checkpoints: Sequence[bytes]) -> Iterator[str]:
    for checkpoint in reversed(checkpoints):
        yield from reversed(pictures_in(checkpoint))
