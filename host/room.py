"""The host's seat: it plans, hands out, and concludes. What its words mean is decided here, under the room's lock."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import structlog

from host.agent import Assignment, Response, Tool, ToolCall
from host.dispatch import Receipt, dispatch, results_of
from host.jobs import call_host
from host.messages import tool_returns
from host.prompts import FileView, MemberView, ResultView, host_instructions, host_prompt, wake_up_prompt
from host.running import Failure
from host.seat import DISPATCH, OwnSeat, count_tokens, cut_short, trace
from host.team import Team, obstacle
from host.tools import memory_tools, time_tool
from host.traces import begun, settled
from host.values import Writing
from store.agents import Agent
from store.database import Transaction
from store.inputs import Input
from store.jobs import Finished, Job, is_quiet
from store.sessions import Session, find_session, lock_session
from store.turns import Turn, add_checkpoint

log = structlog.get_logger(__name__)
ASK_AGENT_SCHEMA = {
    "type": "object",
    "properties": {
        "agent_id": {"type": "string", "description": "id of the member, exactly as agent_list gives it"},
        "message": {
            "type": "string",
            "description": "the task sheet: self-contained, digested, with what a good result is",
        },
        "attachments": {
            "type": "array",
            "items": {"type": "string"},
            "description": "ids of files of this chat that the member needs; it sees no others",
        },
    },
    "required": ["agent_id", "message"],
}


@dataclass(kw_only=True)
class HostSeat(OwnSeat):
    """The host at work in its room."""

    team: Team
    concludes: bool = False
    """At claim nothing of the room was open or untaken: these words will most likely be the wrap-up."""
    damaged: bool = False
    """The manifest cannot be read: the turn fails without asking the model."""
    receipts: dict[str, Receipt] = field(default_factory=dict)
    narrated: str = ""
    warned: bool = False

    @property
    def writing(self) -> Writing:
        kind = "wrapup" if self.concludes else "host_message"
        return replace(super().writing, kind=kind, alone=False)

    async def assignment(self) -> Assignment:
        memories, past = await self.recall(self.session.id)
        rosters = self.deps.rosters
        instructions = host_instructions(
            team_name=self.agent.name,
            persona=rosters.persona(self.agent.id),
            rules=rosters.rules(self.agent.id),
            guidelines=rosters.guidelines(self.agent.id),
            members=self._members(),
            memories=memories,
            locale=self.deps.locale,
        )
        return await self.assign(past, instructions, self._tools(), self.session.model_id)

    async def respond(self, tx: Transaction, turn: Turn, response: Response) -> bool:
        room = await _room(tx, turn)
        model = self.deps.model_name(self.agent, self.session.model_id)
        await count_tokens(self.deps, tx, turn, response, owner_id=self.session.owner_id, model=model)
        if turn.stopping:
            await self._stop(tx, turn, said=response.text)
            return False
        if not response.calls:
            await self.say(tx, room, turn, await _closing_kind(tx, turn), response.text)
            await self._complete(tx, room, turn)
            return False
        if response.text != self.narrated:  # a host that goes in circles is not heard in circles
            await self.say(tx, room, turn, "host_message", response.text)
        self.narrated = response.text
        return await self._take_calls(tx, room, turn, response.calls)

    async def heard(self, tx: Transaction, turn: Turn, messages: bytes) -> str:
        await trace(self.deps, tx, turn, self.speaker, settled(messages, self.deps.say))
        return ""

    async def stop(self, tx: Transaction, turn: Turn, text: str) -> None:
        await self._stop(tx, turn, said=text, unstored=text)

    async def _stop(self, tx: Transaction, turn: Turn, *, said: str, unstored: str = "") -> None:
        room = await _room(tx, turn)
        await cut_short(self.deps, tx, turn, self.speaker, unstored, await results_of(tx, turn))
        await self.say(tx, room, turn, "host_message", said, stopped=True)
        await self.finish(tx, room, turn, "stopped")
        await call_host(self.deps, tx, room)

    async def fail(self, tx: Transaction, turn: Turn, failure: Failure) -> None:
        room = await _room(tx, turn)
        await cut_short(self.deps, tx, turn, self.speaker, results=await results_of(tx, turn))
        sentence = self.deps.say("turn.failed", error=failure.error_id)
        await self.finish(tx, room, turn, "failed", text=sentence, error_id=failure.error_id)
        await call_host(self.deps, tx, room)

    async def _take_calls(self, tx: Transaction, room: Session, turn: Turn, calls: Sequence[ToolCall]) -> bool:
        """Dispatch; a response of nothing but dispatches, accepted or born failed, ends the turn."""
        asks = [call for call in calls if call.name == DISPATCH]
        await trace(self.deps, tx, turn, self.speaker, begun(calls, self.deps.say))
        self.receipts |= await dispatch(self.deps, tx, room, turn, self.team, asks)
        if any(self.receipts[call.id].at_limit for call in asks):
            return await self._insist(tx, turn)
        if len(asks) < len(calls) or any(self.receipts[call.id].refusal for call in asks):
            return True
        await add_checkpoint(tx, turn, tool_returns(asks, {call.id: self.receipts[call.id].result() for call in asks}))
        await self._complete(tx, room, turn)
        return False

    async def _insist(self, tx: Transaction, turn: Turn) -> bool:
        """Beyond a limit the host is told to conclude, once; if it goes on all the same, its turn is over."""
        if not self.warned:
            self.warned = True
            return True
        failure = Failure(state="failed", error_id=turn.id[:8])
        log.error("a host went on beyond its limit", turn=turn.id, error_id=failure.error_id)
        await self.fail(tx, turn, failure)
        return False

    async def _complete(self, tx: Transaction, room: Session, turn: Turn) -> None:
        await self.finish(tx, room, turn, "completed")
        await call_host(self.deps, tx, room)

    def _members(self) -> list[MemberView]:
        return [
            MemberView(id=each.id, name=each.name, description=each.description, state=self._state(each))
            for each in self.team.members
        ]

    def _state(self, member: Agent) -> str:
        why = obstacle(self.team.person, member, self.deps.models.names)
        return {"": "running", "reason.unknown_model": "error"}.get(why, "stopped")

    def _tools(self) -> list[Tool]:
        """T23: exactly these, an allow-list."""
        return [
            Tool(
                name="agent_list",
                description="The members of your team and whether each is running.",
                schema={"type": "object", "properties": {}},
                run=self._agent_list,
            ),
            Tool(
                name=DISPATCH,
                description="Hand work to one member, asynchronously: you are called again when it is done.",
                schema=ASK_AGENT_SCHEMA,
                run=self._ask_agent,
            ),
            *memory_tools(self.deps.database, self.deps.new_id, agent_id=self.agent.id, scope=self.session.id),
            time_tool(self.deps.clock),
        ]

    async def _agent_list(self, _call: ToolCall) -> object:
        return [
            {"id": each.id, "name": each.name, "description": each.description, "state": each.state}
            for each in self._members()
        ]

    async def _ask_agent(self, call: ToolCall) -> object:
        """Only returns the receipt that the response's transaction stored; after a crash it looks it up again."""
        if call.id not in self.receipts:
            self.receipts |= await self.deps.database.write(partial(self._look_up, call))
        return self.receipts[call.id].result()

    async def _look_up(self, call: ToolCall, tx: Transaction) -> dict[str, Receipt]:
        turn = await self.hold(tx)
        return await dispatch(self.deps, tx, await _room(tx, turn), turn, self.team, [call])


async def _room(tx: Transaction, turn: Turn) -> Session:
    """The room of a held turn: locked already, so this asks nothing."""
    room = await find_session(tx, turn.session_id)
    return room if room is not None else await lock_session(tx, turn.session_id)


async def _closing_kind(tx: Transaction, turn: Turn) -> str:
    return "wrapup" if await concludes(tx, turn) else "host_message"


async def concludes(tx: Transaction, turn: Turn) -> bool:
    """Whether the turn's final words are the wrap-up, if they were said now: it took results, and nothing is left."""
    return turn.took_results and await is_quiet(tx, turn.session_id)


def round_list(own: str, finished: Sequence[Finished]) -> list[str]:
    """The rounds a turn speaks about: its own first, then those of the results it takes."""
    return list(dict.fromkeys([own, *(each.job.round_id for each in finished)]))


def room_prompt(
    taken: Input,
    files: Sequence[FileView],
    finished: Sequence[Finished],
    still_open: Sequence[Job],
    *,
    is_group: bool,
    locale: str,
) -> str:
    """What the host is told: the person's message with the results there are, or the results alone."""
    results = [_view(each.job) for each in finished]
    names = list(dict.fromkeys(job.member_name for job in still_open))
    if taken.kind == "wake_up":
        return wake_up_prompt(results, names, locale)
    return host_prompt(
        text=taken.text,
        sender_name=taken.sender.name if taken.sender else "",
        is_group=is_group,
        mentions=taken.data.get("mentions", []),
        files=files,
        results=results,
        open_names=names,
        context=taken.data.get("context", ()),
        locale=locale,
    )


def _view(job: Job) -> ResultView:
    return ResultView(
        job_id=job.id,
        member_id=job.member_id,
        member_name=job.member_name,
        state=job.state,
        text_or_reason=job.result or job.reason,
    )
