"""The shelf: the bytes of files, each content once, under its own digest.

A file stands at `<aa>/<sha256>`. It is written under a name of its own, brought to the disk and then moved into place,
so what stands there is always whole. What is not referred to any more is taken down by its age: whoever puts the same
content again makes it young. Nothing is taken that would fill the disk: the store lives there too.
"""

import asyncio
import errno
import hashlib
import os
import threading
import time
from collections.abc import AsyncIterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final
from uuid import uuid4

from host.errors import TooLarge
from host.pictures import BEGINNING, kind_of
from host.quota import is_nearly_full
from host.threads import to_its_end

_NEW: Final = "new"
"""The folder of what is being written."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What came to stand on the shelf. `size` is in bytes, `picture` the MIME type if the bytes are a picture's."""

    digest: str
    size: int
    picture: str = ""


class Shelf:
    """Files in a folder of their own; the folder is made when the first one comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._placing = threading.Lock()

    async def put(self, pieces: AsyncIterable[bytes], limit: int) -> Kept:
        """Take the bytes as they come, at most `limit`. Raises TooLarge, OSError, and what `pieces` raises."""
        draft = _Draft(self._folder / _NEW, limit)
        try:
            await to_its_end(draft.open)
            async for piece in pieces:
                await to_its_end(draft.add, piece)
            return await to_its_end(self._place, draft)
        finally:
            draft.drop()

    def path(self, digest: str) -> Path:
        """Where this content stands, if it stands there."""
        return self._folder / digest[:2] / digest

    async def read(self, digest: str) -> bytes | None:
        """The bytes; None if they are gone."""
        try:
            return await asyncio.to_thread(self.path(digest).read_bytes)
        except OSError:
            return None

    async def older(self, age: float) -> list[str]:
        """The digests of what nobody put for `age` seconds. Half-written files that old are thrown away."""
        return await asyncio.to_thread(self._older, age)

    async def take_down(self, digest: str, age: float) -> bool:
        """Remove the content, if nobody has put it for `age` seconds; whether it went."""
        return await asyncio.to_thread(self._take_down, digest, age)

    def _place(self, draft: "_Draft") -> Kept:
        kept = draft.finish()
        place = self.path(kept.digest)
        with self._placing:
            if place.exists():
                os.utime(place)
                return kept
            place.parent.mkdir(parents=True, exist_ok=True)
            draft.path.rename(place)
        _sync(place.parent)
        return kept

    def _older(self, age: float) -> list[str]:
        before = time.time() - age
        for draft in _files(self._folder / _NEW):
            if draft.stat().st_mtime < before:
                draft.unlink(missing_ok=True)
        shelves = (each for each in _entries(self._folder) if each.name != _NEW)
        return [file.name for shelf in shelves for file in _files(shelf) if file.stat().st_mtime < before]

    def _take_down(self, digest: str, age: float) -> bool:
        place = self.path(digest)
        with self._placing:
            if not place.exists() or place.stat().st_mtime >= time.time() - age:
                return False
            place.unlink()
        return True


class _Draft:
    """A file that is being written."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.path = folder / uuid4().hex
        self._limit = limit
        self._size = 0
        self._beginning = b""
        self._hash = hashlib.sha256()
        self._file: BinaryIO = BytesIO()

    def open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("xb")

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise TooLarge(self._limit)
        if is_nearly_full(self._file.fileno(), len(piece)):
            raise OSError(errno.ENOSPC, "the disk is nearly full")
        if len(self._beginning) < BEGINNING:
            self._beginning += piece[:BEGINNING]
        self._hash.update(piece)
        self._file.write(piece)

    def finish(self) -> Kept:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return Kept(digest=self._hash.hexdigest(), size=self._size, picture=kind_of(self._beginning))

    def drop(self) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """A name is durable when its folder is."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _entries(folder: Path) -> Iterator[Path]:
    yield from folder.iterdir() if folder.is_dir() else ()


def _files(folder: Path) -> Iterator[Path]:
    yield from (each for each in _entries(folder) if each.is_file())
