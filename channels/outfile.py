"""The bytes of a file that goes out."""

import asyncio
from pathlib import Path

from channels.types import OutFile


async def bytes_of(file: OutFile, most: int) -> bytes | None:
    """All of them; None if there are none, or more than `most`, or they are not there (any more)."""
    return await asyncio.to_thread(_read, file, most)


def _read(file: OutFile, most: int) -> bytes | None:
    if not file.path or not 0 < file.size <= most:
        return None
    try:
        return Path(file.path).read_bytes()
    except OSError:
        return None


def tagged_name(name: str, tag: str) -> str:
    """The name with a tag before its ending, by which it can be found again."""
    path = Path(name)
    return f"{path.stem}-{tag}{path.suffix}"


def has_tag(name: str, tag: str) -> bool:
    """Whether `tagged_name` made this name with that tag."""
    return Path(name).stem.endswith(f"-{tag}")
