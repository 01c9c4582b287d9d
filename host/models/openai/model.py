"""A chat model over HTTP."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from io import BytesIO
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from aiohttp import ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

from host.model import Question, Visible
from host.models.faults import RefusedError, refusal
from host.models.openai.draft import Draft
from host.models.openai.request import request_body
from host.models.openai.service import OPENAI, service_of
from host.models.openai.stream import read_events
from host.models.spec import ModelSpec

_CONNECT = 10.0
_EXCERPT = 4096
"""Bytes of an error that are read."""


class ChatModel:
    """One model of one endpoint. Its runs share the connections, whose number is not limited here: the runs' is."""

    def __init__(self, spec: ModelSpec) -> None:
        base_url = spec.base_url or OPENAI
        self.name = spec.model
        self.key = spec.api_key
        self.service = service_of(base_url)
        self.url = f"{base_url.rstrip('/')}/chat/completions"
        self.timeout = spec.timeout
        self._session: ClientSession | None = None
        self._wants_usage = True

    async def answer(self, question: Question, visible: Visible) -> bytes:
        try:
            return await self._ask(question, visible)
        except RefusedError as refused:
            if not self._wants_usage or "stream_options" not in str(refused):
                raise
        self._wants_usage = False
        return await self._ask(question, visible)

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _ask(self, question: Question, visible: Visible) -> bytes:
        body = request_body(self.name, self.service, question, wants_usage=self._wants_usage)
        draft = Draft(self.name, self.service, visible)
        async with self._http().post(self.url, data=BytesIO(body)) as response:
            if response.status >= 400:
                raise await _refused(response)
            await read_events(response, draft.take)
        return draft.finish()

    def _http(self) -> ClientSession:
        """Opened when it is first needed, since it belongs to the running event loop."""
        if self._session is None:
            self._session = ClientSession(
                connector=TCPConnector(limit=0),
                cookie_jar=DummyCookieJar(),
                headers=_headers(self.key),
                proxy=proxy_for(self.url),
                timeout=ClientTimeout(total=None, sock_connect=min(_CONNECT, self.timeout), sock_read=self.timeout),
            )
        return self._session


def _headers(key: str) -> dict[str, str]:
    """Servers at home often have no key."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def proxy_for(url: str) -> str | None:
    """What the environment says (HTTPS_PROXY, NO_PROXY)."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


async def _refused(response: ClientResponse) -> RefusedError:
    words = (await response.content.read(_EXCERPT)).decode(errors="replace")
    return refusal(response.status, words, retry_after(response.headers))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks for: as seconds, or as a date, which is compared with the server's own clock."""
    asked = headers.get("Retry-After", "")
    try:
        return max(0.0, float(asked))
    except ValueError:
        later, now = _seconds(asked), _seconds(headers.get("Date", ""))
        return max(0.0, later - now) if later and now else None


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
