"""Posts to the callback URL and says what came of it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

import aiohttp

from channels.types import Outcome, Retryable
from channels.webhook.render import outcome

TIMEOUT: Final = aiohttp.ClientTimeout(total=30, sock_connect=10)
"""Seconds."""

_FAULTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (TimeoutError, "the callback did not answer in time"),
    (aiohttp.ClientConnectorDNSError, "the callback's host name was not found"),
    (aiohttp.ClientSSLError, "no secure connection to the callback"),
    (aiohttp.ClientConnectorError, "the callback is not reachable"),
    (aiohttp.ClientConnectionError, "the connection to the callback was cut"),
    (Exception, "the callback's answer was unusable"),
)
"""From the particular to the general. The exceptions' own texts may contain the URL, which may carry a token."""


class Callback:
    """One HTTP session for one URL. Make it where a loop runs; close it."""

    def __init__(self, url: str, *, timeout: aiohttp.ClientTimeout, now: Callable[[], datetime]) -> None:
        self._url = url
        self._now = now
        self._session = aiohttp.ClientSession(
            timeout=timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers={"User-Agent": "teambridge", "Content-Type": "application/json"},
        )

    async def post(self, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """One attempt. The answer is its status: the body is never read, however long it is or slow to come."""
        try:
            async with self._session.post(self._url, data=body, headers=headers, allow_redirects=False) as answer:
                return outcome(answer.status, answer.headers, self._now())
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Retryable(reason=next(reason for kind, reason in _FAULTS if isinstance(error, kind)))

    async def close(self) -> None:
        """Cut what is under way; those attempts end as retryable."""
        await self._session.close()
