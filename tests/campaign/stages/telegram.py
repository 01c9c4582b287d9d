"""A Telegram bot that polls: private chats with drafts, groups with edited messages, topics of a forum."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.campaign.record import MARK, Rules, Shown
from tests.campaign.stages.stage import start
from tests.campaign.trouble import Trouble, opens_after
from tests.support.program import Launcher
from tests.support.telegram.faults import Fault, busy, refuse
from tests.support.telegram.people import Person
from tests.support.telegram.world import TelegramWorld, telegram_world

FORUM = -1009000
TOPIC = 70


class Telegram:
    """The stage of one bot."""

    kinds: Sequence[str] = ("private", "private", "group", "topic")
    rules = Rules(marks_doubles=True)

    def __init__(self, installation: TelegramWorld) -> None:
        self.model = installation.model
        self.program = installation.program
        self.copies = 1
        self.telegram = installation.telegram
        self._world = installation
        self.people: dict[int, Person] = {}
        self._faults: list[Fault] = []

    def open_place(self, number: int, kind: str) -> None:
        self.people[number] = self._person(number, kind)

    def say(self, place: int, text: str) -> None:
        who = self.people[place]
        update = who.say(text if who.room.type == "private" else f"@sim_bot {text}")
        for copy in range(1, self.copies):
            if copy % 2:
                self.telegram.updates.put(message=update["message"])
            else:
                self.telegram.updates.again(update)

    @property
    def is_taken(self) -> bool:
        return not self.telegram.updates.waiting

    def shown(self, place: int) -> list[Shown]:
        who = self.people[place]
        heard = [message for message in who.heard if who.topic is None or message.thread == who.topic]
        return [Shown(text=one.text, is_notice=one.text.removeprefix(MARK).startswith("已请 ")) for one in heard]

    def fail(self, trouble: Trouble) -> None:
        fault = _fault(trouble)
        fault.skip = trouble.skip
        self._faults.append(fault)
        self.telegram.script.add(trouble.method, fault)

    @property
    def failed(self) -> int:
        waiting = [id(one) for faults in self.telegram.script._faults.values() for one in faults]
        return sum(id(one) not in waiting for one in self._faults)

    async def close(self) -> None:
        await self.telegram.close_port()

    async def open(self) -> None:
        await self.telegram.open_port()

    async def called(self, count: int) -> None:
        goal = len(self.telegram.calls) + count
        await self.telegram.until(lambda api: len(api.calls) >= goal, within=3600)

    def _person(self, number: int, kind: str) -> Person:
        if kind == "private":
            return self._world.person()
        if kind == "group":
            return self._world.group(-4000 - number)
        room = self.telegram.room(FORUM, "supergroup", is_forum=True)
        return Person(self.telegram, room=room, topic=TOPIC + number)


@asynccontextmanager
async def telegram_stage(folder: Path, launcher: Launcher) -> AsyncIterator[Telegram]:
    async with telegram_world(folder, launcher=launcher, start=False) as installation:
        await start(installation.program)
        yield Telegram(installation)


def _fault(trouble: Trouble) -> Fault:
    match trouble.kind:
        case "busy":
            return busy(round(trouble.seconds + 0.5))
        case "busy_bare":
            return refuse(429, "Too Many Requests")
        case "status":
            return Fault(kind="status", code=trouble.code)
        case "hang":
            return Fault(kind="hang_after", gate=opens_after(trouble.seconds))
        case "cut_before" | "cut_after" | "garbage" as kind:
            return Fault(kind=kind)
        case "outage":
            raise AssertionError("an outage is no call's fault")
