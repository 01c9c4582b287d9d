"""A Feishu app over the long connection: private chats, groups, and the topics of a topic group."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.campaign.record import Rules, Shown
from tests.campaign.stages.stage import start
from tests.campaign.trouble import Trouble, opens_after
from tests.support.feishu.events import dumped
from tests.support.feishu.faults import Fault, busy, refuse
from tests.support.feishu.people import Person
from tests.support.feishu.state import Seen
from tests.support.feishu.world import FeishuWorld, feishu_world
from tests.support.program import Launcher


class Feishu:
    """The stage of one app."""

    kinds: Sequence[str] = ("private", "group", "topic")
    rules = Rules(keeps_order=False)

    def __init__(self, installation: FeishuWorld) -> None:
        self.model = installation.model
        self.program = installation.program
        self.copies = 1
        self.feishu = installation.feishu
        self._world = installation
        self.people: dict[int, Person] = {}
        self._topics: dict[int, str] = {}
        self._faults: list[Fault] = []
        self._on_their_way: list[asyncio.Task[bool]] = []

    def open_place(self, number: int, kind: str) -> None:
        person = self._world.person() if kind == "private" else self._world.group()
        self.people[number] = person
        if kind == "topic":
            self._topics[number] = f"omt_{number}"

    def say(self, place: int, text: str) -> None:
        who = self.people[place]
        _, event = who.event_of(text, at_bot=who.room.mode != "p2p", thread=self._topics.get(place, ""))
        for copy in range(self.copies):
            more = (
                {"header": event["header"] | {"event_id": f"{event['header']['event_id']}-{copy}"}} if copy % 2 else {}
            )
            self._on_their_way.append(self.feishu.postman.post(dumped(event | more)))

    @property
    def is_taken(self) -> bool:
        """What the platform gave up was not."""
        return all(one.done() and one.result() for one in self._on_their_way)

    def shown(self, place: int) -> list[Shown]:
        topic = self._topics.get(place, "")
        return [_shown(seen) for seen in self.people[place].heard if seen.thread == topic]

    def fail(self, trouble: Trouble) -> None:
        fault = _fault(trouble)
        fault.skip = trouble.skip
        self._faults.append(fault)
        self.feishu.script.add(trouble.method, fault)

    @property
    def failed(self) -> int:
        waiting = [id(one) for faults in self.feishu.script._waiting.values() for one in faults]
        return sum(id(one) not in waiting for one in self._faults)

    async def close(self) -> None:
        await self.feishu.close_port()

    async def open(self) -> None:
        await self.feishu.open_port()

    async def called(self, count: int) -> None:
        goal = len(self.feishu.calls) + count
        await self.feishu.until(lambda server: len(server.calls) >= goal, within=3600)


@asynccontextmanager
async def feishu_stage(folder: Path, launcher: Launcher) -> AsyncIterator[Feishu]:
    async with feishu_world(folder, launcher=launcher, start=False) as installation:
        await start(installation.program)
        yield Feishu(installation)
        assert not installation.feishu.state.rung, installation.feishu.state.rung


def _shown(seen: Seen) -> Shown:
    is_open = seen.is_growing or any(command == "/stop" for _, command in seen.buttons)
    return Shown(text=seen.whole, is_notice=seen.text.startswith("已请 "), is_open=is_open)


def _fault(trouble: Trouble) -> Fault:
    match trouble.kind:
        case "busy":
            return busy(round(trouble.seconds + 0.5))
        case "busy_bare":
            return refuse(99991400, "rate limit", status=429)
        case "status":
            return Fault(kind="status", status=trouble.code)
        case "hang":
            return Fault(kind="hold", gate=opens_after(trouble.seconds))
        case "cut_before" | "cut_after" | "garbage" as kind:
            return Fault(kind=kind)
        case "outage":
            raise AssertionError("an outage is no call's fault")
