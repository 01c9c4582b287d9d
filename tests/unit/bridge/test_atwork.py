"""The typing sign and the mark on a question follow who is at work."""

import asyncio
from dataclasses import dataclass, field

from bridge.atwork import AtWork
from channels.types import ChannelState, Limits, OutboundMessage, Outcome, Sent, Speaker
from store import base
from store.events import Event
from tests.support.clock import START, settle

ORIGIN = base.Origin(channel_id="tg", chat_id="c1", message_id="m1")
HOST = base.Speaker(id="studio", name="Studio", role="host")
WRITER = base.Speaker(id="writer", name="Writer", role="member")


@dataclass(kw_only=True)
class SignChannel:
    """A platform with both signs; `shown` is who was shown, `marks` what was marked."""

    id: str = "tg"
    limits: Limits = field(default_factory=Limits)
    answers_inline: bool = False
    shown: list[list[str]] = field(default_factory=list)
    marks: list[tuple[str, bool]] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self, emit: object) -> None: ...
    async def stop(self) -> None: ...
    async def send(self, message: OutboundMessage) -> Outcome:
        return Sent()

    def state(self) -> ChannelState:
        return ChannelState(connected=True)

    async def typing(self, chat_id: str, thread: str, at_work: list[Speaker]) -> None:
        self.shown.append([each.id for each in at_work])
        await self.gate.wait()

    async def react(self, chat_id: str, message_id: str, *, seen: bool) -> None:
        self.marks.append((message_id, seen))


def event(kind: str, speaker: base.Speaker = HOST, **more: object) -> Event:
    fields: dict[str, object] = {"data": {}, "origin": ORIGIN, "turn_id": "t1", "text": "", **more}
    return Event(session_id="r", seq=1, id="e", kind=kind, at=START, speaker=speaker, **fields)


def dispatched(agent_id: str, job_id: str) -> Event:
    return event("job_dispatched", job_id=job_id, data={"agent_id": agent_id, "name": agent_id})


async def test_the_sign_follows_the_host_and_its_members() -> None:
    """Issue 3: typing while someone works, and the mark goes when all are done."""
    channel = SignChannel()
    channel.gate.set()
    at_work = AtWork(lambda _: channel)
    for step in (
        event("user_message"),
        event("turn_started"),
        dispatched("writer", "j1"),
        event("turn_ended"),
        event("member_message", WRITER, job_id="j1"),
    ):
        at_work.emitted("r", [step])
        await settle()
    assert channel.shown == [["studio"], ["studio", "writer"], ["writer"], []]
    assert channel.marks == [("m1", True), ("m1", False)]


async def test_several_changes_while_the_platform_is_slow_are_shown_as_the_last_one() -> None:
    """Signs are worth no queue: only how it is now is shown."""
    channel = SignChannel()
    at_work = AtWork(lambda _: channel)
    at_work.emitted("r", [event("turn_started")])
    await settle()
    at_work.emitted("r", [dispatched("writer", "j1"), dispatched("critic", "j2"), event("turn_ended")])
    channel.gate.set()
    await settle()
    assert channel.shown == [["studio"], ["writer", "critic"]]
    at_work.stop()


async def test_a_channel_without_signs_costs_nothing() -> None:
    """The webhook platform and the console: no task, no memory."""
    at_work = AtWork(lambda _: None)
    at_work.emitted("r", [event("turn_started"), event("user_message", origin=None)])
    assert at_work._scenes == {}


def asked(state: str, **more: object) -> Event:
    approval = {"state": state, "agent_id": "writer", "name": "Writer", "job_id": "j1", "session_id": "r~writer"}
    return event("notice", data={"approval": {**approval, **more}}, turn_id="t2")


async def test_whoever_waits_for_a_person_is_not_at_work() -> None:
    """C12: nobody types for an hour; once it is decided the sign is there again, until the work is done."""
    channel = SignChannel()
    channel.gate.set()
    at_work = AtWork(lambda _: channel)
    for step in (
        dispatched("writer", "j1"),
        asked("open"),
        asked("once"),
        asked("dropped"),
        event("member_message", WRITER, job_id="j1"),
    ):
        at_work.emitted("r", [step])
        await settle()
    assert channel.shown == [["writer"], [], ["writer"], []]


async def test_a_child_that_waits_is_none_of_the_chats_workers() -> None:
    """Its turns begin and end elsewhere: nothing would take its sign away."""
    channel = SignChannel()
    channel.gate.set()
    at_work = AtWork(lambda _: channel)
    for state in ("open", "once"):
        at_work.emitted("r", [asked(state, job_id=None, session_id="child")])
        await settle()
    assert channel.shown == []
