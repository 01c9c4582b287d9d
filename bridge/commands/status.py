"""/status: who is working on what in this place, who waits for an approval, and since when."""

from typing import Final

from bridge.commands.context import Context
from bridge.commands.earlier import earlier_sessions
from host.approvals.words import tool_words
from store.agents import find_agent
from store.approvals import Approval, open_of_session
from store.jobs import Job, open_jobs
from store.turns import Turn, live_turn

_LONGEST_TASK: Final = 60


async def show_status(context: Context) -> str:
    sessions = [*await earlier_sessions(context), context.session.id]
    lines = [line for session_id in sessions for line in await _of_session(context, session_id)]
    return "\n".join(lines) or context.say("status.idle")


async def _of_session(context: Context, session_id: str) -> list[str]:
    turn = await live_turn(context.tx, session_id)
    jobs = await open_jobs(context.tx, session_id)
    waits = await open_of_session(context.tx, session_id)
    idle = {each.session_id for each in waits}
    lines = [] if turn is None or turn.session_id in idle else [await _of_turn(context, turn)]
    lines += [_of_job(context, job) for job in jobs if job.started_at is None or job.side_session_id not in idle]
    return lines + [_of_approval(context, each) for each in waits]


async def _of_turn(context: Context, turn: Turn) -> str:
    since = context.since(context.tx.now - turn.started_at)
    return context.say("status.turn", name=await _speaker(context, turn.agent_id), since=since)


async def _speaker(context: Context, agent_id: str) -> str:
    agent = await find_agent(context.tx, agent_id)
    if agent is None:
        return agent_id
    return context.say("status.host") if agent.kind == "team" else agent.name


def _of_job(context: Context, job: Job) -> str:
    key, begun = ("status.queued", None) if job.started_at is None else ("status.running", job.started_at)
    since = context.since(context.tx.now - (begun or job.created_at))
    return context.say(key, name=job.member_name, task=_short(job.message), since=since)


def _of_approval(context: Context, approval: Approval) -> str:
    name = approval.speaker.name if approval.speaker is not None else ""
    since = context.since(context.tx.now - approval.asked_at)
    return context.say(
        "status.approval", name=name, tool=tool_words(context.say, approval.tool), code=approval.id, since=since
    )


def _short(task: str) -> str:
    line = " ".join(task.split())
    return line if len(line) <= _LONGEST_TASK else f"{line[: _LONGEST_TASK - 1]}…"
