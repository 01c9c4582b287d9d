"""At each start: the agents and teams of the file into the store, and what left the file out of the teams."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bridge.config import AgentConfig, Config, ConfigError, TeamConfig
from bridge.config.errors import Fault
from host.errors import DamagedManifest
from host.roster import Rosters
from host.values import Say
from store.agents import Agent, disable_missing, list_agents, save_agent
from store.database import Transaction
from store.jobs import members_with_open_jobs

OWNER: Final = "owner"
MIN_MEMBERS: Final = 2
_AGENT_KEYS: Final = {
    "id",
    "name",
    "description",
    "model",
    "instructions",
    "icon",
    "visibility",
    "enabled",
    "client_visible",
    "cooperation",
}
_TEAM_KEYS: Final = {
    "id",
    "name",
    "description",
    "model",
    "wake",
    "wave_timeout",
    "member_timeout",
    "welcome",
    "icon",
}

FailJobs = Callable[[Transaction, str, str], Awaitable[object]]
"""Fails every open job of a member (its id) with a reason: `Host.fail_jobs_of`."""


@dataclass(frozen=True, kw_only=True)
class Reconciled:
    """Agents that are not in the file any more (ids), and manifests that must be mended by hand."""

    gone: tuple[str, ...]
    damaged: tuple[DamagedManifest, ...]


@dataclass(frozen=True, kw_only=True)
class _Remainder:
    """Who of a team stays when others have left the file."""

    team_id: str
    members: tuple[str, ...]
    left: tuple[str, ...]


async def reconcile(
    tx: Transaction, config: Config, rosters: Rosters, fail_jobs: FailJobs, say: Say, source: str = ""
) -> Reconciled:
    """Apply the file (`source` is its name). Raises ConfigError with one sentence before anything has changed.

    Rosters are written before the commit; after a crash in between, the next start comes to the same.
    """
    known = {agent.id: agent for agent in await list_agents(tx)}
    in_file = [*_agents(config.agents), *_teams(config.teams)]
    gone = _gone(known.values(), {values["id"] for values in in_file})
    remainders, damaged = _remainders(_teams_made_elsewhere(known.values()), gone, rosters)
    for fault in (*_taken_ids(config, known), *_too_few(remainders)):
        raise fault.named(source)
    damaged += _write_rosters(config.teams, remainders, rosters, source)
    for values in in_file:
        await _save(tx, values, known.get(values["id"]))
    await disable_missing(tx, kept=[values["id"] for values in in_file])
    for member_id in gone.intersection(await members_with_open_jobs(tx)):
        await fail_jobs(tx, member_id, say("reason.left"))
    return Reconciled(gone=tuple(sorted(gone)), damaged=tuple(damaged))


def _agents(agents: Sequence[AgentConfig]) -> Iterator[Mapping[str, Any]]:
    for agent in agents:
        yield {**agent.model_dump(include=_AGENT_KEYS), "tools": list(agent.tools), "kind": "expert"}


def _teams(teams: Sequence[TeamConfig]) -> Iterator[Mapping[str, Any]]:
    for team in teams:
        yield {**team.model_dump(include=_TEAM_KEYS), "enabled": True, "visibility": "private", "kind": "team"}


async def _save(tx: Transaction, values: Mapping[str, Any], known: Agent | None) -> None:
    """Insert or update the agent; an unchanged one is not written."""
    applied = {**values, "owner_id": OWNER, "origin": "config", "deleted_at": None}
    if known is not None and all(getattr(known, name) == value for name, value in applied.items()):
        return
    created_at = known.created_at if known is not None else tx.now
    await save_agent(tx, Agent(**applied, created_at=created_at, updated_at=tx.now))


def _gone(known: Collection[Agent], in_file: Collection[str]) -> set[str]:
    return {agent.id for agent in known if agent.origin == "config" and agent.id not in in_file}


def _taken_ids(config: Config, known: Mapping[str, Agent]) -> Iterator[Fault]:
    """The file must not take over what somebody made elsewhere, nor turn an expert with its sessions into a team."""
    places = [
        *((("agents", index, "id"), agent.id, "expert") for index, agent in enumerate(config.agents)),
        *((("teams", index, "id"), team.id, "team") for index, team in enumerate(config.teams)),
    ]
    for path, agent_id, kind in places:
        present = known.get(agent_id)
        if present is not None and present.origin != "config":
            yield Fault(path=path, problem=f'"{agent_id}" exists already and was not made by this file')
        elif present is not None and present.kind != kind:
            yield Fault(path=path, problem=f'"{agent_id}" was of kind {present.kind} before; choose another id')


def _teams_made_elsewhere(known: Collection[Agent]) -> list[str]:
    return [agent.id for agent in known if agent.kind == "team" and agent.origin != "config"]


def _remainders(
    team_ids: Sequence[str], gone: Collection[str], rosters: Rosters
) -> tuple[list[_Remainder], list[DamagedManifest]]:
    remainders, damaged = [], []
    for team_id in team_ids:
        try:
            members = rosters.members(team_id)
        except DamagedManifest as damage:
            damaged.append(damage)
            continue
        if left := tuple(each for each in members if each in gone):
            stay = tuple(each for each in members if each not in gone)
            remainders.append(_Remainder(team_id=team_id, members=stay, left=left))
    return remainders, damaged


def _too_few(remainders: Sequence[_Remainder]) -> Iterator[Fault]:
    for each in remainders:
        if len(each.members) < MIN_MEMBERS:
            names = ", ".join(f'"{left}"' for left in each.left)
            problem = f'without {names} the team "{each.team_id}" has fewer than {MIN_MEMBERS} members'
            yield Fault(path=("agents",), problem=problem)


def _write_rosters(
    teams: Sequence[TeamConfig], remainders: Sequence[_Remainder], rosters: Rosters, source: str
) -> list[DamagedManifest]:
    """The manifests as they are to be; those that are damaged stay, and are returned."""
    damaged = []
    try:
        for each in remainders:
            rosters.write(each.team_id, each.members)
        for team in teams:
            try:
                _write_roster(team, rosters)
            except DamagedManifest as damage:
                damaged.append(damage)
    except OSError as fault:
        raise _not_writable(fault, source) from fault
    return damaged


def _write_roster(team: TeamConfig, rosters: Rosters) -> None:
    rosters.seed(team.id, team.members)
    if team.guidelines.strip():
        rosters.set_guidelines(team.id, team.guidelines)
    if rosters.members(team.id) != team.members:
        rosters.write(team.id, team.members)


def _not_writable(fault: OSError, source: str) -> ConfigError:
    return Fault(path=("data_dir",), problem=f"{fault.filename} cannot be written: {fault.strerror}").named(source)
