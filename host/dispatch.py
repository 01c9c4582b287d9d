"""Dispatching: the host's `ask_agent` calls become jobs, in the transaction that stores the response."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, ValidationError

from host.agent import ToolCall
from host.attachments import chosen_files, shown
from host.deps import Deps
from host.errors import DamagedManifest, ToolFault
from host.events import Said
from host.jobs import say_failed, task_id
from host.messages import call_id
from host.team import Team, hold_team, member_speaker, obstacle, resolve
from store.agents import Agent
from store.base import Speaker
from store.database import Transaction
from store.files import File, refer_to
from store.inputs import Input, add_input
from store.jobs import Job, add_job, close_job, count_jobs, jobs_of_turn
from store.sessions import Session, add_session, revive_session
from store.turns import Turn, count_turns

MAX_HOST_TURNS = 8
MAX_JOBS = 32
MAX_TOOL_CALLS = 50


class AskAgent(BaseModel):
    """The arguments of the host's `ask_agent`; whatever else a model sends (a `mode`) is ignored."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True, frozen=True)

    agent_id: str
    message: str
    attachments: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What a call came to: a job (queued or born failed), or a refusal in words for the model; `at_limit`: for ever."""

    job_id: str = ""
    status: str = ""
    reason: str = ""
    refusal: str = ""
    at_limit: bool = False

    def result(self) -> dict[str, str]:
        """What the tool returns. Raises ToolFault for a refusal."""
        if self.refusal:
            raise ToolFault(self.refusal)
        known = {"job_id": self.job_id, "status": self.status}
        return {**known, "reason": self.reason} if self.reason else known


async def dispatch(
    deps: Deps, tx: Transaction, room: Session, turn: Turn, team: Team, calls: Sequence[ToolCall]
) -> dict[str, Receipt]:
    """The receipt of each `ask_agent` call by call id, in call order. Repeated, it finds what it made before."""
    if not calls:
        return {}
    made = {job.call: job for job in await jobs_of_turn(tx, turn.id)}
    budget = MAX_JOBS - await count_jobs(tx, turn.round_id)
    refusal = await _limit_reached(tx, turn)
    team = await _as_it_is_now(deps, tx, team)
    receipts: dict[str, Receipt] = {}
    for call in calls:
        key = f"{call.number}.{call.position}"
        if (known := made.get(key)) is not None:
            receipts[call.id] = _receipt(known)
        elif refusal or budget <= 0:
            receipts[call.id] = Receipt(
                refusal=refusal or f"at most {MAX_JOBS} jobs for one message: conclude now", at_limit=True
            )
        else:
            receipts[call.id] = await _one(deps, tx, room, turn, team, call, key)
            budget -= 1
    return receipts


async def results_of(tx: Transaction, turn: Turn) -> dict[str, object]:
    """What the turn's dispatches came to, by call id: for a history that was cut before its tools had run."""
    made = await jobs_of_turn(tx, turn.id)
    return {call_id(turn.id, *_numbers(job.call)): _receipt(job).result() for job in made}


def _numbers(call: str) -> tuple[int, int]:
    number, _, position = call.partition(".")
    return int(number), int(position)


async def _as_it_is_now(deps: Deps, tx: Transaction, team: Team) -> Team:
    """The roster may have changed since the turn began; a manifest that broke meanwhile leaves nobody to ask."""
    try:
        return await hold_team(deps, tx, team.agent.id) or replace(team, members=())
    except DamagedManifest:
        return replace(team, members=())


async def _limit_reached(tx: Transaction, turn: Turn) -> str:
    if turn.tool_calls > MAX_TOOL_CALLS:
        return f"at most {MAX_TOOL_CALLS} tool calls in one turn: conclude now"
    if await count_turns(tx, turn.session_id, turn.round_id) > MAX_HOST_TURNS:
        return f"at most {MAX_HOST_TURNS} turns for one message: conclude now"
    return ""


async def _one(deps: Deps, tx: Transaction, room: Session, turn: Turn, team: Team, call: ToolCall, key: str) -> Receipt:
    try:
        asked = _parse(call)
        member = resolve(asked.agent_id, team.members)
        files = await chosen_files(tx, room.id, asked.attachments or ())
    except ToolFault as fault:
        return Receipt(refusal=str(fault))
    job = Job(
        id=deps.new_id(),
        number=room.seq,
        room_id=room.id,
        member_id=member.id,
        member_name=member.name,
        side_session_id=f"{room.id}~{member.id}",
        turn_id=turn.id,
        call=key,
        round_id=turn.round_id,
        created_at=tx.now,
        message=asked.message,
        origin=turn.origin,
    )
    await add_job(tx, job)
    if why := obstacle(team.person, member, deps.models.names):
        return await _born_failed(deps, tx, room, job, member, deps.say(why, model=member.model))
    await refer_to(tx, files)
    await _hand_over(deps, tx, room, turn, team, member, job, files)
    return _receipt(job)


def _parse(call: ToolCall) -> AskAgent:
    try:
        asked = AskAgent.model_validate(call.arguments if call.arguments is not None else {})
    except ValidationError as fault:
        raise ToolFault(call.fault or f"ask_agent needs agent_id and message: {fault.errors()[0]['msg']}") from fault
    if not asked.message:
        raise ToolFault("message must not be empty: write the member's task sheet")
    return asked


async def _born_failed(deps: Deps, tx: Transaction, room: Session, job: Job, member: Agent, reason: str) -> Receipt:
    """T15: nobody is started, no notice, one failure line; the end of the turn calls the host at once."""
    await _side_session(deps, tx, room, member, job)
    await close_job(tx, job, state="failed", reason=reason)
    await say_failed(deps, tx, room, job, member_speaker(member))
    return _receipt(job)


async def _hand_over(
    deps: Deps,
    tx: Transaction,
    room: Session,
    turn: Turn,
    team: Team,
    member: Agent,
    job: Job,
    files: Sequence[File],
) -> None:
    side = await _side_session(deps, tx, room, member, job, team=team)
    await deps.scribe.emit(
        tx,
        room,
        Said(
            kind="job_dispatched",
            speaker=team.speaker,
            text=deps.say("job.dispatched", name=member.name),
            turn_id=turn.id,
            job_id=job.id,
            data={"agent_id": member.id, "name": member.name},
            origin=job.origin,
            rounds=[job.round_id],
        ),
    )
    await _queue_task(deps, tx, side, team.speaker, job, files)
    await deps.lanes.wake(tx, f"member:{member.id}")


async def _queue_task(
    deps: Deps, tx: Transaction, side: Session, host: Speaker, job: Job, files: Sequence[File]
) -> None:
    task = Input(
        id=task_id(job),
        session_id=side.id,
        kind="task",
        position=side.seq,
        round_id=job.round_id,
        created_at=tx.now,
        text=job.message,
        sender=host,
        job_id=job.id,
        data={"files": [each.id for each in files]} if files else {},
    )
    await add_input(tx, task)
    told = {"input_id": task.id} | ({"attachments": shown(files)} if files else {})
    said = Said(kind="user_message", speaker=host, text=job.message, job_id=job.id, data=told)
    await deps.scribe.emit(tx, side, said)


async def _side_session(
    deps: Deps, tx: Transaction, room: Session, member: Agent, job: Job, team: Team | None = None
) -> Session:
    """The member's own session for this room, locked; made when it is first needed (T17)."""
    if (known := await revive_session(tx, job.side_session_id)) is not None:
        return known
    title = deps.say("side.title", team=team.agent.name if team else room.agent_id)
    return await add_session(
        tx,
        Session(
            id=job.side_session_id,
            kind="side",
            agent_id=member.id,
            owner_id=member.owner_id,
            principal=room.principal,
            app_id=room.app_id,
            created_at=tx.now,
            updated_at=tx.now,
            title=title,
            session_key=f"team:{room.id}",
            parent_id=room.id,
            root_id=room.id,
            project_id=room.project_id,
        ),
    )


def _receipt(job: Job) -> Receipt:
    born_failed = job.state == "failed" and job.started_at is None
    return Receipt(
        job_id=job.id, status="failed" if born_failed else "queued", reason=job.reason if born_failed else ""
    )
