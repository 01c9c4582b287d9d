"""Jobs coming back: closed, said, and the host called if it is time. One transaction each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from host.deps import Deps
from host.events import Said
from host.seat import close_history
from host.team import member_speaker
from host.turns import finish_turn
from host.waking import Sleep, Wake, decide_wake_up
from store.agents import find_agent
from store.base import Speaker
from store.database import Transaction
from store.inputs import Input, add_input, finish_input, has_pending
from store.jobs import Finished, Job, close_job, finished_jobs, hold_job, open_jobs, open_jobs_of_member
from store.sessions import Session, lock_session
from store.turns import live_turn


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a job ended without a result: failed, timed_out or cancelled, and the reason in words."""

    state: str
    reason: str


async def call_host(deps: Deps, tx: Transaction, room: Session, finished: Sequence[Finished] | None = None) -> None:
    """Take the wake-up decision for a locked room, and queue the wake-up or set the timer.

    `finished` are the room's finished jobs, if the caller has them already.
    """
    known = await finished_jobs(tx, room.id) if finished is None else finished
    untaken = [each.job for each in known if not each.kept]
    if not untaken:
        return
    decision = await wake_up_decision(tx, room, untaken)
    lane = f"room:{room.id}"
    if isinstance(decision, Wake):
        await _queue_wake_up(deps, tx, room, untaken[-1])
        await deps.lanes.wake(tx, lane)
    elif decision.seconds is not None:
        await deps.lanes.wake_at(tx, lane, tx.now + timedelta(seconds=decision.seconds))


async def wake_up_decision(tx: Transaction, room: Session, untaken: Sequence[Job]) -> Wake | Sleep:
    """`decide_wake_up` over the room as it is now."""
    team = await find_agent(tx, room.agent_id)
    if team is None or not untaken:
        return Sleep()
    oldest = min(job.closed_at or tx.now for job in untaken)
    return decide_wake_up(
        "each" if team.wake == "each" else "wave",
        open_jobs=len(await open_jobs(tx, room.id)),
        untaken=len(untaken),
        any_failed=any(job.state != "done" for job in untaken),
        oldest_untaken_age=(tx.now - oldest).total_seconds(),
        host_turn_live=await live_turn(tx, room.id) is not None,
        wave_timeout=team.wave_timeout,
    )


async def end_job(deps: Deps, tx: Transaction, job: Job, ending: Ending) -> bool:
    """Close a job of a locked room without a result: it says why, and the host is called. False if it was closed."""
    room = await lock_session(tx, job.room_id)
    held = await hold_job(tx, job.id)
    if held is None:
        return False
    await close_job(tx, held, state=ending.state, reason=ending.reason)
    speaker = await _speaker_of(tx, held)
    turn_id = await _end_work(deps, tx, held, speaker)
    await say_failed(deps, tx, room, held, speaker, turn_id)
    await call_host(deps, tx, room)
    return True


async def say_failed(
    deps: Deps, tx: Transaction, room: Session, job: Job, speaker: Speaker, turn_id: str | None = None
) -> None:
    """One line in the room: who could not finish, and why. `turn_id` is the member's turn, if it had begun."""
    await deps.scribe.emit(
        tx,
        room,
        Said(
            kind="job_failed",
            speaker=speaker,
            text=job.reason,
            turn_id=turn_id,
            job_id=job.id,
            data={"state": job.state},
            origin=job.origin,
            rounds=[job.round_id],
        ),
    )


async def fail_jobs_of(deps: Deps, tx: Transaction, member_id: str, reason: str) -> int:
    """Close every open job of a member that is gone; how many there were."""
    found = await open_jobs_of_member(tx, member_id)
    for job in found:
        await end_job(deps, tx, job, Ending(state="failed", reason=reason))
    return len(found)


async def _queue_wake_up(deps: Deps, tx: Transaction, room: Session, newest: Job) -> None:
    if await has_pending(tx, room.id, "wake_up"):
        return
    await add_input(
        tx,
        Input(
            id=deps.new_id(),
            session_id=room.id,
            kind="wake_up",
            position=room.seq,
            round_id=newest.round_id,
            created_at=tx.now,
            origin=newest.origin,
        ),
    )


async def _end_work(deps: Deps, tx: Transaction, job: Job, speaker: Speaker) -> str | None:
    """Close what the member had begun, or take its task out of the queue; its run ends after the commit.

    The id of the member's turn, if there was one.
    """
    side = await lock_session(tx, job.side_session_id)
    turn = await live_turn(tx, side.id)
    if turn is None or turn.job_id != job.id:
        await finish_task(tx, job)
        return None
    if turn.waiting_for:  # nothing of its last response has run, and no run of it will say so
        await close_history(tx, turn)
    status = "stopped" if job.state == "cancelled" else "failed"
    await finish_turn(deps, tx, side, turn, speaker=speaker, status=status, data={"reason": job.reason})
    turn_id = turn.id
    tx.after_commit(lambda: deps.runs.cancel(turn_id))
    return turn_id


async def finish_task(tx: Transaction, job: Job) -> None:
    """Take the job's task out of the member's queue."""
    await finish_input(tx, task_id(job), "cancelled")


def task_id(job: Job) -> str:
    """The id of the input that carries a job to its member."""
    return f"{job.id}:task"


async def _speaker_of(tx: Transaction, job: Job) -> Speaker:
    agent = await find_agent(tx, job.member_id)
    if agent is not None:
        return member_speaker(agent)
    return Speaker(id=job.member_id, name=job.member_name, role="member")
