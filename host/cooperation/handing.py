"""Handing work and words to sessions that are there already, and taking a turn back (C6)."""

from functools import partial
from typing import Any

from host.agent import ToolCall
from host.cooperation.arguments import NewMessage, NewWork, TurnToCancel, parsed
from host.cooperation.configuration import accepted_by
from host.cooperation.partaker import Partaker, grows, root_of
from host.cooperation.receipts import once
from host.cooperation.targets import find_target
from host.deps import Deps
from host.errors import ToolFault
from host.events import Said
from store.agents import known_agent
from store.base import Speaker
from store.database import Transaction
from store.inputs import Input, add_input
from store.sessions import Session
from store.trees import at_work_among
from store.turns import ask_to_stop, find_turn, live_turn


async def submit_input(deps: Deps, partaker: Partaker, call: ToolCall) -> object:
    """One more task for a session, after what waits there."""
    asked = parsed(NewWork, call)
    return await deps.database.write(partial(_submit, deps, partaker, call, asked))


async def send_message(deps: Deps, partaker: Partaker, call: ToolCall) -> object:
    """Words for a session: kept, and read when it works next; nobody is woken."""
    asked = parsed(NewMessage, call)
    return await deps.database.write(partial(_send, deps, partaker, call, asked))


async def cancel_turn(deps: Deps, partaker: Partaker, call: ToolCall) -> object:
    """Stop exactly this turn; whatever else the session and those below it have to do goes on."""
    asked = parsed(TurnToCancel, call)
    return await deps.database.write(partial(_cancel, deps, partaker, call, asked))


async def queue_work(deps: Deps, tx: Transaction, session: Session, voice: Speaker, text: str) -> Input:
    """A task for a locked session: for its agent as it is now, whatever the session is switched to (S5)."""
    agent = await known_agent(tx, session.agent_id)
    queued = await _add(deps, tx, session, voice, text, kind="coop")
    queued.data = {} if agent is None else accepted_by(session, agent, deps.default_model)
    await deps.lanes.wake(tx, f"room:{session.id}")
    return queued


async def task_status(deps: Deps, tx: Transaction, session: Session) -> str:
    """What becomes of a task that is given to the session now: started, or queued."""
    is_busy = deps.slots.is_full(root_of(session)) or bool(await at_work_among(tx, [session.id]))
    return "queued" if is_busy else "started"


async def _submit(deps: Deps, partaker: Partaker, call: ToolCall, asked: NewWork, tx: Transaction) -> dict[str, Any]:
    session = await _hold_target(tx, partaker, asked.target)

    async def submit() -> dict[str, Any]:
        _check_open(session)
        await _check_nobody_is_asked(tx, session)
        status = await task_status(deps, tx, session)
        queued = await queue_work(deps, tx, session, partaker.voice, asked.description)
        return {"session_id": session.id, "path": session.path, "input_id": queued.id, "status": status}

    return await once(tx, partaker.turn_id, call, asked, submit)


async def _send(deps: Deps, partaker: Partaker, call: ToolCall, asked: NewMessage, tx: Transaction) -> dict[str, Any]:
    session = await _hold_target(tx, partaker, asked.target)

    async def send() -> dict[str, Any]:
        _check_open(session)
        queued = await _add(deps, tx, session, partaker.voice, asked.content, kind="message")
        return {"session_id": session.id, "path": session.path, "input_id": queued.id, "status": "kept"}

    return await once(tx, partaker.turn_id, call, asked, send)


async def _cancel(
    deps: Deps, partaker: Partaker, call: ToolCall, asked: TurnToCancel, tx: Transaction
) -> dict[str, Any]:
    session = await _hold_target(tx, partaker, asked.target)

    async def cancel() -> dict[str, Any]:
        turn = await find_turn(tx, asked.turn_id)
        if turn is None or turn.session_id != session.id:
            raise ToolFault(f"turn_id {asked.turn_id!r} is unknown in {session.path}")
        if turn.id == partaker.turn_id:
            raise ToolFault("this is your own turn: just end it with an answer")
        if turn.state == "live":
            await ask_to_stop(tx, turn)
            tx.after_commit(partial(deps.runs.cancel, turn.id))
            await deps.lanes.wake(tx, f"room:{session.id}")
        status = "cancelling" if turn.state == "live" else turn.state
        return {"session_id": session.id, "turn_id": turn.id, "status": status}

    return await once(tx, partaker.turn_id, call, asked, cancel)


async def _hold_target(tx: Transaction, partaker: Partaker, target: str) -> Session:
    """The target and the own session, locked in order; it takes work from other sessions. Raises ToolFault, Lost."""
    found = await find_target(tx, partaker, target)
    await partaker.hold(tx, found)
    if not grows(found):
        raise ToolFault(f"{target} takes no input: it belongs to a team or answers a colleague")
    return found


def _check_open(session: Session) -> None:
    if session.status != "ACTIVE" or session.deleted_at is not None:
        raise ToolFault(f"{session.path} is archived: it takes no input until it is restored")


async def _check_nobody_is_asked(tx: Transaction, session: Session) -> None:
    turn = await live_turn(tx, session.id)
    if turn is not None and turn.waiting_for == "approval":
        raise ToolFault(f"{session.path} waits for a person's approval and takes no new task until that is decided")


async def _add(deps: Deps, tx: Transaction, session: Session, voice: Speaker, text: str, *, kind: str) -> Input:
    """Only the text: no history, no attachments, and posted nowhere (C4)."""
    input_id = deps.new_id()
    said = Said(kind="user_message", speaker=voice, text=text, data={"input_id": input_id}, rounds=[input_id])
    await deps.scribe.emit(tx, session, said)
    added = Input(
        id=input_id,
        session_id=session.id,
        kind=kind,
        position=session.seq,
        round_id=input_id,
        created_at=tx.now,
        text=text,
        sender=voice,
    )
    return await add_input(tx, added)
