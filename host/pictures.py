"""Pictures: files that models with eyes are shown.

A stored message holds where a picture is found, never its bytes: an address of pydantic-ai's form that pydantic-ai
never gets to see, because it is resolved before every request.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

LARGEST: Final = 5 * 1024 * 1024
"""Bytes of a picture that providers take."""

BEGINNING: Final = 12
"""How many bytes tell what it is."""

SHELVED: Final = "shelf:"
"""Before a digest: the address of what stands on the shelf."""

_SHELVED: Final = re.compile(rb'"url":"shelf:([0-9a-f]{64})"')


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A picture in a prompt: its bytes stand on the shelf under `digest`."""

    digest: str
    mime: str
    name: str


def kind_of(beginning: bytes) -> str:
    """The MIME type of a picture that begins so, "" if it is none: names and senders may say anything."""
    if beginning.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if beginning.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if beginning.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if beginning.startswith(b"RIFF") and beginning[8:12] == b"WEBP":
        return "image/webp"
    return ""


def write_picture(picture: Picture) -> dict[str, Any]:
    """The piece of a stored user message that stands for the picture."""
    address = f"{SHELVED}{picture.digest}"
    return {"kind": "image-url", "url": address, "media_type": picture.mime, "identifier": picture.name}


def read_picture(item: object) -> Picture | None:
    """The picture that a piece of a stored user message stands for, if it does."""
    if not isinstance(item, Mapping) or not str(item.get("url", "")).startswith(SHELVED):
        return None
    digest = str(item["url"]).removeprefix(SHELVED)
    return Picture(digest=digest, mime=str(item.get("media_type")), name=str(item.get("identifier")))


def pictures_in(checkpoint: bytes) -> list[str]:
    """The digests of the pictures that a checkpoint names, in order."""
    return [each.decode() for each in _SHELVED.findall(checkpoint)]


def unseen(picture: Picture) -> str:
    """What a model reads in the place of a picture that it is not shown."""
    return f"[The picture {picture.name} is not shown to you.]"
