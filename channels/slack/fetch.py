"""Files that people sent, brought in pieces. Our token goes to Slack's own hosts and nowhere else."""

from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import urljoin, urlsplit

import aiohttp

from channels.errors import ChannelError, FileRefused, FileTooLarge
from channels.slack.api import Api
from channels.slack.faults import Refusal, SlackFault
from channels.slack.settings import SlackSettings
from channels.types import Attachment

_HOSTS: Final = ("slack.com", "slack-edge.com", "slack-files.com")
_MOST_HOPS: Final = 4
_PIECE: Final = 64 * 1024
_TIMEOUT: Final = aiohttp.ClientTimeout(total=300, sock_connect=10, sock_read=60)


async def fetch(api: Api, settings: SlackSettings, attachment: Attachment, limit: int) -> AsyncIterator[bytes]:
    """The file, at most `limit` bytes. Raises ChannelError."""
    if attachment.size > limit:
        raise FileTooLarge(f"the file has {attachment.size} bytes, and {limit} are allowed", limit)
    url, mime = await _address(api, attachment)
    left = limit
    try:
        async with await _opened(api, settings, url) as answer:
            _require_file(answer, mime)
            async for piece in answer.content.iter_chunked(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise FileTooLarge(f"the file has more than {limit} bytes", limit)
                yield piece
    except (aiohttp.ClientError, OSError, ValueError, SlackFault) as fault:
        raise ChannelError(f"the file could not be fetched ({type(fault).__name__})") from None


def may_have_token(url: str, settings: SlackSettings) -> bool:
    """Whether a host may see our token: Slack's own, by https, or the server of the configuration."""
    parts, own = urlsplit(url), urlsplit(settings.base_url)
    if (parts.scheme, parts.netloc) == (own.scheme, own.netloc):
        return True
    host = parts.hostname or ""
    return parts.scheme == "https" and any(host == one or host.endswith(f".{one}") for one in _HOSTS)


async def _address(api: Api, attachment: Attachment) -> tuple[str, str]:
    """Asked for each time: events of shared channels hold nothing but the id."""
    try:
        file = (await api.call("files.info", file=attachment.ref)).get("file") or {}
    except SlackFault as fault:
        kind = FileRefused if isinstance(fault, Refusal) else ChannelError
        raise kind(f"Slack does not give the file ({fault})") from None
    url = str(file.get("url_private_download") or file.get("url_private") or "")
    if not url:
        raise FileRefused("Slack gives no address for the file")
    return url, str(file.get("mimetype") or attachment.mime)


async def _opened(api: Api, settings: SlackSettings, url: str) -> aiohttp.ClientResponse:
    """The answer at the end of the redirects, which are followed by hand: to Slack's own hosts only."""
    for _ in range(_MOST_HOPS):
        if not may_have_token(url, settings):
            raise FileRefused("the file is not at one of Slack's hosts")
        answer = await api.session.get(
            url,
            headers={"Authorization": f"Bearer {settings.bot_token}"},
            allow_redirects=False,
            timeout=_TIMEOUT,
        )
        if answer.status not in (301, 302, 303, 307, 308):
            return answer
        url = urljoin(url, answer.headers.get("Location", ""))
        answer.release()
    raise ChannelError("the file's address leads in circles")


def _require_file(answer: aiohttp.ClientResponse, mime: str) -> None:
    """Without the right to read files Slack shows its login page, with status 200."""
    if answer.status != 200:
        raise ChannelError(f"Slack answered {answer.status} for the file")
    if answer.content_type == "text/html" and mime != "text/html":
        raise FileRefused("Slack showed its login page instead of the file: does the app have files:read?")
