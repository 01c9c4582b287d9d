"""The way to a file below a folder: one component after the other, never through a link, never out.

Paths come from models. Every component is opened relative to the one before (`dir_fd`, O_NOFOLLOW), so that nothing
that is swapped meanwhile leads elsewhere. All of this is disk work: call it in a thread.
"""

import errno
import os
import secrets
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from host.errors import FileMissing, WorkspaceFault

DEEPEST: Final = 32
LONGEST_NAME: Final = 255
"""Bytes of one component."""

TEMPORARY: Final = ".part-"
"""What the name of a file begins with that is being written; models neither see nor name such files."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TURNED: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
"""They make a name read as another one."""

_WORDS: Final = {
    errno.ENOENT: "there is no such file or folder; file_list shows what there is",
    errno.ENOTDIR: "a part of this path is no folder, or it is a link, and links are not followed",
    errno.ELOOP: "it is a link, and links are not followed",
    errno.EISDIR: "it is a folder",
    errno.EEXIST: "there is something of this name already",
    errno.ENXIO: "it is no regular file",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EACCES: "it may not be opened",
    errno.EPERM: "it may not be changed",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EROFS: "nothing can be written on this disk now",
}


def steps(path: str) -> tuple[str, ...]:
    """The components of a relative path; none of them for "" and ".". Raises WorkspaceFault."""
    if path.startswith(("/", "~")):
        raise WorkspaceFault(f"{path}: paths are relative to your workspace and begin with a name")
    parts = tuple(unicodedata.normalize("NFC", part) for part in path.split("/") if part not in ("", "."))
    if len(parts) > DEEPEST:
        raise WorkspaceFault(f"a path has at most {DEEPEST} parts")
    for part in parts:
        if problem := _problem(part):
            raise WorkspaceFault(f"{part!a}: {problem}")
    return parts


def _problem(name: str) -> str:
    """What is wrong with a component's name."""
    if name == "..":
        return "a path does not lead out of its folder"
    if name.startswith(TEMPORARY):
        return "such names are reserved"
    if not name.strip() or "\\" in name or any(_is_odd(each) for each in name):
        return "this is no name for a file; use letters, digits, spaces, dots, dashes, and / between folders"
    return "the name is too long" if len(name.encode()) > LONGEST_NAME else ""


def _is_odd(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _TURNED


@contextmanager
def entered(top: Path, parts: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder `parts` below `top`; `make` makes what is missing. Raises OSError."""
    if make:
        top.mkdir(parents=True, exist_ok=True)
    here = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            following = _step(here, part, make)
            os.close(here)
            here = following
        yield here
    finally:
        os.close(here)


def _step(here: int, part: str, make: bool) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=here)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # somebody else made it meanwhile, whatever it is: opening it tells
        os.mkdir(part, 0o700, dir_fd=here)
    return os.open(part, _FOLDER, dir_fd=here)


def open_file(here: int, name: str) -> int:
    """A descriptor of a regular file, for reading; a device or a pipe is never waited for. Raises OSError."""
    opened = os.open(name, _FILE, dir_fd=here)
    mode = os.fstat(opened).st_mode
    if not stat.S_ISREG(mode):
        os.close(opened)
        raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.ENXIO, "")
    return opened


@contextmanager
def explained(path: str) -> Iterator[None]:
    """What the system says about `path` as words for a model. Raises WorkspaceFault."""
    try:
        yield
    except OSError as fault:
        if fault.errno not in _WORDS:
            raise
        kind = FileMissing if fault.errno == errno.ENOENT else WorkspaceFault
        raise kind(f"{path or '.'}: {_WORDS[fault.errno]}") from fault


def replaced_size(here: int, name: str) -> int | None:
    """The bytes of the file that a new one will replace; None if there is none. Raises WorkspaceFault.

    A link is replaced as such, never followed.
    """
    try:
        found = os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        raise WorkspaceFault(f"{name}: it is a folder or no regular file, and stays as it is")
    return found.st_size


@contextmanager
def unfinished(here: int, name: str) -> Iterator[BinaryIO]:
    """A file that takes its name when it is complete and on the disk, and never if that fails. Raises OSError."""
    temporary = f"{TEMPORARY}{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.fdopen(os.open(temporary, flags, 0o600, dir_fd=here), "wb")
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=here, dst_dir_fd=here)
    except BaseException:
        os.unlink(temporary, dir_fd=here)
        raise
