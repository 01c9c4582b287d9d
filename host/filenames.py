"""How files are called. Senders call them anything; what stands here is safe as a name in a folder and in a line."""

import unicodedata
from collections.abc import Container
from pathlib import PurePosixPath
from typing import Final

LONGEST: Final = 120
"""Characters of a name."""

_MOST_BYTES: Final = 200
"""Bytes of it: file systems take 255, and a number may still come in."""

_LONGEST_ENDING: Final = 16
_NAMELESS: Final = "file"


def clean_name(raw: str) -> str:
    """A name without folders, control characters and leading dots, at most 120 characters; its ending is kept."""
    last = raw.replace("\\", "/").rstrip("/").rpartition("/")[2]
    visible = "".join(char for char in unicodedata.normalize("NFC", last) if not _is_hidden(char))
    name = " ".join(visible.split()).lstrip(". ").rstrip(". ")
    return _cut(name) or _NAMELESS


def apart(name: str, taken: Container[str]) -> str:
    """The name, or `name (2)`, `name (3)` …: the first that is not `taken` (names in `folded` form)."""
    stem, ending = _parts(name)
    found, number = name, 1
    while folded(found) in taken:
        number += 1
        found = f"{stem} ({number}){ending}"
    return found


def folded(name: str) -> str:
    """What two names share that a file system may take for the same."""
    return name.casefold()


def _is_hidden(char: str) -> bool:
    """Control characters, and those that turn the direction of writing or show nothing."""
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _cut(name: str) -> str:
    stem, ending = _parts(name)
    stem = stem[: LONGEST - len(ending)]
    while len((stem + ending).encode()) > _MOST_BYTES:
        stem = stem[:-1]
    return f"{stem.rstrip('. ')}{ending}" if stem else ending


def _parts(name: str) -> tuple[str, str]:
    """Stem and ending; what is long behind a dot is no ending."""
    ending = PurePosixPath(name).suffix
    if len(ending) > _LONGEST_ENDING or len(ending.encode()) > _MOST_BYTES // 2:
        ending = ""
    return name.removesuffix(ending), ending


def size_in_words(size: int) -> str:
    """A number of bytes as people read it: 812 B, 3.4 KB, 12 MB."""
    if size < 1024:
        return f"{size} B"
    unit, value = ("KB", size / 1024) if size < 1024**2 else ("MB", size / 1024**2)
    return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
