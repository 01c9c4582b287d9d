"""Live frames: gathered, resumable, bounded."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from bridge.live import GOING_AWAY, SLOW, LiveHub, Reader, resumed
from store.base import Speaker
from store.database import Database, Transaction
from store.events import Event, add_event
from store.sessions import Session, add_session, lock_session, next_seq
from tests.support.clock import FakeClock, settle
from tests.support.writing import writing

HOST = Speaker(id="studio", name="内容工作室", role="host", icon=":star:")
MEMBER = Speaker(id="writer", name="写手", role="member")
ROOM, SIDE = "room", "room~writer"


@pytest.fixture
def hub(clock: FakeClock) -> LiveHub:
    return LiveHub(clock)


@pytest.fixture
async def room(database: Database, clock: FakeClock) -> str:
    session = Session(
        id=ROOM,
        kind="room",
        agent_id="studio",
        owner_id="owner",
        principal="user:owner",
        app_id="console",
        created_at=clock.now(),
        updated_at=clock.now(),
    )
    await database.write(partial(add_session, session=session))
    return ROOM


def event(seq: int, kind: str = "host_message", speaker: Speaker = HOST, turn_id: str = "t", **more: Any) -> Event:
    fields = {"session_id": ROOM, "text": "", "job_id": None, "data": {}, "id": f"e{seq}"} | more
    return Event(seq=seq, kind=kind, at=FakeClock().now(), speaker=speaker, turn_id=turn_id, **fields)


async def emit(database: Database, text: str) -> Event:
    """A stored event of the room, not told to the hub yet."""

    async def work(tx: Transaction) -> Event:
        seq = await next_seq(tx, await lock_session(tx, ROOM), posted=False)
        added = event(seq, text=text)
        await add_event(tx, added)
        return added

    return await database.write(work)


async def pass_time(clock: FakeClock, seconds: float = 0.04) -> None:
    """Let what was just begun start to wait, then let the time pass."""
    await settle()
    await clock.advance(seconds)


def queued(reader: Reader) -> list[dict[str, Any]]:
    """Everything that waits in the reader's queue."""
    frames = [json.loads(frame.body) for frame in reader._frames]
    reader._frames.clear()
    return frames


def shown(frames: list[dict[str, Any]], turn_id: str = "t") -> str:
    """The text a client shows for a turn."""
    text = ""
    for frame in frames:
        if frame["type"] == "delta" and frame["turn_id"] == turn_id:
            text = text[: frame["offset"]] + frame["text"]
    return text


async def test_deltas_of_a_turn_are_gathered_for_forty_milliseconds(hub: LiveHub, clock: FakeClock) -> None:
    """One frame for many tokens: no work per token and reader."""
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        for number, word in enumerate("一二三四五"):
            hub.delta(writing(ROOM, "t", HOST), number, word)
        await settle()
        assert queued(reader) == []
        await pass_time(clock)
        (frame,) = queued(reader)
        assert frame == {
            "type": "delta",
            "turn_id": "t",
            "speaker": {"id": "studio", "name": "内容工作室", "role": "host", "icon": ":star:"},
            "offset": 0,
            "text": "一二三四五",
            "speaker_agent_id": "studio",
            "agent": "内容工作室",
            "agent_id": "studio",
        }
        hub.delta(writing(ROOM, "t", HOST), 5, "六")
        await pass_time(clock)
        assert [(frame["offset"], frame["text"]) for frame in queued(reader)] == [(5, "六")]


async def test_turns_are_gathered_apart(hub: LiveHub, clock: FakeClock) -> None:
    """Two members at once: one frame each."""
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        hub.delta(writing(ROOM, "a", HOST), 0, "x")
        hub.delta(writing(ROOM, "b", MEMBER), 0, "y")
        hub.delta(writing(ROOM, "a", HOST), 1, "x")
        await pass_time(clock)
        assert [(frame["turn_id"], frame["text"]) for frame in queued(reader)] == [("a", "xx"), ("b", "y")]


async def test_a_retried_response_replaces_what_was_shown(hub: LiveHub, clock: FakeClock) -> None:
    """Contract 6: an offset below what was shown replaces everything from there."""
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        hub.delta(writing(ROOM, "t", HOST), 0, "half an ans")
        await pass_time(clock)
        hub.delta(writing(ROOM, "t", HOST), 0, "Whole")
        hub.delta(writing(ROOM, "t", HOST), 5, " answer")
        await pass_time(clock)
        frames = queued(reader)
        assert frames[-1]["offset"] == 0
        assert shown(frames) == "Whole answer"


async def test_a_joiner_gets_the_text_so_far_first(hub: LiveHub, clock: FakeClock) -> None:
    """Contract 6, also for what other readers have not been shown yet."""
    async with hub.subscribe(ROOM) as early:
        early.join()
        hub.delta(writing(ROOM, "t", HOST), 0, "Once upon")
        await pass_time(clock)
        hub.delta(writing(ROOM, "t", HOST), 9, " a time")
        async with hub.subscribe(ROOM) as late:
            late.join()
            assert shown(queued(late)) == "Once upon a time"
            hub.delta(writing(ROOM, "t", HOST), 16, ".")
            await pass_time(clock)
            assert [frame["text"] for frame in queued(late)] == ["."]
        assert shown(queued(early)) == "Once upon a time."


async def test_text_without_readers_costs_no_timer_and_is_kept_for_joiners(hub: LiveHub, clock: FakeClock) -> None:
    """R6: a room that nobody looks at runs no tasks."""
    hub.delta(writing(ROOM, "t", HOST), 0, "quiet")
    await settle()
    assert clock.sleepers == 0
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        assert shown(queued(reader)) == "quiet"


async def test_a_durable_event_replaces_the_live_text(hub: LiveHub, clock: FakeClock) -> None:
    """The event carries the whole text: no late delta follows it, and a joiner gets none either."""
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        hub.delta(writing(ROOM, "t", HOST), 0, "Done")
        hub.emitted(ROOM, [event(1, text="Done.")])
        await pass_time(clock, 1)
        assert [frame["type"] for frame in queued(reader)] == ["event"]
    async with hub.subscribe(ROOM) as joiner:
        joiner.join()
        assert queued(joiner) == []


async def test_the_next_response_of_a_turn_starts_anew(hub: LiveHub, clock: FakeClock) -> None:
    """A turn may speak, call tools, and speak again."""
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        hub.delta(writing(ROOM, "t", HOST), 0, "First.")
        hub.emitted(ROOM, [event(1, text="First.")])
        queued(reader)
        hub.delta(writing(ROOM, "t", HOST), 0, "Second.")
        await pass_time(clock)
        assert [(frame["offset"], frame["text"]) for frame in queued(reader)] == [(0, "Second.")]


async def test_a_members_turn_ends_in_the_room_and_in_its_side_session(hub: LiveHub, clock: FakeClock) -> None:
    """T20: it is shown in both; what is written after the end is ignored in both."""
    for place in (ROOM, SIDE):
        hub.delta(writing(place, "t", MEMBER), 0, "draft")
    hub.emitted(SIDE, [event(1, "turn_ended", MEMBER, session_id=SIDE)])
    hub.delta(writing(ROOM, "t", MEMBER), 5, " of a dead run")
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        assert queued(reader) == []


async def test_a_failed_job_born_in_the_hosts_turn_leaves_the_hosts_text(hub: LiveHub, clock: FakeClock) -> None:
    """T15: its event may name the turn that dispatched it, which goes on."""
    hub.delta(writing(ROOM, "t", HOST), 0, "so far")
    hub.emitted(ROOM, [event(1, "job_failed", MEMBER)])
    async with hub.subscribe(ROOM) as reader:
        reader.join()
        assert shown(queued(reader)) == "so far"


@pytest.mark.parametrize(
    ("kind", "speaker", "agent"),
    [
        ("host_message", HOST, ("内容工作室", "studio")),
        ("member_message", MEMBER, ("写手", "writer")),
        ("turn_ended", MEMBER, ("写手", "writer")),
        ("turn_ended", HOST, (None, None)),
        ("user_message", Speaker(id="u", name="Ann", role="user"), (None, None)),
    ],
)
async def test_frames_name_the_agent_unless_the_hosts_turn_is_over(
    hub: LiveHub, kind: str, speaker: Speaker, agent: tuple[str | None, str | None]
) -> None:
    """Contract 6: so a client knows the host's turn is over."""
    async with hub.subscribe(ROOM) as reader:
        hub.emitted(ROOM, [event(7, kind, speaker, text="x")])
        (frame,) = queued(reader)
    assert (frame.get("agent"), frame.get("agent_id")) == agent
    assert frame["event"].get("speaker_agent_id") == (None if speaker.role == "user" else speaker.id)
    assert {"seq", "id", "session_id", "kind", "at", "speaker", "text", "turn_id", "job_id", "data"} <= set(
        frame["event"]
    )
    assert frame["event"]["at"] == "2026-01-01T00:00:00Z"


async def test_a_reader_that_stops_reading_is_dropped(hub: LiveHub) -> None:
    """Contract 6: code 4008, nothing is buffered without bound, the others go on."""
    async with hub.subscribe(ROOM) as slow, hub.subscribe(ROOM) as quick:
        for seq in range(1, 2000):
            hub.emitted(ROOM, [event(seq)])
            quick._frames.clear()
        assert slow.code == SLOW
        assert slow.ended.is_set()
        assert not slow._frames
        assert quick.code is None
        with pytest.raises(StopAsyncIteration):
            await anext(slow)


async def test_a_reader_of_few_huge_frames_is_dropped_too(hub: LiveHub) -> None:
    """The bound is on memory, not only on the number of frames."""
    async with hub.subscribe(ROOM) as slow:
        for seq in range(1, 12):
            hub.emitted(ROOM, [event(seq, text="x" * 1_000_000)])
        assert slow.code == SLOW


async def test_one_huge_frame_is_no_reason_to_drop_a_reader(hub: LiveHub) -> None:
    async with hub.subscribe(ROOM) as reader:
        hub.emitted(ROOM, [event(1, text="x" * 9_000_000)])
        assert reader.code is None
        assert (await anext(reader)).seq == 1


async def test_a_quiet_session_sends_pings(hub: LiveHub, clock: FakeClock) -> None:
    async with hub.subscribe(ROOM) as reader:
        await settle()
        await clock.advance(41)
        assert queued(reader) == [{"type": "ping"}, {"type": "ping"}]
    await settle()
    assert clock.sleepers == 0


async def test_closing_ends_every_reader(hub: LiveHub) -> None:
    """R7: clients come back with `after`."""
    async with hub.subscribe(ROOM) as one, hub.subscribe(SIDE) as other:
        hub.close()
        assert (one.code, other.code) == (GOING_AWAY, GOING_AWAY)


async def seqs(frames: AsyncIterator[Any], count: int) -> list[int]:
    async with asyncio.timeout(10):
        return [(await anext(frames)).seq for _ in range(count)]


async def test_resume_reads_the_store_first_and_repeats_nothing(hub: LiveHub, database: Database, room: str) -> None:
    """Contract 6: `after=seq` without gap and without repeat, whatever happens while it catches up."""
    for number in range(3):
        await emit(database, f"old {number}")
    async with hub.subscribe(room) as reader:
        during = await emit(database, "during")
        hub.emitted(room, [during])
        frames = resumed(reader, database, room, after=1)
        assert await seqs(frames, 3) == [2, 3, 4]
        hub.emitted(room, [await emit(database, "later")])
        assert await seqs(frames, 1) == [5]


async def test_live_text_follows_the_stored_events(hub: LiveHub, database: Database, room: str) -> None:
    """What became durable while the reader caught up is not shown as live text again."""
    hub.delta(writing(room, "done", HOST), 0, "Finished")
    hub.delta(writing(room, "t", HOST), 0, "Still wri")
    async with hub.subscribe(room) as reader:
        told = await emit(database, "Finished")
        told.turn_id = "done"
        hub.emitted(room, [told])
        frames = resumed(reader, database, room, after=0)
        assert (await anext(frames)).seq == 1
        assert shown([json.loads((await anext(frames)).body)]) == "Still wri"
        assert not reader._frames or [frame.seq for frame in reader._frames] == [1]


async def test_events_told_out_of_order_leave_no_gap(hub: LiveHub, database: Database, room: str) -> None:
    """Two transactions may commit in one order and tell us in the other: numbers decide."""
    async with hub.subscribe(room) as reader:
        frames = resumed(reader, database, room, after=0)
        hub.emitted(room, [await emit(database, "first")])
        assert await seqs(frames, 1) == [1]
        second, third = await emit(database, "second"), await emit(database, "third")
        hub.emitted(room, [third])
        hub.emitted(room, [second])
        hub.emitted(room, [await emit(database, "fourth")])
        assert await seqs(frames, 3) == [2, 3, 4]


async def test_a_long_history_comes_page_by_page(hub: LiveHub, database: Database, room: str) -> None:
    async def fill(tx: Transaction) -> None:
        session = await lock_session(tx, room)
        numbers = [await next_seq(tx, session, posted=False) for _ in range(1203)]
        tx.orm.add_all(event(seq) for seq in numbers)

    await database.write(fill)
    async with hub.subscribe(room) as reader:
        frames = resumed(reader, database, room, after=0)
        assert await seqs(frames, 1203) == list(range(1, 1204))
