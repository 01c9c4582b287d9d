"""Files that people sent, brought in pieces. The address holds the token, so nobody else ever sees it."""

from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import quote

import httpx
from telegram.error import BadRequest, TelegramError

from channels.errors import ChannelError, FileRefused, FileTooLarge
from channels.telegram.api import Api
from channels.telegram.settings import TelegramSettings
from channels.types import Attachment

LARGEST: Final = 20 * 1024 * 1024
"""Bytes that the official server lets a bot download."""

_TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)


async def fetch(api: Api, settings: TelegramSettings, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
    """The file, at most `limit` bytes. Raises ChannelError."""
    if attachment.size > limit:
        raise FileTooLarge(f"the file has {attachment.size} bytes, and {limit} are allowed", limit)
    url = await _address(api, settings, attachment)
    left = limit
    try:
        async with (
            httpx.AsyncClient(timeout=_TIMEOUT, trust_env=not settings.is_local, follow_redirects=False) as client,
            client.stream("GET", url) as answer,
        ):
            if answer.status_code != 200:
                kind = FileRefused if answer.status_code in (400, 403, 404) else ChannelError
                raise kind(f"Telegram answered {answer.status_code} for the file")
            async for piece in answer.aiter_bytes():
                left -= len(piece)
                if left < 0:
                    raise FileTooLarge(f"the file has more than {limit} bytes", limit)
                yield piece
    except httpx.HTTPError as fault:
        raise ChannelError(f"the file could not be fetched ({type(fault).__name__})") from None


async def _address(api: Api, settings: TelegramSettings, attachment: Attachment) -> str:
    """Asked for each time: it ends after an hour. A path of the server's own disk is none of our business."""
    try:
        file = await api.call(api.bot.get_file(attachment.ref))
    except BadRequest as fault:
        if "too big" in str(fault).lower():
            raise FileTooLarge("the file is too large for a bot", LARGEST) from None
        raise FileRefused(f"Telegram does not give the file ({fault})") from None
    except (TelegramError, TimeoutError) as fault:
        raise ChannelError(f"Telegram does not give the file ({type(fault).__name__})") from None
    base = f"{settings.base_url.rstrip('/')}/file/bot{settings.token}/"
    path = (file.file_path or "").removeprefix(base)
    if not path or path.startswith("/") or "://" in path or ".." in path.split("/"):
        raise ChannelError("Telegram gives no address for the file")
    return base + quote(path, safe="/")
