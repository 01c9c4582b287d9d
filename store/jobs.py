"""Jobs: work the host gave to members."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Index, Text, UniqueConstraint, bindparam, exists, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Origin, Row
from store.database import Transaction
from store.inputs import WORK, Input
from store.prepared import Prepared
from store.sessions import Session
from store.turns import Turn, live_turn

OPEN = ("queued", "running")


class Job(Row):
    """One job. `state`: queued, running, done, failed, timed_out, cancelled; the first two are open.

    `call` is "<response number>.<position>": with the turn it identifies the tool call that made the job.
    `number` orders the jobs of one moment. A closed job is untaken until a host turn takes its result (`taken_by`).
    """

    __tablename__ = "jobs"
    __table_args__ = (
        UniqueConstraint("turn_id", "call"),
        Index("ix_jobs_member", "member_id", "state", "number"),
        Index("ix_jobs_room", "room_id", "state"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int]
    room_id: Mapped[str]
    member_id: Mapped[str]
    member_name: Mapped[str]
    side_session_id: Mapped[str]
    turn_id: Mapped[str]
    call: Mapped[str]
    round_id: Mapped[str] = mapped_column(index=True)
    created_at: Mapped[datetime]
    message: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(default="queued")
    reason: Mapped[str] = mapped_column(Text, default="")
    result: Mapped[str] = mapped_column(Text, default="")
    origin: Mapped[Origin | None] = mapped_column(default=None)
    started_at: Mapped[datetime | None] = mapped_column(default=None)
    closed_at: Mapped[datetime | None] = mapped_column(default=None)
    taken_by: Mapped[str | None] = mapped_column(default=None, index=True)


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A closed job that no ended turn has spoken about; `kept`: a stopped or failed turn took it before."""

    job: Job
    kept: bool


@dataclass(frozen=True, kw_only=True)
class Unsettled:
    """A room's jobs that are not over: queued and running ones, oldest first; and those nobody has spoken about."""

    open: list[Job]
    finished: list[Finished]


async def add_job(tx: Transaction, job: Job) -> Job:
    return await tx.add(job)


async def find_job(tx: Transaction, job_id: str) -> Job | None:
    return await tx.get(Job, job_id)


_OPEN_JOB: Prepared[Job] = Prepared(
    select(Job).where(Job.id == bindparam("job_id"), Job.state.in_(OPEN)).execution_options(populate_existing=True)
)


async def hold_job(tx: Transaction, job_id: str) -> Job | None:
    """The job as it is now, if it is still open; its room must be locked."""
    return await tx.row(_OPEN_JOB, job_id=job_id)


async def jobs_of_room(tx: Transaction, room_id: str, limit: int = 500) -> list[Job]:
    """The room's jobs, open and closed, newest first."""
    query = select(Job).where(Job.room_id == room_id).order_by(Job.created_at.desc(), Job.number.desc())
    return list(await tx.orm.scalars(query.limit(limit)))


_OPEN_IN_ROOM: Prepared[Job] = Prepared(
    select(Job).where(Job.room_id == bindparam("room_id"), Job.state.in_(OPEN)).order_by(Job.created_at, Job.number)
)


async def open_jobs(tx: Transaction, room_id: str) -> list[Job]:
    """The room's queued and running jobs, oldest first."""
    return await tx.rows(_OPEN_IN_ROOM, room_id=room_id)


async def open_job_of_side(tx: Transaction, side_session_id: str) -> Job | None:
    """What a member works on in this side session; a running job before a queued one."""
    query = select(Job).where(Job.side_session_id == side_session_id, Job.state.in_(OPEN))
    return (await tx.orm.scalars(query.order_by(Job.state.desc(), Job.created_at, Job.number).limit(1))).first()


async def open_jobs_of_member(tx: Transaction, member_id: str) -> list[Job]:
    """The member's queued and running jobs in every room: a running one first, then oldest first."""
    query = select(Job).where(Job.member_id == member_id, Job.state.in_(OPEN))
    return list(await tx.orm.scalars(query.order_by(Job.state.desc(), Job.created_at, Job.number)))


async def members_at_work(tx: Transaction, team_ids: Sequence[str]) -> dict[str, set[str]]:
    """Who has an open job for these teams: member ids by team; an idle team is left out."""
    query = select(Session.agent_id, Job.member_id).join(Session, Session.id == Job.room_id)
    query = query.where(Session.agent_id.in_(team_ids), Job.state.in_(OPEN)).distinct()
    found: dict[str, set[str]] = {}
    for team_id, member_id in await tx.orm.execute(query):
        found.setdefault(team_id, set()).add(member_id)
    return found


async def sessions_at_work(tx: Transaction, *, principal: str, session_keys: Sequence[str]) -> list[str]:
    """The sessions that this principal opened under one of these keys and in which a turn is live or a job open."""
    live = exists().where(Turn.session_id == Session.id, Turn.state == "live")
    has_job = exists().where(Job.room_id == Session.id, Job.state.in_(OPEN))
    query = select(Session.id).where(Session.principal == principal, Session.session_key.in_(session_keys))
    query = query.where(live | has_job).order_by(Session.created_at, Session.id)
    return list(await tx.orm.scalars(query))


_NEXT: Prepared[Job] = Prepared(
    select(Job)
    .where(
        Job.member_id == bindparam("member_id"),
        Job.state.in_(OPEN),
        ~exists().where(Turn.session_id == Job.side_session_id, Turn.state == "live", Turn.waiting_for == "approval"),
    )
    .order_by(Job.state.desc(), Job.created_at, Job.number)
    .limit(1)
)


async def next_job(tx: Transaction, member_id: str) -> Job | None:
    """What the member works on next: a job that a dead run left, else the oldest queued one.

    Where its turn waits for a person, nothing of that side session is next.
    """
    return await tx.row(_NEXT, member_id=member_id)


async def members_with_open_jobs(tx: Transaction) -> list[str]:
    return list(await tx.orm.scalars(select(Job.member_id).where(Job.state.in_(OPEN)).distinct()))


async def start_job(tx: Transaction, job: Job) -> None:
    job.state, job.started_at = "running", job.started_at or tx.now


async def close_job(tx: Transaction, job: Job, *, state: str, result: str = "", reason: str = "") -> None:
    """Close a held job as done, failed, timed_out or cancelled."""
    job.state, job.result, job.reason, job.closed_at = state, result, reason, tx.now


_FINISHED: Prepared[tuple[Job, str | None]] = Prepared(
    select(Job, Turn.id)
    .outerjoin(Turn, Turn.id == Job.taken_by)
    .where(
        Job.room_id == bindparam("room_id"),
        Job.state.not_in(OPEN),
        Job.taken_by.is_(None) | Turn.state.in_(("stopped", "failed")),
    )
    .order_by(Job.closed_at, Job.number)
)


async def finished_jobs(tx: Transaction, room_id: str) -> list[Finished]:
    """The room's results that the next host turn takes, oldest first."""
    return [Finished(job=job, kept=taker is not None) for job, taker in await tx.rows(_FINISHED, room_id=room_id)]


_UNSETTLED: Prepared[tuple[Job, str | None]] = Prepared(
    select(Job, Turn.id)
    .outerjoin(Turn, Turn.id == Job.taken_by)
    .where(
        Job.room_id == bindparam("room_id"),
        Job.state.in_(OPEN) | Job.taken_by.is_(None) | Turn.state.in_(("stopped", "failed")),
    )
    .order_by(Job.created_at, Job.number)
)


async def unsettled_jobs(tx: Transaction, room_id: str) -> Unsettled:
    """What the room's next host turn has to know, in one question: what is open, and what `finished_jobs` gives."""
    found = await tx.rows(_UNSETTLED, room_id=room_id)
    finished = [Finished(job=job, kept=taker is not None) for job, taker in found if job.state not in OPEN]
    finished.sort(key=lambda each: (each.job.closed_at or tx.now, each.job.number))
    return Unsettled(open=[job for job, _ in found if job.state in OPEN], finished=finished)


async def take_jobs(tx: Transaction, jobs: Sequence[Job], turn_id: str) -> None:
    """These results belong to this turn from now on, also after a resume."""
    if jobs:
        ids = [job.id for job in jobs]
        await tx.orm.execute(update(Job).where(Job.id.in_(ids)).values(taken_by=turn_id))


async def taken_jobs(tx: Transaction, turn_id: str) -> list[Job]:
    """The results that the turn took, in the order they came."""
    return await tx.rows(_TAKEN, turn_id=turn_id)


_TAKEN: Prepared[Job] = Prepared(
    select(Job).where(Job.taken_by == bindparam("turn_id")).order_by(Job.closed_at, Job.number)
)
_MADE: Prepared[Job] = Prepared(select(Job).where(Job.turn_id == bindparam("turn_id")).order_by(Job.number))


async def jobs_of_turn(tx: Transaction, turn_id: str) -> list[Job]:
    """The jobs that the turn's responses made."""
    return await tx.rows(_MADE, turn_id=turn_id)


_COUNT: Prepared[int] = Prepared(select(func.count()).select_from(Job).where(Job.round_id == bindparam("round_id")))


async def count_jobs(tx: Transaction, round_id: str) -> int:
    """How many jobs this round has made."""
    return await tx.row(_COUNT, round_id=round_id) or 0


async def count_open_jobs(tx: Transaction) -> dict[str, int]:
    """How many jobs are queued or running, by member."""
    query = select(Job.member_id, func.count()).where(Job.state.in_(OPEN)).group_by(Job.member_id)
    return {row[0]: row[1] for row in await tx.orm.execute(query)}


_UNQUIET: Prepared[str] = Prepared(
    select(Job.id).where(Job.room_id == bindparam("room_id"), Job.state.in_(OPEN) | Job.taken_by.is_(None)).limit(1)
)


async def is_quiet(tx: Transaction, room_id: str) -> bool:
    """No job of the room is open and none is untaken."""
    return await tx.row(_UNQUIET, room_id=room_id) is None


async def is_busy(tx: Transaction, session_id: str) -> bool:
    """A pending input, a live turn, an open or an untaken job: nothing may be archived, switched or reopened."""
    unfinished = Input.session_id == session_id, Input.state.in_(("pending", "claimed")), WORK
    waiting = select(Input.id).where(*unfinished).limit(1)
    if (await tx.orm.scalars(waiting)).first() is not None or await live_turn(tx, session_id) is not None:
        return True
    return not await is_quiet(tx, session_id)


async def round_is_over(tx: Transaction, round_id: str) -> bool:
    """The round's turns are over and none of its jobs is open or untaken; an unknown round is over."""
    unsettled = Job.state.in_(OPEN) | Job.taken_by.is_(None)
    if (await tx.orm.scalars(select(Job.id).where(Job.round_id == round_id, unsettled).limit(1))).first() is not None:
        return False
    waiting = select(Input.id).where(Input.round_id == round_id, Input.state.in_(("pending", "claimed"))).limit(1)
    if (await tx.orm.scalars(waiting)).first() is not None:
        return False
    root = await tx.orm.get(Input, round_id)
    turn = None if root is None else await live_turn(tx, root.session_id)
    return turn is None or round_id not in turn.rounds


async def rooms_with_untaken(tx: Transaction) -> list[str]:
    """Rooms that have results nobody has taken."""
    query = select(Job.room_id).where(Job.state.not_in(OPEN), Job.taken_by.is_(None)).distinct()
    return list(await tx.orm.scalars(query))


_AT_HAND: Prepared[Session] = Prepared(
    select(Session).where(
        Session.id == bindparam("session_id"),
        Session.deleted_at.is_(None),
        exists().where(Input.session_id == bindparam("session_id"), Input.state == "pending", WORK)
        | exists().where(
            Turn.session_id == bindparam("session_id"),
            Turn.state == "live",
            (Turn.waiting_for != "approval") | Turn.stopping,
        )
        | exists().where(Job.room_id == bindparam("session_id"), Job.state.not_in(OPEN), Job.taken_by.is_(None)),
    )
)


async def session_with_work(tx: Transaction, session_id: str) -> Session | None:
    """The session, if it has a pending input, a turn that was left, or a result nobody has taken.

    A glance before anything is locked.
    """
    return await tx.row(_AT_HAND, session_id=session_id)
