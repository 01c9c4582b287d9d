"""Inputs: a session's durable queue of work. Receipts: the fact that a key was already accepted."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Index, Text, UniqueConstraint, bindparam, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Origin, Row, Speaker, table, unique_where
from store.database import Transaction
from store.prepared import Prepared


class Input(Row):
    """One input; `state`: pending, claimed, done, cancelled.

    `kind`: user, wake_up, task (a job), ask (a colleague), coop (work from another session), message (words from
    another session: no work of its own, the session's next turn takes them along). `position` orders a session's
    inputs; `round_id` is the user input that everything of this round descends from.
    """

    __tablename__ = "inputs"
    __table_args__ = (
        Index("ix_inputs_queue", "session_id", "state", "position"),
        unique_where("uq_inputs_one_wake_up", "session_id", "kind = 'wake_up' AND state = 'pending'"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str]
    kind: Mapped[str]
    position: Mapped[int]
    round_id: Mapped[str] = mapped_column(index=True)
    created_at: Mapped[datetime]
    text: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(default="pending")
    sender: Mapped[Speaker | None] = mapped_column(default=None)
    origin: Mapped[Origin | None] = mapped_column(default=None)
    job_id: Mapped[str | None] = mapped_column(default=None)
    turn_id: Mapped[str | None] = mapped_column(default=None)
    data: Mapped[dict[str, Any]] = mapped_column(default=dict)


class Receipt(Row):
    """The proof that `key` was accepted in `scope`, with what came of it.

    `scope` is a session's id, or "turn:<id>" for what a turn's tool calls did; their `result` is what they returned.
    """

    __tablename__ = "receipts"
    __table_args__ = (UniqueConstraint("scope", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    scope: Mapped[str]
    key: Mapped[str]
    digest: Mapped[str]
    input_id: Mapped[str]
    created_at: Mapped[datetime]
    result: Mapped[dict[str, Any]] = mapped_column(default=dict)


WORK = Input.kind != "message"
"""What makes a turn; a message waits for one."""


async def add_input(tx: Transaction, added: Input) -> Input:
    """Queue the input. Its session must be locked."""
    return await tx.add(added)


async def find_input(tx: Transaction, input_id: str) -> Input | None:
    return await tx.get(Input, input_id)


_NEXT: Prepared[Input] = Prepared(
    select(Input)
    .where(Input.session_id == bindparam("session_id"), Input.state == "pending", WORK)
    .order_by(Input.position, Input.created_at, Input.id)
    .limit(1)
)


async def next_input(tx: Transaction, session_id: str) -> Input | None:
    """The session's oldest pending input."""
    return await tx.row(_NEXT, session_id=session_id)


_KINDS: Prepared[str] = Prepared(
    select(Input.kind).where(Input.session_id == bindparam("session_id"), Input.state == "pending").distinct()
)


async def has_pending(tx: Transaction, session_id: str, kind: str | None = None) -> bool:
    """Whether an input (of this kind) waits in the session's queue."""
    kinds = await tx.rows(_KINDS, session_id=session_id)
    return bool(kinds) if kind is None else kind in kinds


async def pending_among(tx: Transaction, session_ids: Sequence[str]) -> set[str]:
    """Those of these sessions in whose queue an input waits."""
    waiting = Input.session_id.in_(session_ids), Input.state == "pending", WORK
    query = select(Input.session_id).where(*waiting).distinct()
    return set(await tx.orm.scalars(query))


_OPEN = ("pending", "claimed")
_INPUTS = table(Input).c
_FINISH: Prepared[Any] = Prepared(
    update(table(Input))
    .where(_INPUTS.id == bindparam("input_id"), _INPUTS.state.in_(_OPEN))
    .values(state=bindparam("ending"))
)


async def finish_input(tx: Transaction, input_id: str, state: str = "done") -> None:
    """Take the input out of the queue for good; `state` is done or cancelled. Its session must be locked."""
    known = await tx.in_hand(Input, input_id)
    if known is None:
        await tx.rows(_FINISH, input_id=input_id, ending=state)
    elif known.state in _OPEN:
        known.state = state


async def answer_input(tx: Transaction, input_id: str, data: dict[str, Any]) -> None:
    """Keep the answer of a synchronous ask beside its input, and finish it."""
    await tx.orm.execute(update(Input).where(Input.id == input_id).values(state="done", data=data))


async def sessions_with_pending(tx: Transaction) -> list[str]:
    """Sessions whose own lane has an input to take (members' tasks are found through their jobs)."""
    own = Input.state == "pending", Input.kind.in_(("user", "wake_up", "coop"))
    query = select(Input.session_id).where(*own).distinct()
    return list(await tx.orm.scalars(query))


_RECEIPT: Prepared[Receipt] = Prepared(
    select(Receipt).where(Receipt.scope == bindparam("scope"), Receipt.key == bindparam("key"))
)


async def find_receipt(tx: Transaction, scope: str, key: str) -> Receipt | None:
    return await tx.row(_RECEIPT, scope=scope, key=key)


async def add_receipt(
    tx: Transaction, *, scope: str, key: str, digest: str, input_id: str, result: dict[str, Any] | None = None
) -> None:
    proof = {"scope": scope, "key": key, "digest": digest, "input_id": input_id}
    await tx.add(Receipt(**proof, created_at=tx.now, result=result or {}))


async def claim_input(tx: Transaction, claimed: Input, turn_id: str) -> None:
    """This turn works on the input from now on."""
    claimed.state, claimed.turn_id = "claimed", turn_id


async def pending_inputs(tx: Transaction, session_id: str) -> list[Input]:
    """What people said and nobody has taken up yet, in order."""
    query = select(Input).where(Input.session_id == session_id, Input.state == "pending", Input.kind == "user")
    return list(await tx.orm.scalars(query.order_by(Input.position)))


_MESSAGES: Prepared[Input] = Prepared(
    select(Input)
    .where(Input.session_id == bindparam("session_id"), Input.state == "pending", Input.kind == "message")
    .order_by(Input.position, Input.created_at, Input.id)
)


async def take_messages(tx: Transaction, session_id: str) -> list[Input]:
    """What other sessions said to this one since its last turn, oldest first; from now on it has been taken."""
    found = await tx.rows(_MESSAGES, session_id=session_id)
    for each in found:
        each.state = "done"
    return found


async def find_inputs(tx: Transaction, ids: Sequence[str]) -> dict[str, Input]:
    """The inputs of `ids` that exist, by id."""
    return {row.id: row for row in await tx.orm.scalars(select(Input).where(Input.id.in_(ids)))}
