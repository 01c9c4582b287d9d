"""Asking: the calls of a response that need a person become questions, and the turn waits (C12).

It happens in the transaction that stores the response, so none of the response's tools has begun when people are
asked, whatever crashes afterwards.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from host.approvals.policy import PATIENCE, code_of, must_ask
from host.approvals.trust import read_trust
from host.approvals.words import excerpt, in_words, tool_words
from host.deps import Deps
from host.events import Said
from host.messages import ToolCall
from store.approvals import Approval, add_approval
from store.base import Origin, Speaker
from store.database import Transaction
from store.sessions import Session
from store.turns import Turn, wait_for_approval

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Venue:
    """Where a turn's questions are asked.

    `session` is the turn's own, `room` where people see the round (in an expert's own chat the same); both are locked.
    `voice` speaks in the room, `asker` wants to call the tool. `origin` is the chat, `rounds` what it belongs to there.
    """

    session: Session
    room: Session
    voice: Speaker
    asker: Speaker
    origin: Origin | None
    rounds: Sequence[str] = ()


async def ask_people(
    deps: Deps, tx: Transaction, turn: Turn, calls: Sequence[ToolCall], asking: Collection[str], venue: Venue
) -> bool:
    """Ask about those of a held turn's calls that must ask; whether there are any, so that the turn waits."""
    if not any(call.name in asking for call in calls):
        return False
    trust = await read_trust(tx, venue.session.id)
    due = [call for call in calls if must_ask(call, asking, trust)]
    for place, call in enumerate(due):
        await _ask(deps, tx, turn, call, venue, tx.now + timedelta(microseconds=place))
    if due:
        await wait_for_approval(tx, turn)
        await deps.lanes.wake_at(tx, approval_lane(turn.id), tx.now + PATIENCE)
        log.info("A turn waits for an approval", turn=turn.id, tools=[call.name for call in due])
    return bool(due)


def approval_lane(turn_id: str) -> str:
    """The lane that looks after what a turn waits for when its time is up."""
    return f"approval:{turn_id}"


def told(approval: Approval, turn: Turn) -> dict[str, object]:
    """The approval of a turn as the data of events; `question` is the event that asked, once there is one."""
    question = {"question": approval.event_id} if approval.event_id else {}
    return question | {
        "approval": {
            "id": approval.id,
            "tool": approval.tool,
            "arguments": approval.arguments,
            "state": approval.state,
            "agent_id": approval.speaker.id if approval.speaker else "",
            "name": approval.speaker.name if approval.speaker else "",
            "session_id": approval.session_id,
            "job_id": turn.job_id,
        }
    }


async def _ask(deps: Deps, tx: Transaction, turn: Turn, call: ToolCall, venue: Venue, at: datetime) -> None:
    """`at` differs from call to call, so that questions stand in the order of the calls."""
    approval = Approval(
        id=code_of(turn.id, call.id),
        session_id=venue.session.id,
        room_id=venue.room.id,
        turn_id=turn.id,
        call_id=call.id,
        tool=call.name,
        asked_at=at,
        due_at=tx.now + PATIENCE,
        arguments=in_words(call.arguments or {}),
        state="open",
        speaker=venue.asker,
        origin=venue.origin,
    )
    question = Said(
        kind="notice",
        speaker=venue.voice,
        text=_words(deps, approval),
        turn_id=turn.id,
        data=told(approval, turn),
        origin=venue.origin,
        rounds=venue.rounds,
    )
    approval.event_id = (await deps.scribe.emit(tx, venue.room, question)).id
    await add_approval(tx, approval)
    if venue.session.kind == "child":
        own = Said(kind="notice", speaker=venue.asker, text=question.text, turn_id=turn.id, data=question.data)
        await deps.scribe.emit(tx, venue.session, own)


def _words(deps: Deps, approval: Approval) -> str:
    name = approval.speaker.name if approval.speaker else ""
    asked = deps.say("approval.ask", name=name, tool=tool_words(deps.say, approval.tool))
    how = deps.say("approval.how", code=approval.id)
    return "\n\n".join(each for each in (asked, excerpt(approval.arguments), how) if each)
