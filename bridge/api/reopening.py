"""Reopening a session with another agent, and the hand-over note (S7)."""

from functools import partial
from typing import Final

from bridge.api.call import Body, Call, Words
from bridge.api.inputs import key_of
from bridge.api.routes import Routes
from bridge.api.sessions import chooser, own_session
from bridge.shape import Shape
from host.runtime import Reopened
from store.chats import rebind
from store.database import Transaction

routes: Final = Routes("sessions")


class Successor(Body):
    """The agent that takes over."""

    agent_id: Words


class ReopenedShape(Shape):
    """The new session, and the note for its first message; null if it could not be written."""

    session_id: str
    handover_note: str | None


@routes.add(
    "POST",
    "/api/sessions/{id}/reopen-with-agent",
    status=201,
    errors=(
        *("PARAM_INVALID", "SESSION_NOT_FOUND", "AGENT_NOT_FOUND"),
        *("SESSION_BUSY", "SESSION_ARCHIVED", "IDEMPOTENCY_CONFLICT"),
    ),
    headers=("Idempotency-Key",),
)
async def reopen(call: Call, body: Successor) -> ReopenedShape:
    """Go on with another agent in a new session; this one is archived and can be restored."""
    done = await call.write(partial(_reopen, call, body.agent_id))
    note = await call.parts.host.write_note(done)
    return ReopenedShape(session_id=done.fresh.id, handover_note=note)


async def _reopen(call: Call, agent_id: str, tx: Transaction) -> Reopened:
    session = await own_session(call, tx)
    person = await chooser(call, tx, session)
    done = await call.parts.host.reopen(tx, session.id, person, agent_id, key=key_of(call))
    await rebind(tx, session.id, done.fresh.id)
    return done
