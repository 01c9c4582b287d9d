"""The plugboard: channels are put into service, changed and taken out while the program runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Never, Protocol

from bridge.lineup import Entry, Lineup, secret_values
from bridge.supervisor import Open
from channels.base import Channel
from channels.errors import NotConfigured


class Runner(Protocol):
    """Who runs channels: the supervisor."""

    def add(self, channel_id: str, opener: Open) -> None: ...
    async def replace(self, channel_id: str, opener: Open) -> None: ...
    async def remove(self, channel_id: str) -> None: ...


class Plugboard:
    """Keeps the line-up and the running channels together.

    `make` opens a channel that is not started yet, `learn` is told secrets that no log line may carry, `plugged` is
    called when a channel has come or changed, so that what waited for it goes on.
    """

    def __init__(
        self,
        *,
        lineup: Lineup,
        supervisor: Runner,
        make: Callable[[Entry], Channel],
        learn: Callable[[Iterable[str]], None],
        plugged: Callable[[], Awaitable[None]],
    ) -> None:
        self.lineup = lineup
        self._supervisor = supervisor
        self._make = make
        self._learn = learn
        self._plugged = plugged
        self._turn = asyncio.Lock()
        self._broken_off: set[str] = set()

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """One change at a time, from the look at the line-up to the channel that runs."""
        async with self._turn:
            yield

    def prepare(self, entry: Entry) -> None:
        """The channel is there when the program starts."""
        if (holder := self.lineup.keyholder(entry.config)) is not None:
            self.prepare_broken(entry.id, f"its {holder[0]} is also that of channel {holder[1]}")
            return
        self._note(entry)
        if entry.enabled:
            self._supervisor.add(entry.id, partial(self._make, entry))

    def prepare_broken(self, channel_id: str, reason: str, entry: Entry | None = None) -> None:
        """The channel is there and cannot run; everybody can see why. `entry` unless it could not be read."""
        self._broken_off.add(channel_id)
        if entry is not None:
            self._note(entry)
        self._supervisor.add(channel_id, partial(_refuse, reason))

    async def break_off(self, entry: Entry, reason: str) -> None:
        """The channel stops although it is switched on; everybody can see why. The next `plug` runs it again."""
        self._broken_off.add(entry.id)
        self._note(entry)
        await self._supervisor.replace(entry.id, partial(_refuse, reason))

    def is_broken_off(self, channel_id: str) -> bool:
        return channel_id in self._broken_off

    async def plug(self, entry: Entry) -> None:
        """Run the channel so from now on, or not at all if it is switched off."""
        self._broken_off.discard(entry.id)
        self._note(entry)
        if entry.enabled:
            await self._supervisor.replace(entry.id, partial(self._make, entry))
            await self._plugged()
        else:
            await self._supervisor.remove(entry.id)

    async def switch_off(self, channel_id: str) -> None:
        """The channel stays there, and what it has to say waits for it."""
        if (entry := self.lineup.find(channel_id)) is not None:
            await self.plug(replace(entry, enabled=False))

    async def unplug(self, channel_id: str) -> None:
        """The channel is gone; what it still had to say becomes dead letters."""
        self.lineup.drop(channel_id)
        await self._supervisor.remove(channel_id)

    def _note(self, entry: Entry) -> None:
        self._learn(secret_values(entry.config).values())
        self.lineup.put(entry)


def _refuse(reason: str) -> Never:
    raise NotConfigured(reason)
