"""The life of a turn: begin, go on after a break, end. Everything here happens in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from host.approvals.deciding import drop
from host.deps import Deps
from host.events import Said
from host.titles import writes_titles
from store.base import Origin, Speaker
from store.database import Transaction
from store.inputs import Input, claim_input, finish_input
from store.sessions import Session
from store.turns import Turn, add_turn, end_turn, take_over

MAX_ATTEMPTS = 3
"""Runs of one turn that may die without new durable progress."""


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What a new turn starts from; `rounds` begins with the round of its origin."""

    taken: Input
    agent_id: str
    speaker: Speaker
    prompt: str
    rounds: Sequence[str]
    origin: Origin | None
    took_results: bool = False
    frozen: dict[str, Any] | None = None


async def begin_turn(deps: Deps, tx: Transaction, session: Session, beginning: Beginning) -> Turn:
    """Claim the input and start its turn in a locked session."""
    turn = Turn(
        id=deps.new_id(),
        session_id=session.id,
        input_id=beginning.taken.id,
        agent_id=beginning.agent_id,
        kind=beginning.taken.kind,
        round_id=beginning.rounds[0],
        rounds=list(beginning.rounds),
        prompt=beginning.prompt,
        started_at=tx.now,
        run=deps.new_id(),
        took_results=beginning.took_results,
        job_id=beginning.taken.job_id,
        origin=beginning.origin,
        frozen=beginning.frozen,
    )
    await add_turn(tx, turn)
    await claim_input(tx, beginning.taken, turn.id)
    await deps.scribe.emit(
        tx,
        session,
        Said(
            kind="turn_started",
            speaker=beginning.speaker,
            turn_id=turn.id,
            origin=beginning.origin,
            posted=False,
            rounds=turn.rounds,
        ),
    )
    return turn


async def resume_turn(deps: Deps, tx: Transaction, turn: Turn) -> bool:
    """A new run takes the turn over; False if too many runs of it have died."""
    turn.parked = turn.parked or deps.runs.excused(turn.id)
    await take_over(tx, turn, deps.new_id())
    return turn.attempts < MAX_ATTEMPTS


async def finish_turn(
    deps: Deps,
    tx: Transaction,
    session: Session,
    turn: Turn,
    *,
    speaker: Speaker,
    status: str,
    text: str = "",
    data: dict[str, Any] | None = None,
) -> None:
    """Close a held turn and its input: completed, stopped or failed (then `text` is the sentence for people)."""
    if turn.waiting_for == "approval":
        await drop(deps, tx, turn)
    await end_turn(tx, turn, status)
    await finish_input(tx, turn.input_id)
    await deps.scribe.emit(
        tx,
        session,
        Said(
            kind="turn_ended",
            speaker=speaker,
            text=text,
            turn_id=turn.id,
            data={"status": status, **(data or {})},
            origin=turn.origin,
            rounds=turn.rounds,
        ),
    )
    agent_id, session_id = turn.agent_id, session.id
    tx.after_commit(lambda: deps.meter.turn_ended(agent_id, status))
    tx.after_commit(lambda: deps.bell.ring(session_id))
    if not session.title and writes_titles(deps):
        await deps.lanes.wake(tx, f"title:{session.id}")
