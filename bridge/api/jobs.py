"""Jobs: what the host of a room gave to its members."""

from datetime import datetime
from functools import partial
from typing import Final

from bridge.api.call import Call, Page
from bridge.api.errors import ApiError
from bridge.api.routes import Routes
from bridge.api.sessions import ONE, own_session
from bridge.shape import Shape
from store.database import Transaction
from store.jobs import Job, find_job, jobs_of_room
from store.sessions import find_session

routes: Final = Routes("jobs")


class JobShape(Shape):
    """One job. `state`: queued, running, done, failed, timed_out, cancelled; `reason` says why it was not done."""

    id: str
    session_id: str
    side_session_id: str
    turn_id: str
    agent_id: str
    name: str
    message: str
    state: str
    reason: str
    created_at: datetime
    started_at: datetime | None
    closed_at: datetime | None


@routes.add("GET", "/api/sessions/{id}/jobs", errors=ONE)
async def index(call: Call) -> Page[JobShape]:
    """The open and closed jobs of a room, newest first."""

    async def look(tx: Transaction) -> list[Job]:
        return await jobs_of_room(tx, (await own_session(call, tx)).id)

    return Page(items=[_shape(job) for job in await call.read(look)], next=None)


@routes.add("POST", "/api/jobs/{id}/cancel", status=202, errors=("NOT_FOUND",))
async def cancel(call: Call) -> JobShape:
    """Cancel a job of my room; its host is told."""
    return _shape(await call.write(partial(_cancel, call)))


async def _cancel(call: Call, tx: Transaction) -> Job:
    job = await find_job(tx, call.named("id"))
    room = None if job is None else await find_session(tx, job.room_id)
    if job is None or room is None or room.owner_id != call.user.id:
        raise ApiError("NOT_FOUND")
    return await call.parts.host.cancel_job(tx, job.id)


def _shape(job: Job) -> JobShape:
    return JobShape(
        id=job.id,
        session_id=job.room_id,
        side_session_id=job.side_session_id,
        turn_id=job.turn_id,
        agent_id=job.member_id,
        name=job.member_name,
        message=job.message,
        state=job.state,
        reason=job.reason,
        created_at=job.created_at,
        started_at=job.started_at,
        closed_at=job.closed_at,
    )
