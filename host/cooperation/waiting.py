"""`wait_inputs` and `wait_sessions`: the run rests without its slot until what it waits for is over (C7).

Nothing is asked in a loop: the end of a turn rings. The time allowed counts from the response that made the call, so
a run that takes the turn over after a restart waits for the rest of it only.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from host.agent import ToolCall
from host.cooperation.arguments import InputsToAwait, SessionsToAwait, parsed
from host.cooperation.partaker import Partaker
from host.cooperation.results import Result, read_results
from host.cooperation.targets import find_targets
from host.deps import Deps
from host.errors import ToolFault
from host.slots import Lease
from store.database import Transaction
from store.events import Event, words_of_turns
from store.sessions import Session
from store.trees import at_work_among, reachable
from store.turns import Turn, count_ended, last_progress, newest_turns

Look = Callable[[Transaction], Awaitable[tuple[dict[str, Any], bool]]]
"""What there is, and whether nothing more is to be waited for."""


async def wait_inputs(deps: Deps, partaker: Partaker, lease: Lease, call: ToolCall) -> object:
    """Until all of these inputs have come to an end; the results there are."""
    asked = parsed(InputsToAwait, call)
    sessions = await deps.database.read(partial(_sessions_of, partaker, asked.input_ids))
    look = partial(_inputs_now, asked.input_ids)
    return await _wait(deps, partaker, lease, sessions, asked.timeout_seconds, look)


async def wait_sessions(deps: Deps, partaker: Partaker, lease: Lease, call: ToolCall) -> object:
    """Until a turn of one of these sessions has ended that `after_cursor` does not count, or nothing can come."""
    asked = parsed(SessionsToAwait, call)
    found = await deps.database.read(partial(find_targets, partaker=partaker, targets=asked.targets))
    _refuse_oneself(partaker, [each.id for each in found])
    look = partial(_sessions_now, found, asked.after_cursor)
    return await _wait(deps, partaker, lease, [each.id for each in found], asked.timeout_seconds, look)


async def _wait(
    deps: Deps, partaker: Partaker, lease: Lease, session_ids: Collection[str], seconds: int, look: Look
) -> dict[str, Any]:
    with deps.bell.listening(session_ids) as rung:
        there, is_over = await deps.database.read(look)
        if not is_over:
            until = await _deadline(deps, partaker, seconds)
            async with lease.resting():
                there, is_over = await _rest(deps, rung, until, look)
    return {**there, "wait_timed_out": not is_over}


async def _rest(deps: Deps, rung: asyncio.Event, until: datetime, look: Look) -> tuple[dict[str, Any], bool]:
    while True:
        in_time = await _rang(deps, rung, until)
        rung.clear()
        there, is_over = await deps.database.read(look)
        if is_over or not in_time:
            return there, is_over


async def _rang(deps: Deps, rung: asyncio.Event, until: datetime) -> bool:
    """Whether it rang before the time was up."""
    left = max(0.0, (until - deps.clock.now()).total_seconds())
    waits = asyncio.create_task(rung.wait()), asyncio.create_task(deps.clock.sleep(left))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
        await asyncio.wait(waits)
    return rung.is_set()


async def _deadline(deps: Deps, partaker: Partaker, seconds: int) -> datetime:
    asked_at = await deps.database.read(partial(last_progress, turn_id=partaker.turn_id))
    return (asked_at or deps.clock.now()) + timedelta(seconds=seconds)


async def _sessions_of(partaker: Partaker, input_ids: Sequence[str], tx: Transaction) -> list[str]:
    """The sessions of these inputs. Raises ToolFault if one is unknown, or the own session's."""
    found = {each.input.id: each.input.session_id for each in await read_results(tx, input_ids)}
    mine = partaker.session
    ids = set(found.values())
    known = await reachable(tx, principal=mine.principal, app_id=mine.app_id, root_id=partaker.root_id, targets=ids)
    visible = {each.id for each in known}
    for input_id in input_ids:
        if found.get(input_id) not in visible:
            raise ToolFault(f"there is no input {input_id!r}")
    _refuse_oneself(partaker, visible)
    return sorted(visible)


def _refuse_oneself(partaker: Partaker, session_ids: Collection[str]) -> None:
    if partaker.session.id in session_ids:
        raise ToolFault("a session cannot wait for itself: its queue goes on when this turn is over")


async def _inputs_now(input_ids: Sequence[str], tx: Transaction) -> tuple[dict[str, Any], bool]:
    found: list[Result] = await read_results(tx, input_ids)
    return {"inputs": [each.row() for each in found]}, all(each.is_final for each in found)


async def _sessions_now(sessions: Sequence[Session], after: int, tx: Transaction) -> tuple[dict[str, Any], bool]:
    ids = [each.id for each in sessions]
    # In this order: whoever is at work no more is counted, and what is counted is shown.
    at_work = await at_work_among(tx, ids)
    ended = await count_ended(tx, ids)
    turns = {each.session_id: each for each in await newest_turns(tx, ids, ended=True)}
    words = await words_of_turns(tx, ids, [each.id for each in turns.values()])
    rows = [_session_row(each, turns.get(each.id), words, at_work) for each in sessions]
    return {"sessions": rows, "cursor": ended}, ended > after or not at_work


def _session_row(
    session: Session, turn: Turn | None, words: dict[str, Event], at_work: Collection[str]
) -> dict[str, Any]:
    said = words.get(turn.id) if turn is not None else None
    return {
        "session_id": session.id,
        "path": session.path,
        "at_work": session.id in at_work,
        "input_id": None if turn is None else turn.input_id,
        "turn_id": None if turn is None else turn.id,
        "turn_status": None if turn is None else turn.state,
        **({} if said is None else {"result": said.text}),
    }
