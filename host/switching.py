"""Switching a session to another agent, and reopening it with one (S1–S7). All in the caller's transaction."""

from dataclasses import dataclass
from typing import Final

from host.deps import Deps
from host.errors import AgentUnavailable, Archived, Busy, NotSwitchable
from host.folders import session_folder
from host.permissions import Person, can_use
from store.agents import Agent, find_agent
from store.database import Transaction
from store.jobs import is_busy
from store.sessions import Session, add_session, set_status, switch_agent

SWITCHABLE: Final = "direct"
"""Rooms are their teams', side and peer sessions belong to a room or an asker, children to their tree (S4)."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The agent that a session goes on with, and the model that applies."""

    agent: Agent
    model: str


async def choose(tx: Transaction, person: Person, agent_id: str) -> Agent:
    """The agent for a new session, a switch or a reopening; checked in this order (S1).

    Raises AgentUnavailable: unknown, agent_disabled, agent_not_visible.
    """
    agent = await find_agent(tx, agent_id)
    if agent is None or not can_use(person, agent, "talk"):
        raise AgentUnavailable("unknown")
    if not agent.enabled:
        raise AgentUnavailable("agent_disabled")
    if not agent.client_visible:
        raise AgentUnavailable("agent_not_visible")
    return agent


async def switch(deps: Deps, tx: Transaction, session: Session, person: Person, agent_id: str) -> Choice:
    """A locked session goes on with another agent from its next turn on; only the agent's column is written (S2).

    Raises Archived, NotSwitchable, AgentUnavailable.
    """
    if session.status != "ACTIVE":
        raise Archived(session.id)
    _check_kind(session)
    agent = await choose(tx, person, agent_id)
    if agent.kind == "team":
        raise NotSwitchable(agent.id)
    if agent.id != session.agent_id:
        await switch_agent(tx, session, agent.id)
    return Choice(agent=agent, model=deps.model_name(agent, session.model_id))


async def reopen(deps: Deps, tx: Transaction, old: Session, person: Person, agent_id: str) -> tuple[Session, Choice]:
    """A new session with another agent on the old one's workspace; the old one is archived (S7).

    Raises AgentUnavailable, NotSwitchable (also for LOCAL), Archived, Busy; checked in the order of S7.
    """
    agent = await choose(tx, person, agent_id)
    _check_kind(old)
    if agent.kind == "team" or old.execution_mode != "CLOUD":
        raise NotSwitchable(old.id)
    if old.status != "ACTIVE":
        raise Archived(old.id)
    if await is_busy(tx, old.id):
        raise Busy(old.id)
    fresh = await add_session(tx, _successor(deps, tx, old, agent))
    await set_status(tx, old, "ARCHIVED")
    return fresh, Choice(agent=agent, model=deps.model_name(agent, fresh.model_id))


def _successor(deps: Deps, tx: Transaction, old: Session, agent: Agent) -> Session:
    """Person, place and settings stay; project and workspace are copied, never derived again."""
    session_id = deps.new_id()
    return Session(
        id=session_id,
        kind=old.kind,
        agent_id=agent.id,
        opened_with=old.opened_with or old.agent_id,
        owner_id=old.owner_id,
        principal=old.principal,
        app_id=old.app_id,
        created_at=tx.now,
        updated_at=tx.now,
        title=deps.say("session.reopened_title"),
        session_key=old.session_key,
        root_id=session_id,
        project_id=old.project_id,
        workspace=session_folder(old),
        model_id=old.model_id,
        permission_level=old.permission_level,
        execution_mode=old.execution_mode,
        is_git=old.is_git,
    )


def _check_kind(session: Session) -> None:
    if session.kind != SWITCHABLE:
        raise NotSwitchable(session.id)
