"""Stopping a whole tree and letting it go on: the one thing that reaches below a session (C8)."""

from functools import partial

from host.cooperation.partaker import grows, root_of
from host.deps import Deps
from host.errors import NotAccepting
from store.database import Transaction
from store.sessions import Session, lock_session
from store.trees import at_work_among, hold_tree, pause_tree
from store.turns import ask_to_stop, live_among


async def stop_tree(deps: Deps, tx: Transaction, session: Session) -> int:
    """Stop every turn of the session's tree and hold its queues back, over restarts too; how many turns there were.

    Nothing is taken out of a queue. Raises NotAccepting for a session that is not part of such a tree.
    """
    ids = await _held(tx, session)
    await pause_tree(tx, root_of(session), paused=True)
    turns = [each for each in await live_among(tx, ids) if not each.stopping]
    for turn in turns:
        await ask_to_stop(tx, turn)
        tx.after_commit(partial(deps.runs.cancel, turn.id))
        await deps.lanes.wake(tx, f"room:{turn.session_id}")
    return len(turns)


async def continue_tree(deps: Deps, tx: Transaction, session: Session) -> int:
    """Let the queues of the session's tree go on; how many sessions have work. Raises NotAccepting."""
    ids = await _held(tx, session)
    await pause_tree(tx, root_of(session), paused=False)
    with_work = sorted(await at_work_among(tx, ids))
    for each in with_work:
        await deps.lanes.wake(tx, f"room:{each}")
    return len(with_work)


async def _held(tx: Transaction, session: Session) -> list[str]:
    if not grows(session):
        raise NotAccepting(session.id)
    await lock_session(tx, root_of(session))
    return [each.id for each in await hold_tree(tx, root_of(session))]
