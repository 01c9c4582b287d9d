"""A Slack app over Socket Mode: direct messages, threads of the agent view that stream, threads under a mention."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.campaign.record import Rules, Shown
from tests.campaign.stages.stage import start
from tests.campaign.trouble import Trouble, opens_after
from tests.support.program import Launcher
from tests.support.slack.faults import Fault, busy
from tests.support.slack.people import Person
from tests.support.slack.server import Delivery
from tests.support.slack.state import Json, Message
from tests.support.slack.world import SlackWorld, slack_world


class Slack:
    """The stage of one workspace.

    Whoever uses the agent view sees all of its threads: a program that is too busy to find out in time that there is
    one answers at the top, and that is seen as well.
    """

    kinds: Sequence[str] = ("agent", "mention")
    rules = Rules(keeps_order=False)

    def __init__(self, installation: SlackWorld) -> None:
        self.model = installation.model
        self.program = installation.program
        self.copies = 1
        self.slack = installation.slack
        self._world = installation
        self.people: dict[int, Person] = {}
        self._kinds: dict[int, str] = {}
        self._faults: list[Fault] = []

    def open_place(self, number: int, kind: str) -> None:
        self._kinds[number] = kind
        self.people[number] = self._world.member(f"C{number}") if kind == "mention" else self._world.person()

    def say(self, place: int, text: str) -> None:
        """The first words of a thread stand at the top of the channel."""
        who, before = self.people[place], len(self.people[place].sent)
        if self._kinds[place] == "mention":
            who.mention(text)
        elif self._kinds[place] == "agent" and not who.thread:
            who.thread = who.say(text)
        else:
            who.say(text)
        for brought in who.sent[before:]:
            who.sent += [self._copy(brought.payload, copy) for copy in range(1, self.copies)]

    def _copy(self, payload: Json, copy: int) -> Delivery:
        more = {"event_id": f"{payload['event_id']}-{copy}"} if copy % 2 else {}
        return self.slack.bring("events_api", payload | more)

    @property
    def is_taken(self) -> bool:
        """Slack gives up after a few attempts; the audit tells whether one of them was taken."""
        return all(one.acked or one.over.is_set() for who in self.people.values() for one in who.sent)

    def shown(self, place: int) -> list[Shown]:
        who = self.people[place]
        if self._kinds[place] != "agent":
            return [_shown(message) for message in who.heard]
        return [_shown(message) for message in who.channel.messages.values() if message.by_app]

    def fail(self, trouble: Trouble) -> None:
        fault = _fault(trouble)
        fault.skip = trouble.skip
        self._faults.append(fault)
        self.slack.script.add(trouble.method, fault)

    @property
    def failed(self) -> int:
        waiting = [id(one) for faults in self.slack.script._faults.values() for one in faults]
        return sum(id(one) not in waiting for one in self._faults)

    async def close(self) -> None:
        await self.slack.close_port()

    async def open(self) -> None:
        await self.slack.open_port()

    async def called(self, count: int) -> None:
        goal = len(self.slack.calls) + count
        await self.slack.until(lambda slack: len(slack.calls) >= goal, within=3600)


class FlatSlack(Slack):
    """A workspace without the agent view: direct messages are flat, and nothing streams."""

    kinds = ("direct", "mention")


@asynccontextmanager
async def slack_stage(
    folder: Path, launcher: Launcher, *, kind: type[Slack] = Slack, agent_view: bool = True
) -> AsyncIterator[Slack]:
    async with slack_world(folder, launcher=launcher, start=False) as installation:
        installation.slack.has_agent_view = agent_view
        await start(installation.program)
        yield kind(installation)
        assert not installation.slack.leaked


def _shown(message: Message) -> Shown:
    return Shown(text=message.shown, is_notice=bool(message.card), is_open=message.state == "in_progress")


def _fault(trouble: Trouble) -> Fault:
    match trouble.kind:
        case "busy":
            return busy(round(trouble.seconds + 0.5))
        case "busy_bare":
            return Fault(kind="status", status=429)
        case "status":
            return Fault(kind="status", status=trouble.code)
        case "hang":
            return Fault(kind="hang_after", gate=opens_after(trouble.seconds))
        case "cut_before" | "cut_after" | "garbage" as kind:
            return Fault(kind=kind)
        case "outage":
            raise AssertionError("an outage is no call's fault")
