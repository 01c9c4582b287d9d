"""`list_agents` and `list_sessions`: compact rows of what this run's person may use and has (C1, D1–D3)."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from host.agent import ToolCall
from host.cooperation.arguments import Listing, Nothing, parsed
from host.deps import Deps
from host.permissions import Person, can_use
from store.agents import Agent, list_agents
from store.database import Transaction
from store.sessions import Session
from store.trees import directory, session_and_below
from store.turns import Turn, newest_turns

PAGE: Final = 10
"""Rows of one page of all projects."""


def usable_experts(person: Person, agents: Sequence[Agent]) -> list[Agent]:
    """The experts that this person may have work: the same right that the API's list asks for."""
    return [each for each in agents if each.kind == "expert" and each.enabled and can_use(person, each, "talk")]


async def tell_agents(deps: Deps, person: Person, call: ToolCall) -> object:
    """Ids, names and descriptions; asked for by this tool only, never written into a prompt."""
    parsed(Nothing, call)
    known = usable_experts(person, await deps.database.read(list_agents))
    return {"agents": [{"id": each.id, "name": each.name, "description": each.description} for each in known]}


async def tell_sessions(deps: Deps, mine: Session, call: ToolCall) -> object:
    """The sessions of this project, all of them, or one page of all projects."""
    asked = parsed(Listing, call)

    async def look(tx: Transaction) -> list[dict[str, Any]]:
        whose = partial(directory, tx, principal=mine.principal, app_id=mine.app_id)
        if asked.scope == "all":
            return await _rows(tx, await whose(offset=asked.offset, limit=PAGE))
        return await _rows(tx, await whose(project_id=mine.project_id))

    return {"scope": asked.scope, "sessions": await deps.database.read(look)}


async def tell_side_sessions(deps: Deps, side_id: str, call: ToolCall) -> object:
    """The same for a member at work: its own sessions of this room, and nothing else (C11)."""
    asked = parsed(Listing, call)

    async def look(tx: Transaction) -> list[dict[str, Any]]:
        found = await session_and_below(tx, side_id)
        return await _rows(tx, found[asked.offset :][:PAGE] if asked.scope == "all" else found)

    return {"scope": asked.scope, "sessions": await deps.database.read(look)}


async def _rows(tx: Transaction, sessions: Sequence[Session]) -> list[dict[str, Any]]:
    turns = {each.session_id: each for each in await newest_turns(tx, [each.id for each in sessions])}
    return [row_of(each, turns.get(each.id)) for each in sessions]


def row_of(session: Session, turn: Turn | None) -> dict[str, Any]:
    """One session, with its newest turn."""
    return {
        "session_id": session.id,
        "title": session.title,
        "path": session.path,
        "root_session_id": session.root_id or session.id,
        "project_id": session.project_id,
        "turn_id": None if turn is None else turn.id,
        "turn_status": None if turn is None else turn_status(turn),
        "waiting_for": waiting_for(turn),
    }


def waiting_for(turn: Turn | None) -> str | None:
    """What the turn needs of a person, if it waits: "approval"."""
    return "approval" if turn is not None and turn.waiting_for == "approval" else None


def turn_status(turn: Turn) -> str:
    """running (also while it waits for a person), stopping, completed, stopped or failed."""
    if turn.state != "live":
        return turn.state
    return "stopping" if turn.stopping else "running"
