"""Live text towards the chats: one open post a turn, closed by its delivery, never left behind."""

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import uuid4

import pytest

from bridge.notices import Notices
from bridge.show import FAST
from bridge.showing import Showing, live_lane
from channels.base import Channel
from channels.errors import LiveLost
from channels.types import ChannelState, Limits, LivePost, OutboundMessage, Outcome, Retryable, Sent, Speaker
from host.values import Writing
from store import base
from store.database import Database
from store.events import Event
from store.live import open_post, open_posts
from tests.support.clock import START, FakeClock, settle
from tests.support.outbound import HandLanes

ORIGIN = base.Origin(channel_id="tg", chat_id="c1", message_id="m1")
MEMBER = base.Speaker(id="writer", name="Writer", role="member")


@dataclass(kw_only=True)
class StreamingChannel:
    """A platform that can stream; `calls` is what it was asked."""

    id: str = "tg"
    limits: Limits = field(default_factory=Limits)
    answers_inline: bool = False
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    broken: bool = False
    verdict: Outcome = field(default_factory=Sent)
    worthwhile: bool = True
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    grown: asyncio.Event = field(default_factory=asyncio.Event)

    async def kept(self, database: Database) -> None:
        """Wait until the handle is in the store."""
        while (row := await database.read(partial(open_post, turn_id="t1", channel_id="tg", chat_id="c1"))) is None or (
            not row.handle
        ):
            await self.opened.wait()

    async def start(self, emit: object) -> None: ...
    async def stop(self) -> None: ...
    async def send(self, message: OutboundMessage) -> Outcome:
        return Sent()

    def state(self) -> ChannelState:
        return ChannelState(connected=True)

    def streams(self, post: LivePost) -> bool:
        self.asked.set()
        return self.worthwhile

    async def open(self, post: LivePost, text: str) -> str:
        self.calls.append(("open", post.label, text))
        self.opened.set()
        if self.broken:
            raise LiveLost("no")
        return "h1"

    async def grow(self, post: LivePost, text: str) -> None:
        self.calls.append(("grow", post.handle, text))
        self.grown.set()

    async def finish(self, post: LivePost, message: OutboundMessage) -> Outcome:
        return Sent()

    async def abandon(self, post: LivePost) -> Outcome:
        self.calls.append(("abandon", post.handle, ""))
        return self.verdict


@dataclass(kw_only=True)
class Scene:
    database: Database
    channel: StreamingChannel
    lanes: HandLanes
    clock: FakeClock
    woken: list[str] = field(default_factory=list)

    def showing(self) -> Showing:
        """A new process over the same store."""

        def find(channel_id: str) -> Channel | None:
            return self.channel if channel_id == "tg" else None

        return Showing(
            database=self.database,
            lanes=self.lanes,
            clock=self.clock,
            find=find,
            is_live=lambda channel_id: channel_id == "tg",
            notices=Notices("en"),
            new_id=lambda: str(uuid4()),
            wake_now=self.woken.append,
        )

    async def outlast(self) -> None:
        """The words that are there take longer than a fast answer."""
        while not self.clock.sleepers:  # noqa: ASYNC110 - the clock has no event for tests
            await asyncio.sleep(0)
        await self.clock.advance(FAST)

    async def open_places(self) -> list[tuple[str, str]]:
        return [(channel, chat) for _, channel, chat in await self.database.read(open_posts)]


@pytest.fixture
def scene(database: Database, clock: FakeClock) -> Scene:
    return Scene(database=database, channel=StreamingChannel(), lanes=HandLanes(clock), clock=clock)


def writing(**more: object) -> Writing:
    basis = Writing(turn_id="t1", speaker=MEMBER, sessions=("r",), kind="member_message", origin=ORIGIN)
    return replace(basis, **more)  # type: ignore[arg-type]


def event(kind: str, text: str) -> Event:
    return Event(session_id="r", seq=1, id="e", kind=kind, at=START, speaker=MEMBER, text=text, turn_id="t1", data={})


def final(**more: object) -> OutboundMessage:
    basis = OutboundMessage(
        delivery_id="d",
        channel_id="tg",
        chat_id="c1",
        thread="",
        session_id="r",
        seq=1,
        kind="member",
        speaker=Speaker(id="writer", name="Writer", role="member"),
        text="Hello, world",
        display_text="Writer: Hello, world",
        created_at=START,
        turn_id="t1",
    )
    return replace(basis, **more)  # type: ignore[arg-type]


async def said(showing: Showing, message: OutboundMessage) -> LivePost | None:
    showing.emitted("r", [event("member_message", message.text)])
    return await showing.post_of(message)


async def test_the_final_message_closes_the_post_that_grew(scene: Scene) -> None:
    """T35: preview and final text are one message, labelled from the start."""
    showing = scene.showing()
    showing.delta(writing(), 0, "Hello")
    await scene.outlast()
    await scene.channel.opened.wait()
    showing.delta(writing(), 5, ", wor")
    await scene.channel.grown.wait()
    post = await said(showing, final())
    assert post is not None
    assert post.handle == "h1"
    assert scene.channel.calls == [("open", "Writer: ", "Hello"), ("grow", "h1", "Hello, wor")]


async def test_a_retried_answer_replaces_what_was_shown(scene: Scene) -> None:
    """Contract 6: an offset below what was shown replaces everything from there."""
    showing = scene.showing()
    showing.delta(writing(), 0, "Helo")
    await scene.outlast()
    await scene.channel.opened.wait()
    showing.delta(writing(), 0, "Hello")
    await scene.channel.grown.wait()
    assert scene.channel.calls[-1] == ("grow", "h1", "Hello")
    showing.stop()


async def test_a_final_text_that_comes_first_opens_nothing(scene: Scene) -> None:
    """The answer was quicker than the first call: one plain message, and no post opens after it."""
    showing = scene.showing()
    showing.delta(writing(), 0, "Hello")
    assert await said(showing, final()) is None
    assert scene.channel.calls == []
    assert await scene.open_places() == []


async def test_an_answer_that_is_complete_at_once_costs_no_call(scene: Scene) -> None:
    """Beauty has a price: a post is opened only when its speaker takes longer than a moment; then all words show."""
    showing = scene.showing()
    showing.delta(writing(), 0, "Hel")
    await settle()
    await scene.clock.advance(FAST / 2)
    showing.delta(writing(), 3, "lo")
    await settle()
    assert not scene.channel.asked.is_set()
    await scene.clock.advance(FAST / 2)
    await scene.channel.opened.wait()
    assert scene.channel.calls == [("open", "Writer: ", "Hello")]
    assert await said(showing, final()) is not None


async def test_a_crash_leaves_a_trace_that_the_next_start_closes(scene: Scene) -> None:
    """Contract 8: after the restart the delivery closes the post that the dead process opened."""
    dead = scene.showing()
    dead.delta(writing(), 0, "Hello")
    await scene.outlast()
    await scene.channel.kept(scene.database)
    dead.stop()
    post = await scene.showing().post_of(final())
    assert post is not None
    assert post.handle == "h1"


async def test_a_turn_that_goes_on_after_a_crash_opens_no_second_message(scene: Scene) -> None:
    """Contract 8: what the dead process opened waits for the final words, however the turn ends."""
    dead = scene.showing()
    dead.delta(writing(), 0, "Hello")
    await scene.outlast()
    await scene.channel.kept(scene.database)
    dead.stop()
    showing = scene.showing()
    await showing.recover()
    scene.channel.asked.clear()
    showing.delta(writing(), 0, "Hello again")
    await scene.outlast()
    await scene.channel.asked.wait()
    post = await said(showing, final())
    assert post is not None
    assert post.handle == "h1"
    assert [call for call, *_ in scene.channel.calls] == ["open"]
    showing.emitted("r", [event("turn_ended", "")])
    assert scene.woken == [live_lane("tg", "c1")]


async def test_a_post_without_final_words_is_abandoned(scene: Scene) -> None:
    """Contract 8: nothing is left on "generating"; a platform that is down is asked again later."""
    showing = scene.showing()
    showing.delta(writing(), 0, "Hello")
    await scene.outlast()
    await scene.channel.opened.wait()
    showing.emitted("r", [event("turn_ended", "")])
    assert scene.woken == [live_lane("tg", "c1")]
    scene.channel.verdict = Retryable(reason="down")
    await showing.drain(scene.woken[0])
    assert scene.channel.calls[-1] == ("abandon", "h1", "")
    assert await scene.open_places() == [("tg", "c1")]
    scene.channel.verdict = Sent()
    await scene.showing().drain(scene.woken[0])
    assert await scene.open_places() == []


async def test_a_post_that_cannot_grow_leaves_the_message_to_its_delivery(scene: Scene) -> None:
    """A lost stream costs beauty, never content: the intent stands, so the final may still find what was opened."""
    scene.channel.broken = True
    showing = scene.showing()
    showing.delta(writing(), 0, "Hello")
    await scene.outlast()
    await scene.channel.opened.wait()
    post = await said(showing, final())
    assert post is not None
    assert post.handle == ""


@pytest.mark.parametrize(
    "change",
    [{"origin": None}, {"origin": base.Origin(channel_id="hook", chat_id="c1")}],
)
async def test_nothing_is_opened_where_nothing_can_be_shown(scene: Scene, change: dict[str, object]) -> None:
    """Work of the console, and channels that cannot stream."""
    showing = scene.showing()
    showing.delta(writing(**change), 0, "Hello")
    assert await said(showing, final()) is None
    assert scene.channel.calls == []


async def test_a_place_that_is_not_worth_it_costs_no_row(scene: Scene) -> None:
    """The channel decides for each place whether growing text is worth showing."""
    scene.channel.worthwhile = False
    showing = scene.showing()
    showing.delta(writing(), 0, "Hello")
    await scene.outlast()
    await scene.channel.asked.wait()
    assert await said(showing, final()) is None
    assert await scene.open_places() == []


@pytest.mark.parametrize("change", [{"kind": "notice"}, {"part": 2}, {"turn_id": None}])
async def test_other_messages_close_no_post(scene: Scene, change: dict[str, object]) -> None:
    """Notices carry their host's turn, further parts are messages of their own."""
    showing = scene.showing()
    showing.delta(writing(), 0, "Hello")
    await scene.outlast()
    await scene.channel.opened.wait()
    assert await showing.post_of(final(**change)) is None
    showing.stop()
