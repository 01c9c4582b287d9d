"""Live: shows every session while it happens, to whoever looks.

Nothing here is durable. Events come after their commit, deltas as the model writes; a reader that asks for
`after=seq` reads the store first and goes on here, without gap and without repeat.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from bridge.frames import PING, delta_frame, encode, event_frame
from host.values import Live, Writing
from store.base import Speaker
from store.clock import Clock
from store.database import Database
from store.events import Event, events_after

SLOW: Final = 4008
GOING_AWAY: Final = 1001
_MOST_FRAMES = 512
_MOST_CHARACTERS = 4_000_000
_PAGE = 500
_KEPT_ENDS = 1024
_SPOKEN = ("host_message", "member_message", "wrapup", "job_failed")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One frame, encoded once for all readers. `seq` and `event` are set on event frames only."""

    body: str
    seq: int = 0
    event: Event | None = None


def frame_of(event: Event) -> Frame:
    return Frame(body=encode(event_frame(event)), seq=event.seq, event=event)


class Reader:
    """One subscriber: a bounded queue, read as an async iterator.

    Iteration ends when the reader was dropped (`code` 4008: too slow) or the server stops (1001). Until `join` only
    events are queued, so that a reader can catch up from the store first.
    """

    def __init__(self, hub: "LiveHub", session_id: str) -> None:
        self.ended = asyncio.Event()
        self.doubted = asyncio.Event()
        """Set when it must be asked again whether whoever reads still may."""
        self.code: int | None = None
        self.joined = False
        self._hub = hub
        self._session_id = session_id
        self._frames: deque[Frame] = deque()
        self._characters = 0
        self._ready = asyncio.Event()

    def join(self) -> None:
        """From now on live text too, beginning with the text so far of every live turn."""
        self._hub.join(self._session_id, self)

    def offer(self, frame: Frame) -> None:
        """Queue the frame, or drop the reader if it is too far behind."""
        if self.code is not None:
            return
        self._characters += len(frame.body)
        self._frames.append(frame)
        if len(self._frames) > _MOST_FRAMES or (len(self._frames) > 1 and self._characters > _MOST_CHARACTERS):
            self.end(SLOW)
        self._ready.set()

    def end(self, code: int) -> None:
        """No more frames; what is still queued is forgotten."""
        self.code = code
        self._frames.clear()
        self._ready.set()
        self.ended.set()

    def __aiter__(self) -> "Reader":
        return self

    async def __anext__(self) -> Frame:
        while not self._frames:
            if self.code is not None:
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        frame = self._frames.popleft()
        self._characters -= len(frame.body)
        return frame


@dataclass(kw_only=True)
class _Growing:
    """The visible text of one live turn, from `start` characters on; readers have seen it up to `shown`."""

    speaker: Speaker
    start: int
    text: str = ""
    shown: int = 0
    timer: asyncio.Task[None] | None = None

    def write(self, offset: int, text: str) -> None:
        if not self.start <= offset <= self.start + len(self.text):
            self.start, self.text = offset, ""
        self.text = self.text[: offset - self.start] + text
        self.shown = min(self.shown, offset)

    def pending(self) -> tuple[int, str]:
        """What readers have not seen yet, with its offset; from now on they have."""
        offset = max(self.shown, self.start)
        self.shown = self.start + len(self.text)
        return offset, self.text[offset - self.start :]

    def halt(self) -> None:
        if self.timer is not None:
            self.timer.cancel()


class Together:
    """Several who show sessions, as one `host.values.Live`."""

    def __init__(self, *all_of_them: Live) -> None:
        self._all = all_of_them

    def delta(self, writing: Writing, offset: int, text: str) -> None:
        for each in self._all:
            each.delta(writing, offset, text)

    def emitted(self, session_id: str, events: Sequence[Event]) -> None:
        for each in self._all:
            each.emitted(session_id, events)


class LiveHub:
    """Implements `host.values.Live`. Deltas of a turn are gathered for `interval` seconds, then sent as one frame."""

    def __init__(self, clock: Clock, *, interval: float = 0.04, heartbeat: float = 20.0) -> None:
        self._clock = clock
        self._interval = interval
        self._heartbeat = heartbeat
        self._readers: dict[str, set[Reader]] = {}
        self._growing: dict[tuple[str, str], _Growing] = {}
        self._over: dict[str, None] = {}

    def delta(self, writing: Writing, offset: int, text: str) -> None:
        """More text of a live turn; a stray one after the turn's end is ignored."""
        if writing.turn_id in self._over:
            return
        for session_id in writing.sessions:
            self._grow((session_id, writing.turn_id), writing.speaker, offset, text)

    def _grow(self, key: tuple[str, str], speaker: Speaker, offset: int, text: str) -> None:
        growing = self._growing.setdefault(key, _Growing(speaker=speaker, start=offset, shown=offset))
        growing.write(offset, text)
        if growing.timer is None and key[0] in self._readers:
            growing.timer = asyncio.create_task(self._show_later(key), name=f"live {key[1]}")

    def emitted(self, session_id: str, events: Sequence[Event]) -> None:
        """Durable events: they replace the live text of their turn."""
        for event in events:
            self._settle(session_id, event)
        readers = self._readers.get(session_id)
        if readers:
            for event in events:
                self._tell(readers, frame_of(event))

    @asynccontextmanager
    async def subscribe(self, session_id: str) -> AsyncIterator[Reader]:
        """A reader of the session's frames, from this moment on."""
        reader = Reader(self, session_id)
        self._readers.setdefault(session_id, set()).add(reader)
        beat = asyncio.create_task(self._beat(reader), name=f"live heartbeat {session_id}")
        try:
            yield reader
        finally:
            beat.cancel()
            self._leave(session_id, reader)

    def join(self, session_id: str, reader: Reader) -> None:
        """Give the reader the text so far of every live turn of the session, then what follows."""
        for key in self._live_in(session_id):
            self._show(key)
            growing = self._growing[key]
            if growing.text:
                reader.offer(_delta(key[1], growing.speaker, growing.start, growing.text))
        reader.joined = True

    def doubt(self) -> None:
        """Somebody was shut out, or a token revoked: every reader is asked again whether it still may read."""
        for readers in self._readers.values():
            for reader in readers:
                reader.doubted.set()

    def close(self) -> None:
        """The server stops: every reader ends, clients come back with `after`."""
        for readers in self._readers.values():
            for reader in readers:
                reader.end(GOING_AWAY)
        for growing in self._growing.values():
            growing.halt()

    def _leave(self, session_id: str, reader: Reader) -> None:
        readers = self._readers[session_id]
        readers.discard(reader)
        if not readers:
            del self._readers[session_id]

    def _live_in(self, session_id: str) -> list[tuple[str, str]]:
        return [key for key in self._growing if key[0] == session_id]

    def _settle(self, session_id: str, event: Event) -> None:
        if event.turn_id is None:
            return
        if event.kind == "turn_ended":
            self._close_turn(event.turn_id)
        elif event.kind in _SPOKEN:
            growing = self._growing.get((session_id, event.turn_id))
            if growing is not None and growing.speaker.id == event.speaker.id:
                self._forget((session_id, event.turn_id))

    def _close_turn(self, turn_id: str) -> None:
        """A member's turn is shown in its side session and in the room, and ends in both."""
        for key in [key for key in self._growing if key[1] == turn_id]:
            self._forget(key)
        self._over[turn_id] = None
        if len(self._over) > _KEPT_ENDS:
            del self._over[next(iter(self._over))]

    def _forget(self, key: tuple[str, str]) -> None:
        growing = self._growing.pop(key, None)
        if growing is not None:
            growing.halt()

    async def _show_later(self, key: tuple[str, str]) -> None:
        await self._clock.sleep(self._interval)
        self._growing[key].timer = None
        self._show(key)

    def _show(self, key: tuple[str, str]) -> None:
        growing = self._growing[key]
        offset, text = growing.pending()
        if text:
            joined = [reader for reader in self._readers.get(key[0], ()) if reader.joined]
            if joined:
                self._tell(joined, _delta(key[1], growing.speaker, offset, text))

    def _tell(self, readers: Iterable[Reader], frame: Frame) -> None:
        for reader in readers:
            reader.offer(frame)

    async def _beat(self, reader: Reader) -> None:
        while True:
            await self._clock.sleep(self._heartbeat)
            reader.offer(_PING)


async def resumed(reader: Reader, database: Database, session_id: str, after: int) -> AsyncIterator[Frame]:
    """The reader's frames, preceded by the stored events above `after`: no gap, no repeat, in the order of `seq`."""
    seen = after
    async for event in _stored(database, session_id, seen):
        seen = event.seq
        yield frame_of(event)
    reader.join()
    async for frame in reader:
        if frame.seq > seen + 1:
            # Another transaction committed before this one but told us later: its events are in the store.
            async for event in _stored(database, session_id, seen):
                seen = event.seq
                yield frame_of(event)
        if frame.seq == 0:
            yield frame
        elif frame.seq > seen:
            seen = frame.seq
            yield frame


async def _stored(database: Database, session_id: str, after: int) -> AsyncIterator[Event]:
    while True:
        page = await database.read(partial(events_after, session_id=session_id, after=after, limit=_PAGE))
        for event in page:
            yield event
        if len(page) < _PAGE:
            return
        after = page[-1].seq


def _delta(turn_id: str, speaker: Speaker, offset: int, text: str) -> Frame:
    return Frame(body=encode(delta_frame(turn_id, speaker, offset, text)))


_PING = Frame(body=encode(PING))
