"""Turns: one round of work of a session. Checkpoints: what the model said and was told, response by response."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, LargeBinary, Text, bindparam, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Origin, Row, unique_where
from store.database import Transaction
from store.errors import Lost
from store.prepared import Prepared


class Turn(Row):
    """One turn. `state`: live, completed, stopped, failed.

    `run` names the execution segment that owns it now (a resume is a new run); a write of an older run changes
    nothing. `attempts` counts runs that died without new durable progress (parking never counts); `spent` is the
    running time of earlier runs, in seconds. `rounds` are the rounds whose results this turn speaks about, the
    origin's own first. `frozen` is the configuration that a live turn of an expert works with: what its children
    inherit, whatever is changed meanwhile. `waiting_for` is "approval" while the turn waits for a person: no run owns
    it then, and none of the tools of its last response has begun. From the decision until a run begins with them it is
    "decided".
    """

    __tablename__ = "turns"
    __table_args__ = (
        unique_where("uq_turns_one_live", "session_id", "state = 'live'"),
        Index("ix_turns_session", "session_id", "started_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str]
    input_id: Mapped[str] = mapped_column(index=True)
    agent_id: Mapped[str]
    kind: Mapped[str]
    round_id: Mapped[str] = mapped_column(index=True)
    rounds: Mapped[list[str]]
    prompt: Mapped[str] = mapped_column(Text)
    started_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(default="live")
    run: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0)
    parked: Mapped[bool] = mapped_column(default=False)
    stopping: Mapped[bool] = mapped_column(default=False)
    progress: Mapped[int] = mapped_column(default=0)
    progress_at_claim: Mapped[int] = mapped_column(default=0)
    responses: Mapped[int] = mapped_column(default=0)
    tool_calls: Mapped[int] = mapped_column(default=0)
    took_results: Mapped[bool] = mapped_column(default=False)
    spent: Mapped[float] = mapped_column(default=0.0)
    job_id: Mapped[str | None] = mapped_column(default=None, index=True)
    origin: Mapped[Origin | None] = mapped_column(default=None)
    frozen: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), default=None)
    waiting_for: Mapped[str] = mapped_column(default="", server_default="")
    ended_at: Mapped[datetime | None] = mapped_column(default=None)


class Checkpoint(Row):
    """The messages that one step of a turn added, as pydantic-ai's JSON; those of ended turns are the history."""

    __tablename__ = "checkpoints"

    turn_id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(index=True)
    messages: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


HISTORY_TURNS = 40
"""How many ended turns of a session a model is shown again."""


async def add_turn(tx: Transaction, turn: Turn) -> Turn:
    """Begin a turn. Its session must be locked."""
    return await tx.add(turn)


_LIVE: Prepared[Turn] = Prepared(select(Turn).where(Turn.session_id == bindparam("session_id"), Turn.state == "live"))


async def live_turn(tx: Transaction, session_id: str) -> Turn | None:
    """The session's turn that has not ended."""
    return await tx.row(_LIVE, session_id=session_id)


async def live_among(tx: Transaction, session_ids: Sequence[str]) -> list[Turn]:
    """The live turns of these sessions."""
    return list(await tx.orm.scalars(select(Turn).where(Turn.session_id.in_(session_ids), Turn.state == "live")))


async def live_turns(tx: Transaction) -> list[Turn]:
    """Every turn that has not ended, in any session."""
    return list(await tx.orm.scalars(select(Turn).where(Turn.state == "live")))


_HELD: Prepared[Turn] = Prepared(
    select(Turn)
    .where(Turn.id == bindparam("turn_id"), Turn.run == bindparam("run"), Turn.state == "live")
    .execution_options(populate_existing=True)
)


async def hold_turn(tx: Transaction, turn_id: str, run: str) -> Turn:
    """The live turn, if `run` still owns it; its session must be locked. Raises Lost."""
    found = await tx.row(_HELD, turn_id=turn_id, run=run)
    if found is None:
        raise Lost(turn_id)
    return found


async def take_over(tx: Transaction, turn: Turn, run: str) -> Turn:
    """A new run owns the turn. If the last one died (was not parked) without progress, that counts as an attempt."""
    if not turn.parked and turn.progress == turn.progress_at_claim:
        turn.attempts += 1
    turn.run, turn.parked, turn.progress_at_claim = run, False, turn.progress
    return turn


async def ask_to_stop(tx: Transaction, turn: Turn) -> None:
    turn.stopping = True


_STOPPING: Prepared[bool] = Prepared(select(Turn.stopping).where(Turn.id == bindparam("turn_id")))


async def is_stopping(tx: Transaction, turn_id: str) -> bool:
    """Whether somebody asked for the turn's end."""
    return await tx.row(_STOPPING, turn_id=turn_id) is True


async def park_turn(tx: Transaction, turn: Turn, spent: float) -> None:
    """The program ends: the turn goes on at the next start, nobody is to blame."""
    turn.parked, turn.spent = True, spent


async def wait_for_approval(tx: Transaction, turn: Turn) -> None:
    """Nobody works on the turn until people have decided: what its run may still write comes too late."""
    turn.waiting_for, turn.run = "approval", ""


async def approval_came(tx: Transaction, turn: Turn) -> None:
    """Everything is decided: the turn goes on with its next run."""
    turn.waiting_for = "decided"


async def begin_tools(tx: Transaction, turn: Turn) -> None:
    """From now on a crash may cut the tools that were decided about. The turn must be held."""
    turn.waiting_for = ""


async def end_turn(tx: Transaction, turn: Turn, state: str) -> None:
    """Close the turn as completed, stopped or failed."""
    turn.state, turn.ended_at, turn.frozen, turn.waiting_for = state, tx.now, None, ""


async def add_checkpoint(tx: Transaction, turn: Turn, messages: bytes, *, spent: float | None = None) -> None:
    """Durable progress: what the last step added to the turn's messages. The turn must be held."""
    turn.progress += 1
    turn.spent = turn.spent if spent is None else spent
    added = Checkpoint(
        turn_id=turn.id, number=turn.progress, session_id=turn.session_id, messages=messages, created_at=tx.now
    )
    await tx.add(added)


async def count_response(tx: Transaction, turn: Turn, calls: int) -> None:
    turn.responses, turn.tool_calls = turn.responses + 1, turn.tool_calls + calls


_CHECKPOINTS: Prepared[bytes] = Prepared(
    select(Checkpoint.messages).where(Checkpoint.turn_id == bindparam("turn_id")).order_by(Checkpoint.number)
)


async def checkpoints(tx: Transaction, turn_id: str) -> list[bytes]:
    """The turn's own messages so far, step by step."""
    return await tx.rows(_CHECKPOINTS, turn_id=turn_id)


_ENDED = (
    select(Turn.id)
    .where(Turn.session_id == bindparam("session_id"), Turn.state != "live")
    .order_by(Turn.started_at.desc(), Turn.id.desc())
    .limit(HISTORY_TURNS)
    .subquery()
)
_HISTORY: Prepared[tuple[str, bytes]] = Prepared(
    select(Checkpoint.turn_id, Checkpoint.messages)
    .join(Turn, Turn.id == Checkpoint.turn_id)
    .where(Turn.id.in_(select(_ENDED.c.id)))
    .order_by(Turn.started_at, Turn.id, Checkpoint.number)
)


@dataclass(frozen=True, slots=True)
class Said:
    """The messages of one step of a turn that is over."""

    turn_id: str
    messages: bytes


async def history(tx: Transaction, session_id: str) -> list[Said]:
    """The steps of the session's newest ended turns, oldest first."""
    return [Said(*row) for row in await tx.rows(_HISTORY, session_id=session_id)]


_COUNT: Prepared[int] = Prepared(
    select(func.count())
    .select_from(Turn)
    .where(Turn.session_id == bindparam("session_id"), Turn.round_id == bindparam("round_id"))
)


async def count_turns(tx: Transaction, session_id: str, round_id: str) -> int:
    """How many turns of the session this round has had."""
    return await tx.row(_COUNT, session_id=session_id, round_id=round_id) or 0


async def forget_runs(tx: Transaction) -> None:
    """No process but ours works here: whatever still claims a live turn is dead (called once, at start)."""
    await tx.orm.execute(update(Turn).where(Turn.state == "live").values(run=""))


async def last_progress(tx: Transaction, turn_id: str) -> datetime | None:
    """When the turn's last step became durable: while tools run, that is the response that called them."""
    query = select(Checkpoint.created_at).where(Checkpoint.turn_id == turn_id)
    return (await tx.orm.scalars(query.order_by(Checkpoint.number.desc()).limit(1))).first()


async def find_turn(tx: Transaction, turn_id: str) -> Turn | None:
    return await tx.get(Turn, turn_id)


async def find_turns(tx: Transaction, ids: Sequence[str]) -> dict[str, Turn]:
    """The turns of `ids` that exist, by id."""
    return {row.id: row for row in await tx.orm.scalars(select(Turn).where(Turn.id.in_(ids)))}


async def newest_turns(
    tx: Transaction, session_ids: Sequence[str], each: int = 1, *, ended: bool = False
) -> list[Turn]:
    """The newest `each` turns (of those that are over) of every one of these sessions, newest first."""
    newest = (Turn.started_at.desc(), Turn.id.desc())
    place = func.row_number().over(partition_by=Turn.session_id, order_by=newest).label("place")
    known = Turn.session_id.in_(session_ids), *((Turn.state != "live",) if ended else ())
    ranked = select(Turn.id, place).where(*known).subquery()
    query = select(Turn).join(ranked, ranked.c.id == Turn.id).where(ranked.c.place <= each)
    return list(await tx.orm.scalars(query.order_by(*newest)))


async def count_ended(tx: Transaction, session_ids: Sequence[str]) -> int:
    """How many turns of these sessions are over."""
    query = select(func.count()).select_from(Turn).where(Turn.session_id.in_(session_ids), Turn.state != "live")
    return (await tx.orm.scalar(query)) or 0
