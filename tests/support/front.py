"""The front door in memory: the whole way in on a real store and a real host whose lanes never run by themselves."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import select

from bridge.changes import Changes
from bridge.commands.context import Tools
from bridge.commands.desk import Desk
from bridge.gate import ChannelRules
from bridge.intake import Intake
from bridge.live import LiveHub
from bridge.metrics import Metrics
from bridge.notices import Notices
from bridge.pairing import Pairing
from bridge.rate import RateLimits
from bridge.reception import Reception
from bridge.replies import add_reply
from bridge.routing import Routing
from channels.base import Receipt
from channels.types import Chat, ChatType, InboundEvent, OutboundMessage, Sender
from host.deps import Deps
from host.events import Scribe
from host.models.registry import Models
from host.roster import Rosters
from host.running import Runs
from host.runtime import Host
from host.shelf import Shelf
from host.workspace import Workspaces
from store.agents import Agent, save_agent
from store.base import Row
from store.database import Database, Transaction
from store.inbox import InboxEvent
from store.inputs import Input
from store.jobs import Job, add_job
from store.outbox import Delivery
from store.people import Person
from store.turns import Turn, add_turn
from tests.support.clock import FakeClock
from tests.support.outbound import HandLanes

T = TypeVar("T")
R = TypeVar("R", bound=Row)
HOOK = ChannelRules(id="hook", agent_id="studio", access="open", admins=frozenset({"boss"}), answers_inline=True)
CHATTY = ChannelRules(id="chatty", agent_id="studio", admins=frozenset({"boss"}))


@dataclass(kw_only=True)
class Front:
    """The parts, and shorthand for what tests ask of them."""

    database: Database
    clock: FakeClock
    host: Host
    rosters: Rosters
    routing: Routing
    pairing: Pairing
    intake: Intake
    lanes: HandLanes
    rules: dict[str, ChannelRules]
    counted: list[tuple[str, str]] = field(default_factory=list)
    watched: list[tuple[str, str, float]] = field(default_factory=list)
    _keys: "itertools.count[int]" = field(default_factory=itertools.count)

    def event(self, text: str = "hello", **more: Any) -> InboundEvent:
        """An event of Ann in the private chat c1; `chat`, `sender` are ids, `group=True` makes the chat a group."""
        kind: ChatType = "group" if more.pop("group", False) else "private"
        chat = Chat(id=more.pop("chat", "c1"), type=kind, title=more.pop("title", ""))
        sender = Sender(id=more.pop("sender", "ann"), name=more.pop("name", ""))
        return InboundEvent(
            event_key=more.pop("key", f"e{next(self._keys)}"), chat=chat, sender=sender, text=text, **more
        )

    async def accept(self, event: InboundEvent, channel: str = "hook") -> Receipt:
        return await self.intake.accept(channel, event)

    async def say(self, text: str = "hello", channel: str = "hook", **more: Any) -> Receipt:
        return await self.accept(self.event(text, **more), channel)

    async def reply(self, text: str, channel: str = "hook", **more: Any) -> str:
        """What a command answers."""
        before = len(await self.replies())
        await self.say(text, channel, **more)
        await self.drain()
        (answer,) = (await self.replies())[before:]
        return answer

    async def drain(self) -> None:
        """Work through every woken lane of the inbox. An event that waits for its next try would wait for ever."""
        async with asyncio.timeout(20):
            await self.lanes.run(self._drain)

    async def _drain(self, lane: str) -> None:
        if lane.startswith("inbox:"):
            await self.intake.drain(lane)

    async def replies(self) -> list[str]:
        return [str(row.message["text"]) for row in await self.rows(Delivery)]

    async def texts(self) -> list[tuple[str, str]]:
        """(session, text) of everything that was submitted, in order of storing."""
        return [(row.session_id, row.text) for row in await self.rows(Input)]

    async def rows(self, kind: type[R]) -> list[R]:
        """All rows of a table, deliveries and events in their order."""
        order = {Delivery: Delivery.seq, InboxEvent: InboxEvent.number}.get(kind)

        async def look(tx: Transaction) -> list[R]:
            return list(await tx.orm.scalars(select(kind).order_by(order)))

        return await self.database.read(look)

    async def write(self, work: Callable[..., Awaitable[T]], **fields: Any) -> T:
        return await self.database.write(partial(work, **fields))

    async def person(self, sender: str, channel: str = "hook") -> Person:
        (found,) = [each for each in await self.rows(Person) if (each.app_id, each.external_id) == (channel, sender)]
        return found

    async def change(self, kind: type[R], key: object, **values: Any) -> None:
        """Set columns of a row, as another part of the program would have done."""

        async def work(tx: Transaction) -> None:
            row = await tx.orm.get_one(kind, key)
            for name, value in values.items():
                setattr(row, name, value)

        await self.database.write(work)

    def set_rules(self, channel: str, **changes: Any) -> None:
        self.rules[channel] = replace(self.rules[channel], **changes)

    async def add_agent(self, agent_id: str, kind: str = "expert", **more: Any) -> None:
        now = self.clock.now()
        fields: dict[str, Any] = {"name": agent_id.title(), "owner_id": "owner", "origin": "config", **more}
        await self.write(save_agent, agent=Agent(id=agent_id, kind=kind, created_at=now, updated_at=now, **fields))

    async def start_turn(self, session_id: str, *, agent_id: str = "studio", turn_id: str = "t1") -> None:
        """The host or expert is generating."""
        turn = Turn(
            id=turn_id,
            session_id=session_id,
            input_id="i",
            agent_id=agent_id,
            kind="user",
            round_id="r",
            rounds=["r"],
            prompt="",
            started_at=self.clock.now(),
        )
        await self.write(add_turn, turn=turn)

    async def give_job(self, room_id: str, member_id: str, name: str, *, running: bool, message: str = "work") -> None:
        """A member has work for the room."""
        number = len(await self.rows(Job)) + 1
        job = Job(
            id=f"j{number}",
            number=number,
            room_id=room_id,
            member_id=member_id,
            member_name=name,
            side_session_id=f"{room_id}~{member_id}",
            turn_id="t0",
            call=f"1.{number}",
            round_id="r",
            created_at=self.clock.now(),
            message=message,
            state="running" if running else "queued",
            started_at=self.clock.now() if running else None,
        )
        await self.write(add_job, job=job)


async def open_front(database: Database, clock: FakeClock, folder: Path) -> Front:
    """A team "studio" of researcher and writer behind an inline channel "hook" and a chat platform "chatty"."""
    lanes, hub, ids, notices = HandLanes(clock), LiveHub(clock), itertools.count(1), Notices("en")

    def new_id() -> str:
        return f"id{next(ids)}"

    rosters = Rosters(folder / "workspaces")
    deps = Deps(
        database=database,
        clock=clock,
        lanes=lanes,
        live=hub,
        scribe=Scribe(lanes, hub, new_id),
        models=Models(()),
        rosters=rosters,
        runs=Runs(),
        meter=Metrics(),
        say=notices.say,
        locale="en",
        default_model="main",
        small_model="main",
        new_id=new_id,
        shelf=Shelf(folder / "files"),
        workspaces=Workspaces(folder / "workspaces"),
    )
    host = Host(deps)
    routing, pairing = Routing(host), Pairing(lanes, new_id=new_id)
    tools = Tools(host=host, rosters=rosters, pairing=pairing, notices=notices)
    add = partial(add_reply, lanes=lanes, notices=notices)
    reception = Reception(
        host=host,
        routing=routing,
        desk=Desk(routing, tools),
        pairing=pairing,
        rates=RateLimits(),
        notices=notices,
        add_reply=add,
        new_id=new_id,
    )
    rules = {rule.id: rule for rule in (HOOK, CHATTY)}
    counted: list[tuple[str, str]] = []
    watched: list[tuple[str, str, float]] = []

    async def rounds(session_id: str, input_id: str, seconds: float) -> tuple[OutboundMessage, ...] | None:
        watched.append((session_id, input_id, seconds))
        return None

    intake = Intake(
        database=database,
        clock=clock,
        lanes=lanes,
        reception=reception,
        changes=Changes(host=host, lanes=lanes, add_reply=add),
        rules=rules,
        rounds=rounds,
        count=lambda channel, outcome: counted.append((channel, outcome)),
    )
    front = Front(
        database=database,
        clock=clock,
        host=host,
        rosters=rosters,
        routing=routing,
        pairing=pairing,
        intake=intake,
        lanes=lanes,
        rules=rules,
        counted=counted,
        watched=watched,
    )
    await front.add_agent("researcher")
    await front.add_agent("writer")
    await front.add_agent("studio", "team")
    rosters.seed("studio", ["researcher", "writer"])
    return front
