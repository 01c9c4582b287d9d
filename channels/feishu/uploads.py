"""Bytes go up to the platform first; what comes back is a key that a message can show."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import aiohttp

from channels.feishu.api import Api
from channels.feishu.faults import Later, Refusal
from channels.feishu.raw import text
from channels.feishu.render import Form, file_form, file_name, image_form
from channels.outfile import bytes_of
from channels.types import OutboundMessage, OutFile

FILES: Final = "/open-apis/im/v1/files"
IMAGES: Final = "/open-apis/im/v1/images"

MOST_FILE_BYTES: Final = 30_000_000
MOST_IMAGE_BYTES: Final = 10_000_000

_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"})
_KINDS: Final[Mapping[str, str]] = {
    ".pdf": "pdf",
    ".doc": "doc",
    ".docx": "doc",
    ".xls": "xls",
    ".xlsx": "xls",
    ".ppt": "ppt",
    ".pptx": "ppt",
}
"""What the platform can show by itself; everything else is a stream of bytes. Sound and video would have to be sent as
messages of their own kinds."""


class Uploads:
    """Raises FeishuFault."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def text(self, message: OutboundMessage, words: str) -> Form:
        """Words as a file named after their speaker."""
        return await self._file(file_name(message), words.encode("utf-8", "replace"))

    async def file(self, file: OutFile) -> Form | None:
        """A file as it is, pictures as pictures; None if its bytes are not there, or too many."""
        content = await bytes_of(file, MOST_FILE_BYTES)
        if content is None:
            return None
        if file.mime in _PICTURES and len(content) <= MOST_IMAGE_BYTES:
            try:
                return await self._image(file.name, content)
            except Refusal:  # too many pixels, for example
                pass
        return await self._file(file.name, content)

    async def _image(self, name: str, content: bytes) -> Form:
        def form() -> aiohttp.FormData:
            data = aiohttp.FormData()
            data.add_field("image_type", "message")
            data.add_field("image", content, filename=name)
            return data

        return image_form(_key(text((await self._api.upload(IMAGES, form)).get("image_key"))))

    async def _file(self, name: str, content: bytes) -> Form:
        def form() -> aiohttp.FormData:
            data = aiohttp.FormData()
            data.add_field("file_type", _KINDS.get(Path(name).suffix.lower(), "stream"))
            data.add_field("file_name", name)
            data.add_field("file", content, filename=name)
            return data

        return file_form(_key(text((await self._api.upload(FILES, form)).get("file_key"))))


def _key(key: str) -> str:
    if not key:
        raise Later("the platform's answer was unusable")
    return key
