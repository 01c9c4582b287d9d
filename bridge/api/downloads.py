"""Bytes of files over HTTP: always as something to be saved, never as a page of ours."""

import asyncio
from typing import Final
from urllib.parse import quote

from aiohttp import web

from bridge.api.errors import ApiError
from host.shelf import Shelf
from store.files import File

_PLAIN: Final = "application/octet-stream"
_SHOWABLE: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Kinds that a browser may draw without running anything."""


async def download(shelf: Shelf, file: File | None) -> web.StreamResponse:
    """The file's bytes, or a part of them if the request asks for one. Raises ApiError: there are none."""
    place = shelf.path(file.digest) if file is not None and file.state == "stored" else None
    if file is None or place is None or not await asyncio.to_thread(place.is_file):
        raise ApiError("NOT_FOUND")
    return web.FileResponse(
        place,
        headers={
            "Content-Type": file.mime if file.mime in _SHOWABLE else _PLAIN,
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "Cache-Control": "private, no-store",
        },
    )
