"""Sessions: list, open, read, change, archive, delete."""

from datetime import datetime
from functools import partial
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from bridge.api.agents import chosen
from bridge.api.call import Body, Call, Page, Words
from bridge.api.cursor import pack, unpack
from bridge.api.errors import ApiError, param_invalid, refused_choice
from bridge.api.phase import Phase, phases
from bridge.api.routes import Routes
from bridge.shape import Shape
from host.permissions import Guest, Person, account
from host.values import Opening
from store.approvals import waiting_among
from store.database import Transaction
from store.jobs import is_busy
from store.sessions import (
    Session,
    change_session,
    delete_session,
    find_session,
    list_sessions,
    lock_session,
    set_status,
)

routes: Final = Routes("sessions")

Title = Annotated[Words, StringConstraints(strip_whitespace=True, max_length=200)]
CONSOLE: Final = "console"
INNER: Final = ("side", "peer")
"""Kinds of sessions in which experts work for others."""

ONE: Final = ("SESSION_NOT_FOUND",)
READING: Final = ("SESSION_NOT_FOUND", "FORBIDDEN")
RESTING: Final = ("SESSION_NOT_FOUND", "SESSION_BUSY")


class SessionShape(Shape):
    """A session. `phase` is what it does now; `seq` the number of its last event.

    `waiting_for` is "approval" while a person must decide, in a room also for a member, in a root for a child.
    """

    id: str
    agent_id: str
    kind: str
    app_id: str
    is_git: bool
    model_id: str | None
    title: str
    summary: str
    status: Literal["ACTIVE", "ARCHIVED"]
    session_key: str
    parent_id: str | None
    root_id: str | None
    path: str
    project_id: str
    workspace: str
    permission_level: str
    execution_mode: str
    memory_enabled: bool
    created_at: datetime
    updated_at: datetime
    seq: int
    phase: Phase
    waiting_for: str | None


class Listing(Shape):
    """Which sessions: of this agent, in this status; the newest first."""

    agent_id: Words | None = None
    status: Literal["ACTIVE", "ARCHIVED"] | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: Words = ""


class NewSession(Body):
    """A session to open with an agent: a room if it is a team."""

    agent_id: Words
    title: Title = ""
    model_id: Words | None = None
    project_id: Words = Field(default="", max_length=200)
    execution_mode: Literal["CLOUD", "LOCAL"] = "CLOUD"


class SessionChange(Body):
    """What to change; what is absent or null stays. `model_id` "" takes the session's own model away."""

    title: Title | None = None
    summary: Words | None = Field(default=None, max_length=4000)
    permission_level: Literal["default", "always_trust"] | None = None
    memory_enabled: bool | None = None
    model_id: Words | None = None
    agent_id: Words | None = None


@routes.add("GET", "/api/sessions", errors=("PARAM_INVALID",))
async def index(call: Call, query: Listing) -> Page[SessionShape]:
    """My sessions, newest first."""
    before = unpack("sessions", query.cursor)

    async def look(tx: Transaction) -> Page[SessionShape]:
        found = await list_sessions(
            tx,
            owner_id=call.user.id,
            agent_id=query.agent_id,
            status=query.status,
            limit=query.limit + 1,
            before=before,
        )
        rows = found[: query.limit]
        ids = [row.id for row in rows]
        now, waiting = await phases(tx, ids), await waiting_among(tx, ids)
        last = pack("sessions", rows[-1].updated_at, rows[-1].id) if len(found) > query.limit else None
        return Page(items=[_shape(row, now[row.id], waits=row.id in waiting) for row in rows], next=last)

    return await call.read(look)


@routes.add("POST", "/api/sessions", status=201, errors=("PARAM_INVALID", "AGENT_NOT_FOUND"))
async def create(call: Call, body: NewSession) -> SessionShape:
    """Open a session with an agent."""
    _check_model(call, body.model_id)
    opening = Opening(
        agent_id=body.agent_id,
        owner_id=call.user.id,
        principal=principal_of(call),
        app_id=CONSOLE,
        project_id=body.project_id,
        title=body.title,
        model_id=body.model_id,
        execution_mode=body.execution_mode,
    )

    async def work(tx: Transaction) -> Session:
        await chosen(call, tx, body.agent_id)
        return await call.parts.host.open_session(tx, opening)

    return _shape(await call.write(work), "IDLE")


@routes.add("GET", "/api/sessions/{id}", errors=ONE)
async def show(call: Call) -> SessionShape:
    """One session."""
    return await call.read(partial(_shown, call))


@routes.add("PATCH", "/api/sessions/{id}", errors=("PARAM_INVALID", "AGENT_NOT_FOUND", "SESSION_ARCHIVED", *ONE))
async def change(call: Call, body: SessionChange) -> SessionShape:
    """Change the title or the settings of a session, or the agent it goes on with from its next turn on."""
    _check_model(call, body.model_id or None)

    async def work(tx: Transaction) -> SessionShape:
        session = await own_session(call, tx, lock=True)
        if body.agent_id is not None:
            await call.parts.host.switch(tx, session.id, await chooser(call, tx, session), body.agent_id)
        others = body.model_dump(exclude_none=True, exclude={"agent_id"})
        if others or body.agent_id is None:  # a switch writes only the agent's column (S2)
            await change_session(tx, session, **others)
        return await _shown(call, tx)

    return await call.write(work)


@routes.add("POST", "/api/sessions/{id}/archive", errors=RESTING)
async def archive(call: Call) -> SessionShape:
    """Put a session away; it takes no input until it is restored."""
    return await call.write(partial(_move, call, "ARCHIVED"))


@routes.add("POST", "/api/sessions/{id}/restore", errors=RESTING)
async def restore(call: Call) -> SessionShape:
    """Take a session out of the archive."""
    return await call.write(partial(_move, call, "ACTIVE"))


@routes.add("DELETE", "/api/sessions/{id}", status=204, errors=RESTING)
async def delete(call: Call) -> None:
    """Delete a session: nobody finds it any more."""

    async def work(tx: Transaction) -> None:
        session = await _resting(call, tx)
        if session.kind in INNER:
            raise refused_choice("inner_session")
        await delete_session(tx, session)

    await call.write(work)


async def own_session(call: Call, tx: Transaction, *, lock: bool = False) -> Session:
    """The session of the path, if it belongs to the user (to look at: also one that works for a room of the user's).

    Raises ApiError: someone else's is not found either.
    """
    session = await find_session(tx, call.named("id"))
    if session is None:
        raise ApiError("SESSION_NOT_FOUND")
    if session.owner_id != call.user.id and (lock or not await _works_for(call, tx, session)):
        raise ApiError("SESSION_NOT_FOUND")
    return await lock_session(tx, session.id) if lock else session


async def read_session(call: Call, tx: Transaction) -> Session:
    """The session of the path, if the user may read what is said in it. Raises ApiError.

    What a borrowed expert does for a room is said to the room's owner; the expert's owner sees that it worked (T5).
    """
    session = await own_session(call, tx)
    if session.kind in INNER and not await _works_for(call, tx, session):
        raise ApiError("FORBIDDEN")
    return session


async def _works_for(call: Call, tx: Transaction, session: Session) -> bool:
    """Whether the conversation that the session descends from is the user's."""
    root = await find_session(tx, session.root_id) if session.kind in INNER and session.root_id else None
    return root is not None and root.owner_id == call.user.id


async def chooser(call: Call, tx: Transaction, session: Session) -> Person:
    """Who chooses an agent for the session: the user, or the people of the channel that it belongs to (X2)."""
    if session.app_id == CONSOLE:
        return await account(tx, call.user.id)
    return Guest(host_id=session.owner_id, agent_id=session.opened_with)


def principal_of(call: Call) -> str:
    return f"user:{call.user.id}"


async def _move(call: Call, status: str, tx: Transaction) -> SessionShape:
    await set_status(tx, await _resting(call, tx), status)
    return await _shown(call, tx)


async def _resting(call: Call, tx: Transaction) -> Session:
    session = await own_session(call, tx, lock=True)
    if await is_busy(tx, session.id):
        raise ApiError("SESSION_BUSY")
    return session


async def _shown(call: Call, tx: Transaction) -> SessionShape:
    session = await own_session(call, tx)
    waits = session.id in await waiting_among(tx, [session.id])
    return _shape(session, (await phases(tx, [session.id]))[session.id], waits=waits)


def _check_model(call: Call, model_id: str | None) -> None:
    if model_id is not None and model_id not in call.parts.models:
        raise param_invalid("model_id")


def _shape(session: Session, phase: Phase, *, waits: bool = False) -> SessionShape:
    columns = {name: getattr(session, name) for name in _COLUMNS}
    return SessionShape(**columns, phase=phase, waiting_for="approval" if waits else None)


_COLUMNS: Final = [name for name in SessionShape.model_fields if name not in ("phase", "waiting_for")]
