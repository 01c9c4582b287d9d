"""The Bot API as this channel calls it: two pools of connections, every call bounded, nothing left running."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import telegram
from telegram.error import TelegramError

from channels.telegram.faults import Stopped, Unsent
from channels.telegram.me import Me
from channels.telegram.settings import TelegramSettings
from channels.telegram.wire import make_request

T = TypeVar("T")

_SENDING_POOL: Final = 64
_POLLING_POOL: Final = 4


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds: to connect, between two bytes of an answer, for a whole call, for one with a file, for a long poll, and
    when it all ends."""

    connect: float = 10.0
    read: float = 30.0
    call: float = 60.0
    file: float = 300.0
    poll: int = 25
    end: float = 1.5


class _Bot(telegram.Bot):
    async def get_updates_raw(self, offset: int, seconds: int, wanted: list[str], read: float) -> Any:
        """The result of getUpdates as JSON: the library would refuse all of it for one update that it cannot read."""
        data = {"offset": offset, "timeout": seconds, "limit": 100, "allowed_updates": wanted}
        return await self._post("getUpdates", data, read_timeout=read)


class Api:
    """One bot. `call` what `bot` offers; polling has connections of its own, so that it never waits for a sender."""

    def __init__(self, settings: TelegramSettings, patience: Patience) -> None:
        # httpx logs every URL, and the URL holds the token.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        base = settings.base_url.rstrip("/")
        self._patience = patience
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._polling = self._request(settings, _POLLING_POOL)
        self.bot = _Bot(
            settings.token,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=self._request(settings, _SENDING_POOL),
            get_updates_request=self._polling,
        )

    def _request(self, settings: TelegramSettings, pool: int) -> telegram.request.HTTPXRequest:
        patience = self._patience
        return make_request(pool=pool, connect=patience.connect, read=patience.read, is_local=settings.is_local)

    async def open(self) -> None:
        """Make the connections' pools; nothing is called yet."""
        for request in self.bot.request, self._polling:
            await request.initialize()

    async def upload(self, work: Coroutine[Any, Any, T]) -> T:
        """The same as `call` for one that brings a file, which may take longer."""
        return await self.call(work, self._patience.file)

    async def call(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """What the call returns. Raises TelegramError, and TimeoutError when all of it took too long.

        A caller that is cancelled leaves the call to its end: nobody could tell whether half a call was executed.
        """
        if self._closed:
            work.close()
            raise Unsent("the channel is stopped")
        task = self._begin(work, seconds or self._patience.call)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise Stopped("the channel stops") from None
            raise

    def let_go(self, work: Coroutine[Any, Any, Any]) -> None:
        """A call that nobody waits for: whether it works does not matter."""
        self._begin(work, self._patience.call)

    async def updates(self, offset: int, wanted: list[str], *, seconds: int) -> list[Any]:
        """Raises TelegramError; TimeoutError when the connection is dead and nothing told so."""
        read = seconds + self._patience.read / 3
        poll = self.bot.get_updates_raw(offset, seconds, wanted, read)
        result = await _within(seconds + self._patience.read, poll)
        if not isinstance(result, list):
            raise TelegramError("the result of getUpdates is not a list")
        return result

    async def renew_polling(self) -> None:
        """Fresh connections: an old one may be dead without anybody knowing."""
        await self._polling.shutdown()
        await self._polling.initialize()

    async def me(self) -> Me:
        """Who the bot is. Raises TelegramError."""
        user = await self.call(self.bot.get_me())
        return Me(
            id=user.id,
            username=user.username or "",
            name=user.full_name,
            reads_groups=bool(user.can_read_all_group_messages),
        )

    async def close(self) -> None:
        """Let running calls finish for a moment, cut the rest, close the connections."""
        self._closed = True
        if self._running:
            await asyncio.wait(self._running, timeout=self._patience.end)
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        for request in self.bot.request, self._polling:
            await request.shutdown()

    def _begin(self, work: Coroutine[Any, Any, T], seconds: float) -> "asyncio.Task[T]":
        task = asyncio.ensure_future(asyncio.wait_for(work, seconds))
        self._running.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # whoever was cancelled does not ask for it any more


async def _within(seconds: float, work: Awaitable[T]) -> T:
    async with asyncio.timeout(seconds):
        return await work
