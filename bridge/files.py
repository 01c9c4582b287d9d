"""Files that came along with a message: brought in before anybody answers, from the channel or from an address."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final
from weakref import WeakValueDictionary

import structlog

from channels.base import CanFetch, Channel
from channels.errors import ChannelError, FileRefused, FileTooLarge
from channels.types import Attachment
from host.addresses import Address, is_public
from host.errors import OutsideFailed, OutsideRefused, TooLarge
from host.fetched import Fetched
from host.outside import open_outside
from host.runtime import Host
from host.shelf import Shelf
from host.values import Say
from store.clock import Clock
from store.database import Database
from store.files import File, count_attempt, waiting_files

log = structlog.get_logger(__name__)

LIMIT: Final = 25 * 1024 * 1024
"""Bytes of one file."""

PAUSES: Final = (1.0, 3.0, 8.0, 20.0)
"""Seconds between two tries."""

PATIENCE: Final = 60.0
"""Seconds after which a question is answered without its file."""

AT_ONCE: Final = 100
"""Files that are brought in at one time: connections are not without end."""

OF_ONE_SESSION: Final = 10
"""Of them: files that never come are then only one chat's trouble."""


class _Lost(Exception):
    """It did not come. `reason` says why, in words; `for_good`: another try is useless."""

    def __init__(self, reason: str, cause: object, *, for_good: bool = False) -> None:
        super().__init__(str(cause))
        self.reason = reason
        self.for_good = for_good


@dataclass(kw_only=True)
class Porter:
    """Drains `files:<input id>`. `find` gives a running channel, `allowed` says which addresses are fetched from."""

    database: Database
    host: Host
    shelf: Shelf
    find: Callable[[str], Channel | None]
    say: Say
    clock: Clock
    allowed: Callable[[Address], bool] = is_public

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(AT_ONCE)
        self._of_session: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def drain(self, input_id: str) -> None:
        """Bring in every file of the input, all at once. Raises the store's faults, in a group."""
        async with asyncio.TaskGroup() as group:
            for each in await self.database.read(partial(waiting_files, input_id=input_id)):
                group.create_task(self._bring(each))

    async def _bring(self, file: File) -> None:
        fetched = await self._in_time(file)
        await self.database.write(partial(self.host.settle_file, file_id=file.id, fetched=fetched))

    async def _in_time(self, file: File) -> Fetched:
        work = asyncio.ensure_future(self._fetch(file))
        bell = asyncio.ensure_future(self.clock.sleep(PATIENCE))
        try:
            await asyncio.wait((work, bell), return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else self.say("file.time", seconds=round(PATIENCE))
        finally:
            bell.cancel()
            work.cancel()
            await asyncio.wait((work,))

    async def _fetch(self, file: File) -> Fetched:
        """Try, and try again; a process that is killed again and again does not try for ever."""
        reason = self.say("file.interrupted")
        for pause in (*PAUSES, None)[file.attempts :]:
            try:
                async with self._place(file.session_id):
                    await self.database.write(partial(count_attempt, file_id=file.id))
                    return await self._kept(file)
            except _Lost as lost:
                log.warning("A file could not be fetched", file=file.id, session=file.session_id, cause=str(lost))
                reason = lost.reason
                if lost.for_good or pause is None:
                    break
            await self.clock.sleep(pause)
        return reason

    @asynccontextmanager
    async def _place(self, session_id: str) -> AsyncIterator[None]:
        """To be held for one try, never for the pause behind it; waiting for it costs patience too."""
        of_session = self._of_session.setdefault(session_id, asyncio.Semaphore(OF_ONE_SESSION))
        async with of_session, self._places:
            yield

    async def _kept(self, file: File) -> Fetched:
        try:
            return await self.shelf.put(self._pieces(file), LIMIT)
        except (TooLarge, FileTooLarge) as fault:
            raise _Lost(self._too_large(fault.limit), fault, for_good=True) from fault
        except OutsideRefused as fault:
            reason = self._too_large(LIMIT) if fault.code == "too_large" else self.say("file.refused")
            raise _Lost(reason, fault, for_good=True) from fault
        except OutsideFailed as fault:
            raise _Lost(self.say("file.unreachable"), fault, for_good=not fault.may_work_later) from fault
        except ChannelError as fault:
            raise _Lost(self.say("file.not_given"), fault, for_good=isinstance(fault, FileRefused)) from fault
        except OSError as fault:
            raise _Lost(self.say("file.not_kept"), fault) from fault

    def _too_large(self, limit: int) -> str:
        return self.say("file.too_large", limit=limit // 1024**2)

    def _pieces(self, file: File) -> AsyncIterator[bytes]:
        if ref := file.source.get("ref"):
            return self._from_channel(file, ref)
        return self._from_outside(file.source["url"])

    def _from_channel(self, file: File, ref: str) -> AsyncIterator[bytes]:
        channel = self.find(file.source["channel_id"])
        if channel is None:
            raise ChannelError("the channel is not running")
        if not isinstance(channel, CanFetch):
            raise FileRefused("this platform has no files")
        size = file.source.get("size", 0)
        return channel.fetch(Attachment(name=file.name, ref=ref, mime=file.mime, size=size), LIMIT)

    async def _from_outside(self, url: str) -> AsyncIterator[bytes]:
        async with open_outside(url, limit=LIMIT, seconds=PATIENCE, allowed=self.allowed) as answer:
            async for piece in answer.pieces:
                yield piece
