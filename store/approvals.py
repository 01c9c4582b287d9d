"""Approvals: tool calls that wait until a person has decided. Grants: what a session may do without asking again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Index, Text, UniqueConstraint, bindparam, select
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Origin, Row, Speaker
from store.database import Transaction
from store.prepared import Prepared
from store.sessions import Session


class Approval(Row):
    """One call of a turn that asks first.

    `state`: open, once, session, denied, timed_out, dropped (its turn ended otherwise). `id` is short: people type it.
    `tool` is the tool's full name, `arguments` what it would be called with, in words for people. `room_id` is the
    session where the round takes place and the question is shown; `origin` the chat that it is asked in. `speaker` is
    who wants to call the tool, `event_id` the question's event in the room.
    """

    __tablename__ = "approvals"
    __table_args__ = (
        UniqueConstraint("turn_id", "call_id"),
        Index("ix_approvals_session", "session_id", "state"),
        Index("ix_approvals_room", "room_id", "state"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str]
    room_id: Mapped[str]
    turn_id: Mapped[str]
    call_id: Mapped[str]
    tool: Mapped[str]
    asked_at: Mapped[datetime]
    due_at: Mapped[datetime] = mapped_column(index=True)
    arguments: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(default="open")
    speaker: Mapped[Speaker | None] = mapped_column(default=None)
    origin: Mapped[Origin | None] = mapped_column(default=None)
    event_id: Mapped[str] = mapped_column(default="", server_default="")
    decided_by: Mapped[str] = mapped_column(default="")
    decided_at: Mapped[datetime | None] = mapped_column(default=None)


class Grant(Row):
    """The session may use this tool without asking. It belongs to the session and survives a switch."""

    __tablename__ = "grants"

    session_id: Mapped[str] = mapped_column(primary_key=True)
    tool: Mapped[str] = mapped_column(primary_key=True)
    granted_by: Mapped[str]
    granted_at: Mapped[datetime]


REFUSED: Final = ("denied", "timed_out")


async def add_approval(tx: Transaction, approval: Approval) -> Approval:
    """Ask. The room and the session must be locked."""
    return await tx.add(approval)


async def find_approval(tx: Transaction, approval_id: str) -> Approval | None:
    return await tx.get(Approval, approval_id)


async def hold_approval(tx: Transaction, approval_id: str) -> Approval | None:
    """The approval as it is now; its room must be locked."""
    query = select(Approval).where(Approval.id == approval_id).execution_options(populate_existing=True)
    return (await tx.orm.scalars(query)).one_or_none()


async def approval_of_call(tx: Transaction, turn_id: str, call_id: str) -> Approval | None:
    """What was asked about this call, if anything was."""
    query = select(Approval).where(Approval.turn_id == turn_id, Approval.call_id == call_id)
    return (await tx.orm.scalars(query)).one_or_none()


async def open_of_turn(tx: Transaction, turn_id: str) -> list[Approval]:
    """What the turn still waits for."""
    query = select(Approval).where(Approval.turn_id == turn_id, Approval.state == "open")
    return list(await tx.orm.scalars(query.order_by(Approval.asked_at, Approval.id)))


async def open_of_session(tx: Transaction, session_id: str) -> list[Approval]:
    """What waits in the session, and (in a room or a root) for those who work for it; oldest first."""
    here = (Approval.session_id == session_id) | (Approval.room_id == session_id)
    query = select(Approval).where(here, Approval.state == "open")
    return list(await tx.orm.scalars(query.order_by(Approval.asked_at, Approval.id)))


async def open_of_app(tx: Transaction, app_id: str) -> list[Approval]:
    """Everything that waits in the sessions of this channel, oldest first."""
    query = select(Approval).join(Session, Session.id == Approval.room_id)
    query = query.where(Session.app_id == app_id, Approval.state == "open")
    return list(await tx.orm.scalars(query.order_by(Approval.asked_at, Approval.id)))


async def waiting_among(tx: Transaction, session_ids: Sequence[str]) -> set[str]:
    """Those of these sessions in which something waits to be decided, also for others who work for them."""
    query = select(Approval.session_id, Approval.room_id).where(
        Approval.state == "open", Approval.session_id.in_(session_ids) | Approval.room_id.in_(session_ids)
    )
    return {each for row in await tx.orm.execute(query) for each in row} & set(session_ids)


async def turns_asking(tx: Transaction) -> list[str]:
    """Every turn that waits for a decision."""
    return list(await tx.orm.scalars(select(Approval.turn_id).where(Approval.state == "open").distinct()))


_REFUSED: Prepared[tuple[str, str]] = Prepared(
    select(Approval.call_id, Approval.state).where(
        Approval.turn_id == bindparam("turn_id"), Approval.state.in_(REFUSED)
    )
)


async def refused_calls(tx: Transaction, turn_id: str) -> dict[str, str]:
    """The calls of the turn that may not run: their ids, and whether they were denied or timed_out."""
    return dict(await tx.rows(_REFUSED, turn_id=turn_id))


async def settle(tx: Transaction, approval: Approval, state: str, by: str = "") -> None:
    """An open approval is open no more. Its room must be locked."""
    approval.state, approval.decided_by, approval.decided_at = state, by, tx.now


async def add_grant(tx: Transaction, session_id: str, tool: str, by: str) -> None:
    """The session may use the tool without asking from now on. It must be locked."""
    if await tx.get(Grant, session_id, tool) is None:
        await tx.add(Grant(session_id=session_id, tool=tool, granted_by=by, granted_at=tx.now))


async def granted_tools(tx: Transaction, session_ids: Sequence[str]) -> set[str]:
    """What any of these sessions may use without asking."""
    return set(await tx.orm.scalars(select(Grant.tool).where(Grant.session_id.in_(session_ids))))
