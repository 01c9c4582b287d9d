"""Sessions: independent contexts, each with its own input queue and its own event numbers."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, Text, UniqueConstraint, bindparam, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.errors import NotFound
from store.prepared import Prepared


class Session(Row):
    """One session.

    `kind` is room (a team's), direct (an expert's own chat), side (a member at work for a room), peer (a colleague
    answering inside another run) or child. `principal` is "user:<id>", "person:<id>" or "chat:<channel>:<chat>".
    `app_id` is "console" or a channel id. `seq` is the number of the last event, `published` of the last one
    that became deliveries. `opened_with` is the agent it was opened with, whatever it was switched to since;
    `handover_note` stands in a session that was reopened with another agent. A child has a `name`, unique below its
    parent, and its `frozen` configuration: {} means all defaults, never "read the agent again". On a root, `paused`
    holds back every queue of its tree. `digest` stands for what was said up to the turn `digested`.
    """

    __tablename__ = "sessions"
    __table_args__ = (
        Index("ix_sessions_listing", "owner_id", "updated_at"),
        Index("ix_sessions_directory", "principal", "app_id", "updated_at"),
        UniqueConstraint("parent_id", "name"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    agent_id: Mapped[str] = mapped_column(index=True)
    owner_id: Mapped[str]
    principal: Mapped[str]
    app_id: Mapped[str]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    title: Mapped[str] = mapped_column(default="")
    summary: Mapped[str] = mapped_column(Text, default="")
    session_key: Mapped[str] = mapped_column(default="", index=True)
    status: Mapped[str] = mapped_column(default="ACTIVE")
    parent_id: Mapped[str | None] = mapped_column(default=None, index=True)
    root_id: Mapped[str | None] = mapped_column(default=None, index=True)
    path: Mapped[str] = mapped_column(Text, default="/root")
    name: Mapped[str | None] = mapped_column(default=None)
    frozen: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), default=None)
    paused: Mapped[bool] = mapped_column(default=False)
    digest: Mapped[str] = mapped_column(Text, default="")
    digested: Mapped[str] = mapped_column(default="")
    project_id: Mapped[str] = mapped_column(default="")
    workspace: Mapped[str] = mapped_column(default="")
    model_id: Mapped[str | None] = mapped_column(default=None)
    permission_level: Mapped[str] = mapped_column(default="default")
    execution_mode: Mapped[str] = mapped_column(default="CLOUD")
    is_git: Mapped[bool] = mapped_column(default=False)
    memory_enabled: Mapped[bool] = mapped_column(default=True)
    opened_with: Mapped[str] = mapped_column(default="")
    handover_note: Mapped[str | None] = mapped_column(Text, default=None)
    seq: Mapped[int] = mapped_column(default=0)
    published: Mapped[int] = mapped_column(default=0)
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)


async def add_session(tx: Transaction, session: Session) -> Session:
    return await tx.add(session)


async def find_session(tx: Transaction, session_id: str) -> Session | None:
    """The session, unless it is unknown or deleted."""
    found = await tx.get(Session, session_id)
    return found if found is not None and found.deleted_at is None else None


_LOCK: Prepared[Session] = Prepared(
    select(Session)
    .where(Session.id == bindparam("session_id"))
    .with_for_update()
    .execution_options(populate_existing=True)
)


async def lock_session(tx: Transaction, session_id: str) -> Session:
    """The session, held by this transaction until it ends; lock a room before its side sessions.

    Raises NotFound.
    """
    held = tx.locked.get(session_id)
    if isinstance(held, Session):
        return held
    found = await tx.row(_LOCK, session_id=session_id)
    if found is None:
        raise NotFound(session_id)
    tx.locked[session_id] = found
    return found


async def next_seq(tx: Transaction, session: Session, *, posted: bool) -> int:
    """The next event number of a locked session. What is posted nowhere needs no publisher: the cursor moves along."""
    if not posted and session.published == session.seq:
        session.published += 1
    session.seq += 1
    session.updated_at = tx.now
    return session.seq


async def move_cursor(session: Session, published: int) -> None:
    """The events of a locked session up to this number have become deliveries."""
    session.published = published


async def change_session(
    tx: Transaction,
    session: Session,
    *,
    title: str | None = None,
    summary: str | None = None,
    permission_level: str | None = None,
    memory_enabled: bool | None = None,
    model_id: str | None = None,
) -> None:
    """Change what is given of a locked session; None leaves it as it is, a `model_id` "" takes its own model away."""
    session.title = session.title if title is None else title
    session.summary = session.summary if summary is None else summary
    session.permission_level = permission_level or session.permission_level
    session.memory_enabled = session.memory_enabled if memory_enabled is None else memory_enabled
    session.model_id = session.model_id if model_id is None else model_id or None
    session.updated_at = tx.now


async def set_status(tx: Transaction, session: Session, status: str) -> None:
    """Move a locked session to ACTIVE or ARCHIVED."""
    session.status, session.updated_at = status, tx.now


async def delete_session(tx: Transaction, session: Session) -> None:
    """Hide a locked session for good; its rows stay."""
    session.deleted_at = tx.now


async def list_sessions(
    tx: Transaction,
    *,
    owner_id: str,
    limit: int,
    before: tuple[datetime, str] | None = None,
    agent_id: str | None = None,
    status: str | None = None,
) -> list[Session]:
    """One owner's sessions, newest first; `before` is the (updated_at, id) of the last row already seen."""
    query = select(Session).where(Session.owner_id == owner_id, Session.deleted_at.is_(None))
    if agent_id is not None:
        query = query.where(Session.agent_id == agent_id)
    if status is not None:
        query = query.where(Session.status == status)
    if before is not None:
        at, last = before
        query = query.where((Session.updated_at < at) | ((Session.updated_at == at) & (Session.id < last)))
    query = query.order_by(Session.updated_at.desc(), Session.id.desc()).limit(limit)
    return list(await tx.orm.scalars(query))


async def unpublished_sessions(tx: Transaction) -> list[str]:
    """Sessions with events that the publisher has not seen."""
    return list(await tx.orm.scalars(select(Session.id).where(Session.seq > Session.published)))


async def switch_agent(tx: Transaction, session: Session, agent_id: str) -> None:
    """A locked session goes on with another agent from its next turn on; nothing else of it changes (S2)."""
    await tx.orm.execute(update(Session).where(Session.id == session.id).values(agent_id=agent_id))


async def keep_note(tx: Transaction, session_id: str, note: str) -> None:
    await tx.orm.execute(update(Session).where(Session.id == session_id).values(handover_note=note))


async def keep_digest(tx: Transaction, session_id: str, until: str, text: str) -> None:
    """From now on the session's turns up to this one are remembered as `text`."""
    await tx.orm.execute(update(Session).where(Session.id == session_id).values(digest=text, digested=until))


async def name_session(tx: Transaction, session_id: str, title: str) -> None:
    """Give the session its title, unless it has one by now."""
    await tx.orm.execute(update(Session).where(Session.id == session_id, Session.title == "").values(title=title))


async def revive_session(tx: Transaction, session_id: str) -> Session | None:
    """The session whose id is derived from others, locked; one that somebody deleted is there again.

    None if there has never been one.
    """
    try:
        session = await lock_session(tx, session_id)
    except NotFound:
        return None
    session.deleted_at = None
    return session
