"""Approvals: what waits for a decision in a session, and deciding it."""

from datetime import datetime
from typing import Final, Literal

from bridge.api.call import Body, Call, Page
from bridge.api.errors import ApiError
from bridge.api.routes import Routes
from bridge.api.sessions import READING, own_session, principal_of, read_session
from bridge.shape import Shape
from host.approvals.policy import Decider, may_decide
from store.approvals import Approval, find_approval, open_of_session
from store.database import Transaction
from store.sessions import find_session

routes: Final = Routes("approvals")


class ApprovalShape(Shape):
    """One tool call that asks. `session_id` is where it waits, `room_id` where people are asked.

    `state`: open, once, session, denied, timed_out, dropped (its turn ended otherwise). `arguments` is the call in
    words, one argument a line. Nobody answers until `due_at`: then it is timed_out.
    """

    id: str
    session_id: str
    room_id: str
    turn_id: str
    agent_id: str
    name: str
    tool: str
    arguments: str
    state: Literal["open", "once", "session", "denied", "timed_out", "dropped"]
    asked_at: datetime
    due_at: datetime
    decided_at: datetime | None
    decided_by: str


class Answer(Body):
    """Allow it this once, allow the tool for the whole session, or deny it."""

    decision: Literal["once", "session", "deny"]


@routes.add("GET", "/api/sessions/{id}/approvals", errors=READING)
async def index(call: Call) -> Page[ApprovalShape]:
    """What waits for a decision in a session; in a room also for its members, in a root for its children."""

    async def look(tx: Transaction) -> list[Approval]:
        return await open_of_session(tx, (await read_session(call, tx)).id)

    return Page(items=[_shape(each) for each in await call.read(look)], next=None)


@routes.add("POST", "/api/sessions/{id}/approvals/{approval_id}", errors=("PARAM_INVALID", "NOT_FOUND", *READING))
async def decide(call: Call, body: Answer) -> ApprovalShape:
    """Decide about a tool call, once: whoever comes second gets what was decided."""

    async def work(tx: Transaction) -> Approval:
        approval = await _named(call, tx)
        room = await find_session(tx, approval.room_id)
        mine = Decider(principal=principal_of(call), is_owner=room is not None and room.owner_id == call.user.id)
        if room is None or not may_decide(room.principal, mine):
            raise ApiError("FORBIDDEN")
        return (await call.parts.host.decide(tx, approval.id, body.decision, by=principal_of(call))).approval

    return _shape(await call.write(work))


async def _named(call: Call, tx: Transaction) -> Approval:
    """The approval of the path, in the session of the path. Raises ApiError."""
    session = await own_session(call, tx)
    approval = await find_approval(tx, call.named("approval_id"))
    if approval is None or session.id not in (approval.session_id, approval.room_id):
        raise ApiError("NOT_FOUND")
    return approval


def _shape(approval: Approval) -> ApprovalShape:
    columns = {name: getattr(approval, name) for name in _COLUMNS}
    asker = approval.speaker
    return ApprovalShape(
        **columns, agent_id=asker.id if asker is not None else "", name=asker.name if asker is not None else ""
    )


_COLUMNS: Final = [name for name in ApprovalShape.model_fields if name not in ("agent_id", "name")]
