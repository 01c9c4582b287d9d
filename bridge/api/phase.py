"""What a session does now, derived from its live turn and its queue: never stored, so never stale."""

from collections.abc import Sequence
from typing import Literal

from store.database import Transaction
from store.inputs import pending_among
from store.turns import Turn, live_among

Phase = Literal["IDLE", "QUEUED", "RUNNING", "WAITING_APPROVAL", "RESUMING", "CANCELLING"]


def decide_phase(turn: Turn | None, *, pending: bool) -> Phase:
    """A live turn that no run owns yet is being resumed, unless it waits for a person."""
    if turn is None:
        return "QUEUED" if pending else "IDLE"
    if turn.stopping:
        return "CANCELLING"
    if turn.waiting_for == "approval":
        return "WAITING_APPROVAL"
    return "RESUMING" if turn.parked or not turn.run else "RUNNING"


async def phases(tx: Transaction, session_ids: Sequence[str]) -> dict[str, Phase]:
    """The phase of each of these sessions, in two queries."""
    turns = {turn.session_id: turn for turn in await live_among(tx, session_ids)}
    pending = await pending_among(tx, session_ids)
    return {each: decide_phase(turns.get(each), pending=each in pending) for each in session_ids}
