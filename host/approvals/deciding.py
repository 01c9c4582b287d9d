"""Deciding: a question is answered, runs out of time, or is dropped with its turn. The first outcome stays (C12)."""

from dataclasses import dataclass, replace
from functools import partial

import structlog

from host.approvals.asking import approval_lane, told
from host.approvals.policy import STATES, Decision
from host.approvals.words import tool_words
from host.deps import Deps
from host.errors import Unknown
from host.events import Said
from host.team import host_speaker
from host.values import Say
from store.agents import find_agent
from store.approvals import Approval, add_grant, find_approval, hold_approval, open_of_turn, settle
from store.base import Speaker
from store.database import Transaction
from store.sessions import Session, lock_session
from store.turns import Turn, approval_came, find_turn, live_turn

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Decided:
    """The approval as it is now; not `is_new`: it was decided before, or its turn is over."""

    approval: Approval
    is_new: bool


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What becomes of an open approval, and through whom; `quiet`: its chat hears of it otherwise, or need not."""

    state: str
    by: str = ""
    quiet: bool = False


async def decide(
    deps: Deps, tx: Transaction, approval_id: str, decision: Decision, *, by: str, quiet: bool = False
) -> Decided:
    """Decide about a call, once; the last decision of a turn lets it go on. Who may is the caller's to check.

    "session" answers all open calls of this tool in the turn. Raises Unknown.
    """
    approval = await _hold(tx, approval_id)
    if approval.state != "open":
        return Decided(approval=approval, is_new=False)
    turn = await live_turn(tx, approval.session_id)
    if turn is None or turn.id != approval.turn_id or turn.stopping:
        await _settle(deps, tx, approval, Outcome(state="dropped", quiet=True))
        return Decided(approval=approval, is_new=False)
    outcome = Outcome(state=STATES[decision], by=by, quiet=quiet)
    await _settle(deps, tx, approval, outcome)
    if decision == "session":
        await _grant(deps, tx, approval, outcome)
    await _go_on(deps, tx, turn)
    return Decided(approval=approval, is_new=True)


async def expire(deps: Deps, turn_id: str) -> None:
    """Lane `approval:<turn id>`: what nobody decided in time counts as denied."""
    await deps.database.write(partial(_expire, deps, turn_id))


async def drop(deps: Deps, tx: Transaction, turn: Turn) -> None:
    """The turn ends otherwise: nobody needs to decide any more. Room and session must be locked."""
    for approval in await open_of_turn(tx, turn.id):
        await _settle(deps, tx, approval, Outcome(state="dropped", quiet=True))


async def _expire(deps: Deps, turn_id: str, tx: Transaction) -> None:
    waiting = await open_of_turn(tx, turn_id)
    if not waiting:
        return
    if waiting[0].due_at > tx.now:
        await deps.lanes.wake_at(tx, approval_lane(turn_id), waiting[0].due_at)
        return
    await _hold(tx, waiting[0].id)
    for approval in await open_of_turn(tx, turn_id):
        await _settle(deps, tx, approval, Outcome(state="timed_out"))
    turn = await find_turn(tx, turn_id)
    if turn is not None and turn.waiting_for == "approval":
        await _go_on(deps, tx, turn)


async def _hold(tx: Transaction, approval_id: str) -> Approval:
    """Lock the room, then the session: the approval as it is now. Raises Unknown."""
    found = await find_approval(tx, approval_id)
    if found is None:
        raise Unknown(approval_id)
    await lock_session(tx, found.room_id)
    await lock_session(tx, found.session_id)
    held = await hold_approval(tx, approval_id)
    assert held is not None, "approvals are never deleted"
    return held


async def _grant(deps: Deps, tx: Transaction, approval: Approval, outcome: Outcome) -> None:
    await add_grant(tx, approval.session_id, approval.tool, outcome.by)
    for other in await open_of_turn(tx, approval.turn_id):
        if other.tool == approval.tool:
            await _settle(deps, tx, other, Outcome(state=outcome.state, by=outcome.by, quiet=True))


async def _go_on(deps: Deps, tx: Transaction, turn: Turn) -> None:
    if await open_of_turn(tx, turn.id):
        return
    await approval_came(tx, turn)
    await deps.lanes.wake(tx, f"room:{turn.session_id}" if turn.job_id is None else f"member:{turn.agent_id}")


async def _settle(deps: Deps, tx: Transaction, approval: Approval, outcome: Outcome) -> None:
    """Close it, and say so where the question stands."""
    await settle(tx, approval, outcome.state, outcome.by)
    log.info("An approval is settled", approval=approval.id, tool=approval.tool, state=outcome.state, by=outcome.by)
    room = await lock_session(tx, approval.room_id)
    session = await lock_session(tx, approval.session_id)
    turn = await find_turn(tx, approval.turn_id)
    assert turn is not None, "turns are never deleted"
    own = Said(
        kind="notice",
        speaker=await _voice(tx, approval, room),
        text=outcome_words(deps.say, approval),
        turn_id=approval.turn_id,
        data=told(approval, turn) | ({"quiet": True} if outcome.quiet else {}),
    )
    rounds = turn.rounds if session.kind != "child" else ()
    await deps.scribe.emit(tx, room, replace(own, origin=approval.origin, posted=not outcome.quiet, rounds=rounds))
    if session.kind == "child":
        await deps.scribe.emit(tx, session, own)


async def _voice(tx: Transaction, approval: Approval, room: Session) -> Speaker:
    """A room speaks through its host, an expert's chat through whoever wanted to call the tool."""
    host = await find_agent(tx, room.agent_id) if room.kind == "room" else None
    if host is not None:
        return host_speaker(host)
    return approval.speaker or Speaker(id="system", name="", role="system")


def outcome_words(say: Say, approval: Approval) -> str:
    """What came of an approval that is not open any more, as one sentence."""
    name = approval.speaker.name if approval.speaker is not None else ""
    return say(f"approval.{approval.state}", name=name, tool=tool_words(say, approval.tool))
