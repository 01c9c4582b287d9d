"""A whole host in memory: real store, real lanes, scripted models. No platform, no HTTP."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from bridge.notices import Notices
from host.deps import Deps
from host.embedded import EmbeddedLanes
from host.errors import UnknownModel
from host.events import Scribe
from host.model import Model
from host.models.adapted import AdaptedModel
from host.roster import Rosters
from host.running import Runs
from host.runtime import Host
from host.shelf import Shelf
from host.toolbox import Source, Toolbox
from host.values import Attached, Live, Opening, Submission, Writing
from host.workspace import Workspaces
from store.accounts import ensure_owner
from store.agents import Agent, save_agent
from store.base import Origin, Speaker
from store.database import Database, Transaction
from store.events import Event, events_after
from store.sessions import Session
from tests.support.clock import FakeClock

ANN = Speaker(id="ann", name="Ann", role="user")


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What a scripted model is asked: by whom (the system text), with what (the last prompt), with which tools."""

    system: str
    prompt: str
    tools: tuple[str, ...]
    messages: Sequence[ModelMessage]


@dataclass(frozen=True, kw_only=True)
class Say:
    """A scripted answer: text, then calls of tools as (name, arguments)."""

    text: str = ""
    calls: Sequence[tuple[str, str]] = ()


Script = Callable[[Ask], "Say | asyncio.Future[Say] | Exception"]


class ScriptedModels:
    """Every name answers with the script; `asked` records what reached it."""

    def __init__(self, script: Script, pulse: asyncio.Event) -> None:
        self.script = script
        self._pulse = pulse
        self.names: tuple[str, ...] = ("main",)
        self.with_eyes: tuple[str, ...] = ()
        self.asked: list[Ask] = []
        self._ids = itertools.count()

    def sees(self, name: str) -> bool:
        return name in self.with_eyes

    async def load(self, name: str) -> Model:
        if name not in self.names:
            raise UnknownModel(name)
        return AdaptedModel(FunctionModel(stream_function=self._answer))

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        asked = _ask(messages, info)
        self.asked.append(asked)
        self._pulse.set()
        answer = self.script(asked)
        if isinstance(answer, asyncio.Future):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        if answer.text:
            yield answer.text
        for index, (name, arguments) in enumerate(answer.calls):
            yield {index: DeltaToolCall(name=name, json_args=arguments, tool_call_id=f"call{next(self._ids)}")}
        if not answer.text and not answer.calls:
            yield ""


def _ask(messages: list[ModelMessage], info: AgentInfo) -> Ask:
    system = info.instructions or ""
    prompt = ""
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, SystemPromptPart):
                    system += part.content
                elif isinstance(part, UserPromptPart):
                    prompt = part.content if isinstance(part.content, str) else str(part.content[0])
    return Ask(system=system, prompt=prompt, tools=tuple(tool.name for tool in info.function_tools), messages=messages)


class Audience:
    """Records what readers would see."""

    def __init__(self, pulse: asyncio.Event) -> None:
        self._pulse = pulse
        self.events: list[Event] = []
        self.deltas: list[tuple[str, str, str]] = []

    def delta(self, writing: Writing, offset: int, text: str) -> None:
        self.deltas.extend((session_id, writing.speaker.id, text) for session_id in writing.sessions)

    def emitted(self, session_id: str, events: Sequence[Event]) -> None:
        self.events.extend(events)
        self._pulse.set()


class Tally:
    """Counts turns and tokens."""

    def __init__(self, pulse: asyncio.Event) -> None:
        self._pulse = pulse
        self.turns: list[tuple[str, str]] = []

    def turn_ended(self, agent: str, status: str) -> None:
        self.turns.append((agent, status))
        self._pulse.set()

    def tokens_used(self, model: str, input_tokens: int, output_tokens: int) -> None:
        pass


@dataclass(kw_only=True)
class House:
    """The host and everything a test may look at."""

    host: Host
    deps: Deps
    database: Database
    clock: FakeClock
    models: ScriptedModels
    audience: Audience
    tally: Tally
    lanes: EmbeddedLanes
    rosters: Rosters
    pulse: asyncio.Event

    async def add_expert(self, agent_id: str, **more: object) -> Agent:
        return await self._add(agent_id, "expert", **more)

    async def add_team(self, agent_id: str, members: Sequence[str], **more: object) -> Agent:
        team = await self._add(agent_id, "team", **more)
        self.rosters.seed(agent_id, members)
        return team

    async def _add(self, agent_id: str, kind: str, **more: object) -> Agent:
        now = self.clock.now()
        fields: dict[str, object] = {"name": agent_id.title(), "owner_id": "owner", "origin": "api", **more}
        agent = Agent(id=agent_id, kind=kind, created_at=now, updated_at=now, **fields)
        await self.database.write(partial(save_agent, agent=agent))
        return agent

    async def open(self, agent_id: str, **more: str) -> Session:
        opening = {"owner_id": "owner", "principal": "user:owner", "app_id": "console", **more}
        return await self.database.write(lambda tx: self.host.open_session(tx, Opening(agent_id=agent_id, **opening)))

    async def tell(
        self, session_id: str, text: str, *, origin: Origin | None = None, attachments: Sequence[Attached] = ()
    ) -> str:
        said = Submission(session_id=session_id, text=text, sender=ANN, origin=origin, attachments=tuple(attachments))
        return (await self.database.write(partial(self.host.submit, submission=said))).input_id

    async def events(self, session_id: str) -> list[Event]:
        return await self.database.read(partial(events_after, session_id=session_id, after=0))

    async def said(self, session_id: str) -> list[tuple[str, str, str]]:
        """(kind, speaker, text) of what people see."""
        silent = ("turn_started", "turn_ended")
        return [(e.kind, e.speaker.id, e.text) for e in await self.events(session_id) if e.kind not in silent]

    async def quiet(self) -> None:
        """Wait until no lane has work (timers may still be set)."""
        await self.lanes.idle()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds; looked at whenever a model is asked, an event is durable or a turn ends."""
        while not condition():
            self.pulse.clear()
            await self.pulse.wait()


_numbers = itertools.count(1)
"""Of the houses of this process: one that is opened on the store of another gives no id for a second time."""


@asynccontextmanager
async def open_house(
    database: Database,
    clock: FakeClock,
    folder: Path,
    script: Script,
    *,
    locale: str = "zh-CN",
    live: Live | None = None,
    tools: Sequence[Source] = (),
    default_model: str = "main",
) -> AsyncIterator[House]:
    """A running host; leave the context to stop its lanes, as SIGTERM would. `live` takes the audience's place."""
    lanes = EmbeddedLanes(clock)
    pulse = asyncio.Event()
    audience, tally, models = Audience(pulse), Tally(pulse), ScriptedModels(script, pulse)
    rosters = Rosters(folder / "workspaces")
    number = next(_numbers)
    ids = itertools.count(1)

    def new_id() -> str:
        return f"{folder.name}-{next(ids):04d}-{number}"

    deps = Deps(
        database=database,
        clock=clock,
        lanes=lanes,
        live=live or audience,
        scribe=Scribe(lanes, live or audience, new_id),
        models=models,  # type: ignore[arg-type]
        rosters=rosters,
        runs=Runs(),
        meter=tally,
        say=Notices("zh-CN" if locale == "zh-CN" else "en").say,
        locale=locale,
        default_model=default_model,
        small_model=default_model,
        new_id=new_id,
        toolbox=Toolbox(*tools),
        shelf=Shelf(folder / "files"),
        workspaces=Workspaces(folder / "workspaces"),
    )
    host = Host(deps)
    house = House(
        host=host,
        deps=deps,
        database=database,
        clock=clock,
        models=models,
        audience=audience,
        tally=tally,
        lanes=lanes,
        rosters=rosters,
        pulse=pulse,
    )

    async def drain(lane: str) -> None:
        kind, _, name = lane.partition(":")
        if kind == "room":
            await host.drain_room(name)
        elif kind == "member":
            await host.drain_member(name)
        elif kind == "title":
            await host.drain_title(name)
        elif kind == "approval":
            await host.drain_approval(name)

    async def open_work(tx: Transaction) -> tuple[str, ...]:
        return (await host.open_work(tx)).lanes

    await database.write(ensure_owner)
    for lane in await database.read(open_work):
        lanes.wake_now(lane)
    running = asyncio.create_task(lanes.run(drain))
    await asyncio.sleep(0)  # the engine takes over what was woken before it ran
    try:
        yield house
    finally:
        running.cancel()
        await asyncio.wait([running])
