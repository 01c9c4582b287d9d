"""`create_session`: a child below the own session, with a configuration of its own and its first task (C2–C4)."""

from functools import partial
from typing import Any

from host.agent import ToolCall
from host.cooperation.arguments import NewSession, parsed
from host.cooperation.configuration import Configuration
from host.cooperation.handing import queue_work, task_status
from host.cooperation.partaker import Partaker
from host.cooperation.policy import may_run, person_id_of
from host.cooperation.receipts import once
from host.deps import Deps
from host.errors import ToolFault
from host.folders import session_folder
from store.agents import Agent
from store.database import Transaction
from store.sessions import Session, add_session, find_session
from store.standing import read_standing
from store.trees import find_child


async def create_session(deps: Deps, partaker: Partaker, call: ToolCall) -> object:
    """The receipt of the new session. Raises ToolFault: nothing was written."""
    asked = parsed(NewSession, call)
    return await deps.database.write(partial(_create, deps, partaker, call, asked))


async def _create(deps: Deps, partaker: Partaker, call: ToolCall, asked: NewSession, tx: Transaction) -> dict[str, Any]:
    turn = await partaker.hold(tx)
    return await once(tx, turn.id, call, asked, partial(_made, deps, partaker, asked, tx))


async def _made(deps: Deps, partaker: Partaker, asked: NewSession, tx: Transaction) -> dict[str, Any]:
    parent = await find_session(tx, partaker.session.id)
    if parent is None:
        raise ToolFault("this session was deleted")
    agent, config = await _worker(tx, partaker, asked.agent_id)
    if await find_child(tx, parent.id, asked.name) is not None:
        raise ToolFault(f"there is a session {parent.path}/{asked.name} already; choose another name")
    fresh = _child(deps.new_id(), tx, parent, agent, config, asked.name)
    fresh.model_id = config.effective(deps.default_model).model  # the default of now, not of some later start (C3)
    child = await add_session(tx, fresh)
    status = await task_status(deps, tx, child)
    queued = await queue_work(deps, tx, child, partaker.voice, asked.description)
    return {
        "session_id": child.id,
        "name": asked.name,
        "path": child.path,
        "parent_session_id": parent.id,
        "root_session_id": partaker.root_id,
        "input_id": queued.id,
        "status": status,
    }


async def _worker(tx: Transaction, partaker: Partaker, agent_id: str | None) -> tuple[Agent, Configuration]:
    """Who works in the child, and with what: the run's own configuration, or the agent's as it is now (C3)."""
    if agent_id is None:
        return partaker.agent, partaker.config
    session = partaker.session
    now = await read_standing(tx, agent_id=agent_id, user_id=session.owner_id, person_id=person_id_of(session))
    agent = now.agent
    why = may_run(session, now)
    if agent is None or agent.kind != "expert" or why in ("reason.agent_gone", "reason.withdrawn"):
        raise ToolFault(f"agent_id {agent_id!r} is unknown; list_agents has the valid ids")
    if why:
        raise ToolFault(f"{agent_id} cannot be given work now: it or the person it would work for is disabled")
    return agent, Configuration.of(agent)


def _child(
    session_id: str, tx: Transaction, parent: Session, agent: Agent, config: Configuration, name: str
) -> Session:
    """Person, app, project, workspace and settings are the parent's; history and configuration are its own (C4)."""
    return Session(
        id=session_id,
        kind="child",
        agent_id=agent.id,
        opened_with=parent.opened_with or parent.agent_id,
        owner_id=parent.owner_id,
        principal=parent.principal,
        app_id=parent.app_id,
        created_at=tx.now,
        updated_at=tx.now,
        title=name,
        name=name,
        parent_id=parent.id,
        root_id=parent.root_id or parent.id,
        path=f"{parent.path}/{name}",
        project_id=parent.project_id,
        workspace=session_folder(parent),
        permission_level=parent.permission_level,
        execution_mode=parent.execution_mode,
        is_git=parent.is_git,
        memory_enabled=parent.memory_enabled,
        frozen=config.frozen(),
    )
