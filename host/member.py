"""A member's seat: one job in its side session. Its last words go to the room, and the job comes back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from host.agent import Assignment, Response, Tool, ToolCall
from host.approvals.asking import Venue, ask_people
from host.approvals.guard import asking
from host.attachments import hand_out, in_words
from host.cooperation.tools import reading_tools
from host.deps import Deps
from host.handingout import handed_out, told, with_files
from host.jobs import Ending, call_host, end_job
from host.prompts import Line, background, member_instructions, with_unplaced
from host.running import Failure
from host.seat import Past, count_tokens, cut_short, make_assignment, read_past, spoken, trace
from host.team import host_speaker
from host.toolbox import Bench
from host.tools import memory_tools, time_tool
from host.traces import begun, settled
from host.turns import finish_turn
from host.values import Writing
from store.agents import Agent
from store.base import Speaker
from store.database import Transaction
from store.events import transcript
from store.files import File
from store.jobs import Job, close_job, hold_job
from store.memory import memories_of
from store.sessions import Session, lock_session
from store.turns import Turn, hold_turn

SAID = ("user_message", "host_message", "member_message", "wrapup", "job_failed")
"""The kinds of events that are the room so far."""

LINES = 400


@dataclass(frozen=True, kw_only=True)
class Backdrop:
    """What a member knows of the room: the host's memory and what was said."""

    memories: list[str]
    lines: list[Line]
    past: Past


@dataclass(kw_only=True)
class MemberSeat:
    """A member at work on a job. Locks the room first, then the side session."""

    deps: Deps
    session: Session
    turn: Turn
    job: Job
    team: Agent
    agent: Agent
    speaker: Speaker
    time_limit: float
    colleagues: tuple[Agent, ...]
    ask: tuple[Tool, ...] = ()
    files: Sequence[File] = ()
    """What the host handed over with the task."""
    asking: frozenset[str] = frozenset()
    """Its tools that a person must agree to; known once it has its assignment."""

    @property
    def writing(self) -> Writing:
        return Writing(
            turn_id=self.turn.id,
            speaker=self.speaker,
            sessions=(self.job.side_session_id, self.job.room_id),
            kind="member_message",
            origin=self.job.origin,
        )

    async def assignment(self) -> Assignment:
        behind = await self.deps.database.read(self._backdrop)
        instructions = member_instructions(
            agent_name=self.agent.name,
            agent_instructions=self.agent.instructions,
            team_name=self.team.name,
            colleagues=[f"{each.id}: {each.name}" for each in self.colleagues],
            background=background(
                self.deps.rosters.guidelines(self.team.id), behind.memories, behind.lines, locale=self.deps.locale
            ),
            locale=self.deps.locale,
        )
        own = memory_tools(self.deps.database, self.deps.new_id, agent_id=self.agent.id, scope=self.job.room_id)
        reading = reading_tools(self.deps, self.job.side_session_id) if self.agent.cooperation else []
        bench = Bench(agent=self.agent, session=self.session, turn=self.turn, room_id=self.job.room_id)
        unplaced = await hand_out(self.deps, bench, self.files) if self.agent.tools else {}
        working = await self.deps.toolbox.tools(self.agent.tools, bench)
        tools = [*self.ask, *own, time_tool(self.deps.clock), *working, *reading]
        self.asking = asking(tools)
        model = self.deps.model_name(self.agent)
        made = await make_assignment(
            self.deps, self.session, self.turn, behind.past, instructions, tools, model, self.files
        )
        return replace(made, prompt=with_unplaced(made.prompt, unplaced, self.deps.locale))

    async def _backdrop(self, tx: Transaction) -> Backdrop:
        memories = await memories_of(tx, self.team.id, self.job.room_id)
        said = await transcript(tx, self.job.room_id, SAID, LINES)
        words = ((each.speaker.name, in_words(each, self.deps.locale)) for each in said)
        return Backdrop(
            memories=[each.text for each in memories],
            lines=[Line(speaker=name, text=text) for name, text in words if text],
            past=await read_past(tx, self.turn),
        )

    async def hold(self, tx: Transaction) -> Turn:
        await lock_session(tx, self.job.room_id)
        await lock_session(tx, self.job.side_session_id)
        return await hold_turn(tx, self.turn.id, self.turn.run)

    async def respond(self, tx: Transaction, turn: Turn, response: Response) -> bool:
        model = self.deps.model_name(self.agent)
        await count_tokens(self.deps, tx, turn, response, owner_id=self.team.owner_id, model=model)
        side = await lock_session(tx, self.job.side_session_id)
        if response.text.strip():
            await self.deps.scribe.emit(
                tx, side, spoken("member_message", self.speaker, turn, response.text, origin=None)
            )
        if response.calls:
            await trace(self.deps, tx, turn, self.speaker, begun(response.calls, self.deps.say))
            return not await self._waits(tx, side, turn, response.calls)
        await self._come_back(tx, side, turn, response.text)
        return False

    async def heard(self, tx: Transaction, turn: Turn, messages: bytes) -> str:
        await trace(self.deps, tx, turn, self.speaker, settled(messages, self.deps.say))
        return ""

    @property
    def rested(self) -> float:
        return 0.0

    async def stop(self, tx: Transaction, turn: Turn, text: str) -> None:
        await cut_short(self.deps, tx, turn, self.speaker, text)
        await end_job(self.deps, tx, self.job, Ending(state="cancelled", reason=self.deps.say("reason.cancelled")))

    async def fail(self, tx: Transaction, turn: Turn, failure: Failure) -> None:
        await cut_short(self.deps, tx, turn, self.speaker)
        await end_job(self.deps, tx, self.job, Ending(state=failure.state, reason=self._why(failure)))

    async def _waits(self, tx: Transaction, side: Session, turn: Turn, calls: Sequence[ToolCall]) -> bool:
        """People are asked in the room, where the job came from."""
        venue = Venue(
            session=side,
            room=await lock_session(tx, self.job.room_id),
            voice=host_speaker(self.team),
            asker=self.speaker,
            origin=self.job.origin,
            rounds=turn.rounds,
        )
        return await ask_people(self.deps, tx, turn, calls, self.asking, venue)

    async def _come_back(self, tx: Transaction, side: Session, turn: Turn, text: str) -> None:
        """Job closed, its message in the room, and the wake-up decision: one transaction."""
        room = await lock_session(tx, self.job.room_id)
        job = await hold_job(tx, self.job.id)
        await finish_turn(self.deps, tx, side, turn, speaker=self.speaker, status="completed")
        if job is None:
            return
        files = await handed_out(tx, turn)
        await close_job(tx, job, state="done", result=with_files(text, files, self.deps.locale))
        if text.strip() or files:
            said = spoken("member_message", self.speaker, turn, text, job.origin, **told(files))
            await self.deps.scribe.emit(tx, room, said)
        await call_host(self.deps, tx, room)

    def _why(self, failure: Failure) -> str:
        if failure.state == "timed_out":
            return timeout_reason(self.deps, self.time_limit)
        return self.deps.say("reason.model", error=failure.error_id)


def timeout_reason(deps: Deps, seconds: float) -> str:
    """The limit in the unit people would use."""
    if seconds < 120:
        return deps.say("reason.timeout_seconds", seconds=round(seconds))
    return deps.say("reason.timeout", minutes=round(seconds / 60))
