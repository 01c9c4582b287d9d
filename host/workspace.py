"""Workspaces: where an agent's files lie, and the only way to them (X8).

Which folder a run works in, says `host.folders`. In the folder of a room or a chat `shared/` is the agent's own
`shared/`, for reading only.
"""

import asyncio
import os
import shutil
import stat
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final
from weakref import WeakValueDictionary

from host.errors import FileMissing, WorkspaceFault
from host.folders import folder_of
from host.quota import check_room
from host.threads import to_its_end
from host.toolbox import Bench
from host.ways import TEMPORARY, entered, explained, open_file, replaced_size, steps, unfinished

SHARED: Final = "shared"
_CHUNK: Final = 256 * 1024

Behind = Callable[[int], Awaitable[int]]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What lies in a folder; `kind` is file, folder or other, `size` in bytes."""

    name: str
    kind: str
    size: int
    changed: datetime


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a file, from `offset`; `size` is the whole file's, all in bytes."""

    data: bytes
    offset: int
    size: int


class Workspaces:
    """All of them, below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, bench: Bench) -> "Workspace":
        """Where this run works."""
        return self.at(folder_of(bench))

    def at(self, folder: str) -> "Workspace":
        """The workspace in a folder that `host.folders` named. Raises WorkspaceFault."""
        return Workspace(self._root, steps(folder), self._turns.setdefault(folder, asyncio.Lock()))


class Workspace:
    """One folder of work. Paths are relative to it; every method raises WorkspaceFault in words for a model."""

    def __init__(self, root: Path, folder: tuple[str, ...], turn: asyncio.Lock) -> None:
        self._root = root
        self._folder = folder
        self._turn = turn

    async def entries(self, path: str = "") -> list[Entry]:
        """What lies in the folder, by name. A workspace where nothing was written yet is empty."""
        return await asyncio.to_thread(self._entries, path)

    async def read(self, path: str, *, offset: int = 0, limit: int) -> Piece:
        """At most `limit` bytes of a regular file."""
        return await asyncio.to_thread(self._read, path, offset, limit)

    async def pieces(self, path: str) -> AsyncIterator[bytes]:
        """The whole file as it is now: what is written meanwhile is another file."""
        with ExitStack() as opened:
            file = await to_its_end(lambda: opened.enter_context(self._open(path)))
            while piece := await to_its_end(file.read, _CHUNK):
                yield piece

    async def write(self, path: str, data: bytes, *, behind: Behind | None = None) -> int:
        """Make `data` the file's content, all or nothing; its size in bytes.

        With `behind` the beginning of the old content stays: `behind(size of the file)` says how many bytes.
        """
        async with self._turn:
            keep = await behind(await asyncio.to_thread(self._old_size, path)) if behind else 0
            return await to_its_end(self._write, path, data, keep)

    async def put(self, path: str, source: Path) -> int:
        """Copy a file of the program's own into the workspace, all or nothing; its size in bytes."""
        async with self._turn:
            return await to_its_end(self._put, path, source)

    def _place(self, path: str, *, writing: bool = False) -> tuple[str, ...]:
        """The components below the root; what begins with `shared` is the agent's own, wherever one works for it."""
        parts = steps(path)
        if len(self._folder) > 1 and parts[:1] == (SHARED,):
            if writing:
                raise WorkspaceFault(f"{SHARED}/ can only be read here; write somewhere else")
            return (self._folder[0], *parts)
        return (*self._folder, *parts)

    def _entries(self, path: str) -> list[Entry]:
        found = self._listed(path, self._place(path))
        if steps(path) or len(self._folder) == 1:
            return found
        lent = [each for each in self._listed("", (self._folder[0],)) if each.name == SHARED and each.kind == "folder"]
        return sorted([*(each for each in found if each.name != SHARED), *lent], key=lambda each: each.name)

    def _listed(self, path: str, place: tuple[str, ...]) -> list[Entry]:
        with explained(path):
            try:
                with entered(self._root, place) as here:
                    return sorted(_entries_in(here), key=lambda each: each.name)
            except FileNotFoundError:
                if steps(path):
                    raise
                return []

    def _open(self, path: str) -> BinaryIO:
        *folder, name = self._named(path)
        with explained(path), entered(self._root, folder) as here:
            return os.fdopen(open_file(here, name), "rb")

    def _read(self, path: str, offset: int, limit: int) -> Piece:
        with self._open(path) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(offset)
            return Piece(data=file.read(limit), offset=offset, size=size)

    def _old_size(self, path: str) -> int:
        try:
            return self._read(path, 0, 0).size
        except FileMissing:
            return 0

    def _named(self, path: str, *, writing: bool = False) -> tuple[str, ...]:
        if not steps(path):
            raise WorkspaceFault("a file needs a name")
        return self._place(path, writing=writing)

    def _write(self, path: str, data: bytes, keep: int) -> int:
        with self._replacing(path, keep + len(data)) as (file, here, name):
            if keep:
                with os.fdopen(open_file(here, name), "rb") as old:
                    _copy(old, file, keep)
            file.write(data)
        return keep + len(data)

    def _put(self, path: str, source: Path) -> int:
        with source.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            with self._replacing(path, size) as (fresh, _, _):
                shutil.copyfileobj(file, fresh, _CHUNK)
        return size

    @contextmanager
    def _replacing(self, path: str, size: int) -> Iterator[tuple[BinaryIO, int, str]]:
        """A new file that takes the path's place when it is complete; its folder and its name there."""
        *folder, name = self._named(path, writing=True)
        with explained(path), entered(self._root, folder, make=True) as here:
            with entered(self._root, self._folder) as top:
                check_room(top, size, replaced=replaced_size(here, name), is_whole=len(self._folder) == 1)
            with unfinished(here, name) as file:
                yield file, here, name


def _copy(old: BinaryIO, fresh: BinaryIO, count: int) -> None:
    while count and (piece := old.read(min(count, _CHUNK))):
        fresh.write(piece)
        count -= len(piece)
    if count:
        raise WorkspaceFault("the file became shorter meanwhile; read it again")


def _entries_in(here: int) -> Iterator[Entry]:
    for each in os.listdir(here):
        if not each.startswith(TEMPORARY):
            try:
                yield _entry(each, os.stat(each, dir_fd=here, follow_symlinks=False))
            except FileNotFoundError:  # it went away meanwhile
                continue


def _entry(name: str, found: os.stat_result) -> Entry:
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder"}
    return Entry(
        name=os.fsencode(name).decode(errors="replace"),
        kind=kinds.get(stat.S_IFMT(found.st_mode), "other"),
        size=found.st_size,
        changed=datetime.fromtimestamp(found.st_mtime, UTC),
    )
