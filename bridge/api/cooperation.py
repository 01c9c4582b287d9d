"""The tree that a session belongs to: who works in it on what, what waits, and stopping it as a whole."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from bridge.api.call import Call
from bridge.api.errors import ApiError
from bridge.api.phase import Phase, decide_phase
from bridge.api.routes import Routes
from bridge.api.sessions import ONE, own_session
from bridge.shape import Shape
from host.cooperation.directory import turn_status
from host.slots import MOST
from store.database import Transaction
from store.inputs import Input
from store.sessions import Session
from store.trees import queue_of, root_of_tree, tree_of
from store.turns import Turn, newest_turns

routes: Final = Routes("sessions")

RUNS: Final = 20
"""Turns that are shown of each session."""
TEXT: Final = 400
"""Characters of a waiting input."""


class WaitingShape(Shape):
    """Something that waits in a session's queue. `kind` is message for words that wait for the next turn."""

    input_id: str
    kind: str
    text: str
    created_at: datetime


class RunShape(Shape):
    """One turn. `status`: running (also while it waits for a person), stopping, completed, stopped, failed."""

    turn_id: str
    input_id: str
    status: str
    started_at: datetime
    ended_at: datetime | None


class BranchShape(Shape):
    """One session of the tree, with everything that waits in it and its newest turns, the newest first."""

    session_id: str
    parent_session_id: str | None
    kind: str
    name: str | None
    path: str
    title: str
    agent_id: str
    status: str
    phase: Phase
    waiting_for: str | None
    updated_at: datetime
    queue: list[WaitingShape]
    runs: list[RunShape]


class TreeShape(Shape):
    """The whole tree, by path. `at_work` of at most `slots` runs work now; `paused`: its queues are held back."""

    root_session_id: str
    paused: bool
    slots: int
    at_work: int
    sessions: list[BranchShape]


class TreeStopped(Shape):
    """How many turns were told to stop."""

    stopped: int


class TreeContinued(Shape):
    """How many sessions have work."""

    continued: int


@dataclass(frozen=True, kw_only=True)
class _Tree:
    """A tree as it was read; `in_full`: the user's own, every word of it."""

    root: Session
    sessions: Sequence[Session]
    queue: Sequence[Input]
    turns: Sequence[Turn]
    in_full: bool


@routes.add("GET", "/api/sessions/{id}/cooperation", errors=ONE)
async def show(call: Call) -> TreeShape:
    """The tree that a session belongs to, with queues and runs."""
    return _shape(await call.read(partial(_read, call)))


@routes.add("POST", "/api/sessions/{id}/tree/stop", errors=("PARAM_INVALID", *ONE))
async def stop(call: Call) -> TreeStopped:
    """Stop every turn of the tree and hold its queues back until it is continued."""

    async def work(tx: Transaction) -> TreeStopped:
        session = await own_session(call, tx)
        return TreeStopped(stopped=await call.parts.host.stop_tree(tx, session.id))

    return await call.write(work)


@routes.add("POST", "/api/sessions/{id}/tree/continue", errors=("PARAM_INVALID", *ONE))
async def go_on(call: Call) -> TreeContinued:
    """Let the queues of a stopped tree go on."""

    async def work(tx: Transaction) -> TreeContinued:
        session = await own_session(call, tx)
        return TreeContinued(continued=await call.parts.host.continue_tree(tx, session.id))

    return await call.write(work)


async def _read(call: Call, tx: Transaction) -> _Tree:
    """The tree in a constant number of queries, however many sessions it has."""
    asked = await own_session(call, tx)
    root = await root_of_tree(tx, asked.root_id or asked.id)
    if root is None:
        raise ApiError("SESSION_NOT_FOUND")
    in_full = root.owner_id == call.user.id
    sessions = [each for each in await tree_of(tx, root.id) if in_full or each.owner_id == call.user.id]
    ids = [each.id for each in sessions]
    return _Tree(
        root=root,
        sessions=sessions,
        queue=await queue_of(tx, ids),
        turns=await newest_turns(tx, ids, RUNS),
        in_full=in_full,
    )


def _shape(tree: _Tree) -> TreeShape:
    queues: defaultdict[str, list[Input]] = defaultdict(list)
    runs: defaultdict[str, list[Turn]] = defaultdict(list)
    for waiting in tree.queue:
        queues[waiting.session_id].append(waiting)
    for turn in tree.turns:
        runs[turn.session_id].append(turn)
    return TreeShape(
        root_session_id=tree.root.id,
        paused=tree.root.paused,
        slots=MOST,
        at_work=sum(turn.state == "live" and turn.waiting_for != "approval" for turn in tree.turns),
        sessions=[_branch(each, queues[each.id], runs[each.id], in_full=tree.in_full) for each in tree.sessions],
    )


def _branch(session: Session, queue: Sequence[Input], runs: Sequence[Turn], *, in_full: bool) -> BranchShape:
    phase = _phase(queue, runs)
    return BranchShape(
        session_id=session.id,
        parent_session_id=session.parent_id,
        kind=session.kind,
        name=session.name,
        path=session.path,
        title=session.title,
        agent_id=session.agent_id,
        status=session.status,
        phase=phase,
        waiting_for="approval" if phase == "WAITING_APPROVAL" else None,
        updated_at=session.updated_at,
        queue=[_waiting(each, in_full=in_full) for each in queue],
        runs=[_run(each) for each in runs],
    )


def _phase(queue: Iterable[Input], runs: Iterable[Turn]) -> Phase:
    live = next((turn for turn in runs if turn.state == "live"), None)
    return decide_phase(live, pending=any(each.kind != "message" for each in queue))


def _waiting(each: Input, *, in_full: bool) -> WaitingShape:
    text = each.text[:TEXT] if in_full else ""
    return WaitingShape(input_id=each.id, kind=each.kind, text=text, created_at=each.created_at)


def _run(turn: Turn) -> RunShape:
    return RunShape(
        turn_id=turn.id,
        input_id=turn.input_id,
        status=turn_status(turn),
        started_at=turn.started_at,
        ended_at=turn.ended_at,
    )
