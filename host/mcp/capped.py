"""HTTP answers that end when they are too long: a tool server must not fill our memory."""

from collections.abc import AsyncIterator
from typing import Final

import httpx2

ANSWER: Final = 16 * 1024 * 1024
"""Bytes of one answer."""

PLAIN: Final = {"Accept-Encoding": "identity"}
"""Compressed answers grow after they were counted, so none is asked for."""


class TooMuch(httpx2.ReadError):
    """The answer is longer than anything we take, or nobody can tell how long it is."""


async def cap(response: httpx2.Response) -> None:
    """A client's hook: counts what comes as an answer to a message of ours. Raises TooMuch, then or later."""
    if response.request.method != "POST" or not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise TooMuch("the answer is compressed", request=response.request)
    response.stream = _Capped(response.stream, response.request)


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, request: httpx2.Request) -> None:
        self._stream = stream
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for chunk in self._stream:
            count += len(chunk)
            if count > ANSWER:
                raise TooMuch("the answer is too long", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
