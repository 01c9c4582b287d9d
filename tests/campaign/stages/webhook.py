"""A webhook channel: whoever sends repeats each message until it is taken, one after the other in each chat."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import ClientError

from tests.campaign.record import Rules, Shown
from tests.campaign.stages.stage import start
from tests.campaign.trouble import Trouble
from tests.support.callback import CUT, CUT_AFTER_READING, TAKE, Answer, Message, hold, refuse
from tests.support.gate import Gate
from tests.support.guest import Guest
from tests.support.program import Launcher
from tests.support.world import World, world

AGAIN = 0.05
"""Seconds until a sender tries again."""


class Webhook:
    """The stage of `hook`."""

    kinds: Sequence[str] = ("private", "group", "thread")
    rules = Rules()

    def __init__(self, installation: World) -> None:
        self.model = installation.model
        self.program = installation.program
        self.copies = 1
        self.callback = installation.callback
        self._world = installation
        self.guests: dict[int, Guest] = {}
        self._troubles: list[Trouble] = []
        self._calm = 0
        self._happened = 0
        self._waiting: dict[int, list[tuple[str, str]]] = {}
        self._senders: dict[int, asyncio.Task[None]] = {}

    def open_place(self, number: int, kind: str) -> None:
        thread = "t1" if kind == "thread" else None
        chat = "private" if kind == "private" else "group"
        self.guests[number] = self._world.guest(chat_id=f"chat-{number}", chat_type=chat, thread=thread)

    def say(self, place: int, text: str) -> None:
        queue = self._waiting.setdefault(place, [])
        queue.append((f"m-{place}-{text.split(maxsplit=1)[0]}", text))
        if place not in self._senders or self._senders[place].done():
            self._senders[place] = asyncio.create_task(self._send(place, queue))

    @property
    def is_taken(self) -> bool:
        return not any(self._waiting.values())

    def shown(self, place: int) -> list[Shown]:
        return [_shown(message) for message in self.guests[place].heard]

    def fail(self, trouble: Trouble) -> None:
        self._troubles.append(trouble)
        self.callback.behave = self._behave

    @property
    def failed(self) -> int:
        return self._happened

    async def close(self) -> None:
        await self.callback.close_port()

    async def open(self) -> None:
        await self.callback.open_port()

    async def called(self, count: int) -> None:
        goal = len(self.callback.arrivals) + count
        await self.callback.until(lambda callback: len(callback.arrivals) >= goal, within=3600)

    async def _bring(self, guest: Guest, name: str, text: str) -> bool:
        """Whether every copy was taken."""
        names = [name if copy % 2 == 0 else f"{name}-{copy}" for copy in range(self.copies)]
        try:
            replies = await asyncio.gather(*(guest.send(text, message=each, message_id=name) for each in names))
        except ClientError:
            return False
        return all(reply.status == 202 for reply in replies)

    def _behave(self, message: Message, times: int) -> Answer:
        """The next trouble, once so many messages were taken since the last one."""
        if not self._troubles or self._calm < self._troubles[0].skip:
            self._calm += 1
            return TAKE
        self._calm = 0
        self._happened += 1
        return _answer(self._troubles.pop(0))

    async def _send(self, place: int, queue: list[tuple[str, str]]) -> None:
        while queue:
            name, text = queue[0]
            if await self._bring(self.guests[place], name, text):
                queue.pop(0)
            else:
                await asyncio.sleep(AGAIN)


@asynccontextmanager
async def webhook_stage(folder: Path, launcher: Launcher) -> AsyncIterator[Webhook]:
    async with world(folder, launcher=launcher, start=False) as installation:
        await start(installation.program)
        yield Webhook(installation)
        assert not installation.callback.unsigned, installation.callback.unsigned


def _shown(message: Message) -> Shown:
    return Shown(text=message.display_text, is_notice=message.kind == "notice")


def _answer(trouble: Trouble) -> Answer:
    match trouble.kind:
        case "busy":
            return refuse(429, str(round(trouble.seconds + 0.5)))
        case "busy_bare":
            return refuse(429)
        case "status":
            return refuse(trouble.code)
        case "cut_before":
            return CUT
        case "cut_after" | "garbage":
            return CUT_AFTER_READING
        case "hang":
            gate = Gate()
            asyncio.get_running_loop().call_later(trouble.seconds, gate.open)
            return hold(gate)
        case "outage":
            raise AssertionError("an outage is no call's fault")
