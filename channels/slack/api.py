"""The Web API as this channel calls it: one session, no retries of the library's own, every call bounded."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from channels.slack.budget import Budget
from channels.slack.faults import LOST_TOKEN, Busy, Doubt, Refusal, SlackFault, Unsent, fault_of
from channels.slack.me import Me
from channels.slack.settings import SlackSettings

T = TypeVar("T")
Answer = Mapping[str, Any]

LARGEST_ANSWER: Final = 8 * 1024 * 1024
"""Bytes; a page of 200 messages is far below."""

_CONNECTIONS: Final = 64
_READS: Final = frozenset(
    {"conversations.replies", "conversations.history", "conversations.info", "users.info", "files.info"}
)
_BY_FORM: Final = frozenset({"files.getUploadURLExternal", "files.completeUploadExternal"})
"""Neither these nor the reads take JSON. The library would put them into the address, where a long comment is lost."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds: to connect, for a whole call, for a file, and when it all ends; and those of the socket.

    `tell`: how long an event waits for what Slack is asked about it.
    `hello`: until a new connection is greeted; `beat`: between two pings; `linger`: how long a connection that was
    replaced may still deliver; `silent`: after which one that delivered nothing at all is replaced by a fresh one.
    """

    connect: float = 10.0
    call: float = 30.0
    file: float = 120.0
    end: float = 1.5
    tell: float = 1.5
    hello: float = 10.0
    beat: float = 15.0
    linger: float = 8.0
    silent: float = 1800.0


class _Bounded(aiohttp.ClientResponse):
    """An answer that ends: whoever sends more than any of Slack's answers holds sends none."""

    async def read(self) -> bytes:
        if self._body is None:
            pieces, left = [], LARGEST_ANSWER
            async for piece in self.content.iter_any():
                left -= len(piece)
                if left < 0:
                    self.close()
                    raise aiohttp.ClientPayloadError("the answer does not end")
                pieces.append(piece)
            self._body = b"".join(pieces)
        return self._body


class Api:
    """One app in one workspace. `call` raises SlackFault; `trouble` says why the token does not work any more."""

    def __init__(self, settings: SlackSettings, patience: Patience, budget: Budget) -> None:
        self.budget = budget
        self.trouble = ""
        self._settings = settings
        self._patience = patience
        self._running: set[asyncio.Task[Any]] = set()
        self._session: aiohttp.ClientSession | None = None
        self._clients: dict[str, AsyncWebClient] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        """Raises Unsent when the channel is stopped."""
        if self._session is None:
            raise Unsent("the channel is stopped")
        return self._session

    async def open(self) -> None:
        """Make the session; nothing is called yet."""
        patience, settings = self._patience, self._settings
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=patience.call, sock_connect=patience.connect),
            connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
            cookie_jar=aiohttp.DummyCookieJar(),
            response_class=_Bounded,
            trust_env=not settings.is_local,
        )
        for token in filter(None, (settings.bot_token, settings.app_token)):
            self._clients[token] = self._client(token)

    async def call(self, method: str, channel: str = "", **arguments: object) -> Answer:
        """What Slack answers with `ok: true`. Arguments that are None are left out. Raises SlackFault.

        A caller that is cancelled leaves the call to its end: nobody could tell whether half a call was executed.
        """
        told = {key: value for key, value in arguments.items() if value is not None}
        return await self._ask(self._settings.bot_token, method, channel, told)

    async def socket_url(self) -> str:
        """Where a new connection of Socket Mode goes; good for one use. Raises SlackFault."""
        return str((await self._ask(self._settings.app_token, "apps.connections.open", "", {}))["url"])

    async def me(self) -> Me:
        """Who the app is and what it was granted. Raises SlackFault."""
        answer = await self._ask(self._settings.bot_token, "auth.test", "", {})
        scopes = str(answer.get("_scopes", ""))
        return Me(
            user_id=str(answer.get("user_id", "")),
            bot_id=str(answer.get("bot_id", "")),
            team_id=str(answer.get("team_id") or ""),
            name=str(answer.get("user", "")),
            scopes=frozenset(scope.strip() for scope in scopes.split(",") if scope.strip()),
            is_org_install=bool(answer.get("is_enterprise_install")),
        )

    async def upload(self, url: str, content: bytes) -> None:
        """The bytes of a file, to the address that Slack gave; without any token. Raises SlackFault."""
        await self._shielded(self._upload(url, content))

    async def post_back(self, url: str, payload: Mapping[str, object]) -> None:
        """Answer through a response_url. Raises SlackFault."""
        await self._shielded(self._post_back(url, payload))

    def let_go(self, work: Coroutine[Any, Any, Any]) -> None:
        """Work that nobody waits for: whether it succeeds does not matter."""
        self._begin(work)

    async def close(self) -> None:
        """Let running calls finish for a moment, cut the rest, close the session."""
        session, self._session = self._session, None
        if self._running:
            await asyncio.wait(self._running, timeout=self._patience.end)
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        if session is not None:
            await session.close()

    def _client(self, token: str) -> AsyncWebClient:
        # The library would send a post again after a cut, and prepares a debug line for each call.
        logger = logging.getLogger("teambridge.slack")
        logger.setLevel(logging.WARNING)
        client = AsyncWebClient(
            token=token,
            base_url=self._settings.base_url,
            session=self._session,
            retry_handlers=[],
            logger=logger,
        )
        client.proxy = None  # the session knows the environment's proxies, and NO_PROXY too
        return client

    async def _ask(self, token: str, method: str, channel: str, arguments: dict[str, object]) -> Answer:
        if self._session is None:
            raise Unsent("the channel is stopped")
        if (seconds := self.budget.wait(method, channel)) > 0:
            raise Busy(seconds)  # a call during a pause would only prolong it
        told = {"channel": channel, **arguments} if channel and "channel_id" not in arguments else arguments
        self.budget.take(method, channel)
        try:
            answer = await self._shielded(self._request(token, method, told))
        except Busy as busy:
            self.budget.silence(method, channel, busy.retry_after)
            raise
        except Refusal as refusal:
            if refusal.code in LOST_TOKEN and token == self._settings.bot_token:
                self.trouble = f"Slack does not accept the bot token ({refusal.code})"
            raise
        if token == self._settings.bot_token:
            self.trouble = ""
        return answer

    async def _shielded(self, work: Coroutine[Any, Any, T]) -> T:
        task = self._begin(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise Doubt("the channel stops") from None
            raise

    async def _request(self, token: str, method: str, told: dict[str, object]) -> Answer:
        client = self._clients[token]
        try:
            if method in _READS:
                answer = await client.api_call(method, http_verb="GET", params=_queried(told))
            elif method in _BY_FORM:
                answer = await client.api_call(method, data=told)
            else:
                answer = await client.api_call(method, json=told)
        except SlackApiError as error:
            raise fault_of(error) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _network_fault(error) from None
        data = answer.data if isinstance(answer.data, dict) else {}
        return data | {"_scopes": _header(answer.headers, "x-oauth-scopes")} if method == "auth.test" else data

    async def _upload(self, url: str, content: bytes) -> None:
        timeout = aiohttp.ClientTimeout(total=self._patience.file, sock_connect=self._patience.connect)
        headers = {"Content-Type": "application/octet-stream"}
        try:
            async with self.session.post(url, data=content, headers=headers, timeout=timeout) as answer:
                _require_ok(answer.status)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _network_fault(error) from None

    async def _post_back(self, url: str, payload: Mapping[str, object]) -> None:
        try:
            async with self.session.post(url, json=payload, allow_redirects=False) as answer:
                _require_ok(answer.status)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _network_fault(error) from None

    def _begin(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # whoever was cancelled does not ask for it any more


async def pages(api: Api, method: str, channel: str, most: int, **arguments: object) -> AsyncIterator[Answer]:
    """The messages of at most so many pages. Raises SlackFault."""
    cursor: str | None = None
    for _ in range(most):
        answer = await api.call(method, channel, cursor=cursor, limit=200, **arguments)
        for message in answer.get("messages") or ():
            if isinstance(message, dict):
                yield message
        cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "") or None
        if cursor is None:
            return


def _require_ok(status: int) -> None:
    if status >= 500:
        raise Doubt(f"Slack answered {status}", answered=True)
    if status >= 300:
        raise Refusal(f"http_{status}")


def _network_fault(error: Exception) -> SlackFault:
    """Only the kind of the fault is told: the library's texts may hold addresses with secrets."""
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return Unsent(f"Slack cannot be reached ({type(error).__name__})")
    return Doubt(f"the call to Slack got no usable answer ({type(error).__name__})")


def _queried(told: Mapping[str, object]) -> dict[str, object]:
    """Arguments for a query string, where a truth is 1 or 0."""
    return {key: int(value) if isinstance(value, bool) else value for key, value in told.items()}


def _header(headers: Mapping[str, str], wanted: str) -> str:
    return next((value for name, value in headers.items() if name.lower() == wanted), "")
