"""The supervisor: keeps the channels running, those of the start and those that come, change and go later."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import structlog

from channels.base import Channel, Emit
from channels.errors import NotConfigured
from store.clock import Clock

log = structlog.get_logger(__name__)

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
"""Seconds between two attempts to start a channel."""

PATIENCE: Final = 3.0
"""Seconds that the program's start, and its end, wait for a channel."""

Open = Callable[[], Channel]
"""Makes one channel, not started. Raises NotConfigured."""


@dataclass(frozen=True, kw_only=True)
class ChannelHealth:
    """How a configured channel is; `reason` says in one sentence why it is not connected."""

    state: Literal["connected", "connecting", "error"]
    reason: str = ""


class _Post:
    """One configured channel: how to open it, the channel while it runs, and what went wrong last."""

    def __init__(self, open_channel: Open) -> None:
        self.open = open_channel
        self.channel: Channel | None = None
        self.task: asyncio.Task[None] | None = None
        self.tried = asyncio.Event()
        self.health = ChannelHealth(state="connecting", reason="not started yet")


class Supervisor:
    """Starts every channel, again and again until it runs, and knows how each of them is.

    `emit_for` gives each channel the function that accepts its events; `started` is told each channel that has begun
    to run, so that what waited for it goes on.
    """

    def __init__(
        self,
        openers: Mapping[str, Open],
        *,
        emit_for: Callable[[str], Emit],
        started: Callable[[str], Awaitable[None]],
        clock: Clock,
    ) -> None:
        self._posts = {channel_id: _Post(opener) for channel_id, opener in openers.items()}
        self._emit_for = emit_for
        self._started = started
        self._clock = clock

    def add(self, channel_id: str, opener: Open) -> None:
        """One more channel, to be run when `start` is called."""
        self._posts[channel_id] = _Post(opener)

    async def start(self) -> None:
        """Begin; returns when every channel was tried once, or after a few seconds: one of them delays nobody."""
        for channel_id, post in self._posts.items():
            self._begin(channel_id, post)
        await self._within_patience(post.tried.wait() for post in self._posts.values())

    async def replace(self, channel_id: str, opener: Open) -> None:
        """Run this channel from now on; the one that has its id stops first. Returns as `start` does."""
        before = self._posts.get(channel_id)
        post = self._posts[channel_id] = _Post(opener)
        if before is not None:
            await self._end(channel_id, before)
        self._begin(channel_id, post)
        await self._within_patience([post.tried.wait()])

    async def remove(self, channel_id: str) -> None:
        """Stop the channel and forget it."""
        if (post := self._posts.pop(channel_id, None)) is not None:
            await self._end(channel_id, post)

    async def stop(self) -> None:
        """Stop every channel, and trying to start the others. May be called twice."""
        ends = [self._end(channel_id, post) for channel_id, post in self._posts.items()]
        await asyncio.gather(*ends, return_exceptions=True)

    def find(self, channel_id: str) -> Channel | None:
        """The channel, unless it is unknown or not running."""
        post = self._posts.get(channel_id)
        return None if post is None else post.channel

    def knows(self, channel_id: str) -> bool:
        """Whether the configuration has this channel, running or not."""
        return channel_id in self._posts

    def health(self) -> dict[str, ChannelHealth]:
        """How each configured channel is now."""
        return {channel_id: _health(post) for channel_id, post in self._posts.items()}

    def _begin(self, channel_id: str, post: _Post) -> None:
        post.task = asyncio.create_task(self._keep(channel_id, post), name=f"channel:{channel_id}")

    async def _end(self, channel_id: str, post: _Post) -> None:
        task, post.task = post.task, None
        channel, post.channel = post.channel, None
        post.health = ChannelHealth(state="connecting", reason="stopped")
        if task is not None:
            task.cancel()
        stops = [self._stop(channel_id, channel)] if channel is not None else []
        await asyncio.gather(*([task] if task is not None else []), *stops, return_exceptions=True)

    async def _keep(self, channel_id: str, post: _Post) -> None:
        """Try to start the channel until it runs; a mistake in the configuration is final."""
        pause = FIRST_PAUSE
        while True:
            try:
                post.channel = await self._open(channel_id, post)
                break
            except NotConfigured as mistake:
                log.error("A channel is not configured rightly", channel=channel_id, reason=str(mistake))
                post.health = ChannelHealth(state="error", reason=str(mistake))
                return
            except Exception as fault:
                log.exception("A channel did not start", channel=channel_id, retry_after=pause)
                post.health = ChannelHealth(state="error", reason=f"it did not start: {type(fault).__name__}")
            finally:
                post.tried.set()
            await self._clock.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)
        await self._tell(channel_id)

    async def _open(self, channel_id: str, post: _Post) -> Channel:
        channel = post.open()
        try:
            await channel.start(self._emit_for(channel_id))
        except BaseException:
            await self._stop(channel_id, channel)
            raise
        return channel

    async def _tell(self, channel_id: str) -> None:
        """Without this word the channel's waiting messages would wait for the next one, so it is repeated."""
        pause = FIRST_PAUSE
        while True:
            try:
                return await self._started(channel_id)
            except Exception:
                log.exception("A started channel could not be announced", channel=channel_id, retry_after=pause)
            await self._clock.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    async def _stop(self, channel_id: str, channel: Channel) -> None:
        for fault in await self._within_patience([channel.stop()]):
            log.error("A channel did not stop", channel=channel_id, exc_info=fault)

    async def _within_patience(self, works: Iterable[Coroutine[Any, Any, object]]) -> list[Exception]:
        """Do all of it at once, and give up whatever takes too long; the faults."""
        work = asyncio.gather(*works, return_exceptions=True)
        bell = asyncio.ensure_future(self._clock.sleep(PATIENCE))
        try:
            done, _ = await asyncio.wait((work, bell), return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()
            bell.cancel()
        if work not in done:
            return [TimeoutError()]
        return [result for result in await work if isinstance(result, Exception)]


def _health(post: _Post) -> ChannelHealth:
    if post.channel is None:
        return post.health
    state = post.channel.state()
    return ChannelHealth(state="connected" if state.connected else "connecting", reason=state.reason)
