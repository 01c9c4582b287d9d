"""A team as its host sees it: the roster from the manifest, each member's row, and who can be asked now."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from host.deps import Deps
from host.errors import ToolFault
from host.permissions import Account, Person, account, can_use
from store.agents import Agent, find_agent, find_agents, hold_agents
from store.base import Speaker
from store.database import Transaction


@dataclass(frozen=True, kw_only=True)
class Team:
    """The team's own row and its members in roster order (ids without an agent are left out).

    `person` is its owner: whoever talks to the team, its members work for the owner.
    """

    agent: Agent
    members: tuple[Agent, ...]
    person: Account

    @property
    def speaker(self) -> Speaker:
        return host_speaker(self.agent)


async def load_team(deps: Deps, tx: Transaction, team_id: str) -> Team | None:
    """The team, or None if it was deleted. Raises DamagedManifest."""
    agent = await find_agent(tx, team_id)
    if agent is None:
        return None
    ids = deps.rosters.members(team_id)
    return await _team(tx, agent, ids, await find_agents(tx, ids))


async def hold_team(deps: Deps, tx: Transaction, team_id: str) -> Team | None:
    """The team as it is now: until the transaction ends its roster stays, and nobody on it is deleted.

    Raises DamagedManifest.
    """
    agent = (await hold_agents(tx, [team_id], shared=True)).get(team_id)
    if agent is None:
        return None
    ids = deps.rosters.members(team_id)
    return await _team(tx, agent, ids, await hold_agents(tx, ids, shared=True))


async def _team(tx: Transaction, agent: Agent, ids: Sequence[str], rows: Mapping[str, Agent]) -> Team:
    members = tuple(rows[each] for each in ids if each in rows)
    return Team(agent=agent, members=members, person=await account(tx, agent.owner_id))


def host_speaker(agent: Agent) -> Speaker:
    return Speaker(id=agent.id, name=agent.name, role="host", icon=agent.icon)


def member_speaker(agent: Agent) -> Speaker:
    return Speaker(id=agent.id, name=agent.name, role="member", icon=agent.icon)


def obstacle(person: Person, member: Agent, models: Collection[str]) -> str:
    """The notice key of why this expert cannot be given work for this person now; "" if it can."""
    if not member.enabled:
        return "reason.disabled"
    if not can_use(person, member, "enlist"):
        return "reason.not_shared"
    return "reason.unknown_model" if member.model and member.model not in models else ""


def resolve(target: str, candidates: Collection[Agent]) -> Agent:
    """The agent with exactly this id, else the only one with exactly this name (T27).

    Raises ToolFault, which lists the valid ids.
    """
    by_id = [each for each in candidates if each.id == target]
    found = by_id or [each for each in candidates if each.name == target]
    if len(found) == 1:
        return found[0]
    problem = "is ambiguous" if found else "is unknown"
    raise ToolFault(f"agent_id {target!r} {problem}; valid ids: {', '.join(each.id for each in candidates) or 'none'}")
