"""How much one folder of work may hold."""

import os
import time
from typing import Final

from host.errors import WorkspaceFault
from host.ways import TEMPORARY

QUOTA_BYTES: Final = 200_000_000
QUOTA_FILES: Final = 5_000
"""Files and folders together; rooms and chats have quotas of their own."""

SPARE_BYTES: Final = 100_000_000
"""What stays free on the disk: the store lives there too."""

_APART: Final = ("rooms", "chats")
_ABANDONED: Final = 3600.0
"""Seconds after which a file that is still being written is one that a dead process left."""


def check_room(top: int, size: int, *, replaced: int | None, is_whole: bool) -> None:
    """Whether a file of `size` bytes may come into the folder behind the descriptor `top`, in place of one of
    `replaced` bytes. Raises WorkspaceFault."""
    if is_nearly_full(top, size):
        raise WorkspaceFault("the disk of this machine is nearly full; nothing was written")
    files, held = _usage(top, apart=_APART if is_whole else ())
    is_more = replaced is None and files >= QUOTA_FILES
    if is_more or held - (replaced or 0) + size > QUOTA_BYTES:
        raise WorkspaceFault(
            f"the workspace is full: {files} files and {held} bytes of at most {QUOTA_FILES} files and "
            f"{QUOTA_BYTES} bytes. Nothing was written; files that are written again with less text make room"
        )


def is_nearly_full(here: int, size: int) -> bool:
    """Whether the disk behind the descriptor would have too little left for the store after `size` more bytes."""
    disk = os.fstatvfs(here)
    return disk.f_bavail * disk.f_frsize < size + SPARE_BYTES


def _usage(top: int, apart: tuple[str, ...]) -> tuple[int, int]:
    """How many files and folders lie below, and the files' bytes; the folders `apart` at the top are not counted."""
    files = held = 0
    for place, folders, names, here in os.fwalk(".", dir_fd=top):
        if place == ".":
            folders[:] = [each for each in folders if each not in apart]
        files += len(names) + len(folders)
        held += sum(_size(here, name) for name in names)
    return files, held


def _size(here: int, name: str) -> int:
    """A file's bytes; one that nobody will complete any more goes."""
    try:
        found = os.stat(name, dir_fd=here, follow_symlinks=False)
        if not name.startswith(TEMPORARY) or time.time() - found.st_mtime < _ABANDONED:
            return found.st_size
        os.unlink(name, dir_fd=here)
    except FileNotFoundError:
        pass
    return 0
