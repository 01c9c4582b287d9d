"""Who is on a team's roster, and when that may change.

A change holds the team's row, looks for open jobs, renames the manifest into place, then commits; whoever dispatches
holds the same row shared. If the commit fails the old manifest comes back.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Final

from host.errors import DamagedManifest, MembersBusy, MembersInvalid, TeamsWouldShrink, TooFewMembers
from host.permissions import Account, can_use
from host.roster import Rosters
from store.agents import Agent, delete_agent, hold_agents, list_teams
from store.database import Transaction
from store.jobs import members_at_work, open_jobs_of_member
from store.shares import share_with

MIN_MEMBERS: Final = 2
"""Experts that a team needs besides its host."""


async def check_members(tx: Transaction, person: Account, ids: Sequence[str]) -> None:
    """Whether these can be a team's members (T2, T3, T4); they are held, so that none is deleted meanwhile.

    Raises MembersInvalid, then TooFewMembers.
    """
    known = await hold_agents(tx, [each for each in ids if each.strip()], shared=True)
    counted = Counter(ids)
    wrong = [each for each in counted if counted[each] > 1 or not _is_usable(person, known.get(each))]
    if wrong:
        raise MembersInvalid(*wrong)
    if len(ids) < MIN_MEMBERS:
        raise TooFewMembers(MIN_MEMBERS)


def found_team(rosters: Rosters, team_id: str, members: Sequence[str]) -> None:
    """The folder of a team that is being made; what an attempt that never committed left there is not its roster."""
    rosters.seed(team_id, members)
    rosters.write(team_id, members)


async def change_roster(
    tx: Transaction, rosters: Rosters, team: Agent, members: Sequence[str], person: Account
) -> bool:
    """Make `members` the whole roster of a held team; whether that changes anything.

    Raises MembersInvalid, TooFewMembers, MembersBusy (who is taken off has an open job), DamagedManifest.
    """
    await check_members(tx, person, members)
    present = rosters.members(team.id)
    if tuple(members) == present:
        return False
    at_work = (await members_at_work(tx, [team.id])).get(team.id, set())
    if busy := [each for each in present if each not in members and each in at_work]:
        raise MembersBusy(*busy)
    _replace(tx, rosters, team.id, present, members)
    return True


async def remove_expert(tx: Transaction, rosters: Rosters, expert_id: str) -> None:
    """Delete an expert, which leaves the rosters it is on. Teams are held before experts, as dispatching does.

    Raises MembersBusy, TeamsWouldShrink.
    """
    await hold_agents(tx, [team.id for team in await list_teams(tx)])
    expert = (await hold_agents(tx, [expert_id]))[expert_id]
    if await open_jobs_of_member(tx, expert_id):
        raise MembersBusy(expert_id)
    rest = {
        team.id: (present, [each for each in present if each != expert_id])
        for team in await list_teams(tx)
        if expert_id in (present := _readable(rosters, team.id))
    }
    if short := [team_id for team_id, (_, members) in rest.items() if len(members) < MIN_MEMBERS]:
        raise TeamsWouldShrink(*short)
    for team_id, (present, members) in rest.items():
        _replace(tx, rosters, team_id, present, members)
    await share_with(tx, expert_id, [])
    await delete_agent(tx, expert)


async def remove_team(tx: Transaction, team_id: str) -> None:
    """Delete a team. Raises MembersBusy while somebody works for it."""
    team = (await hold_agents(tx, [team_id]))[team_id]
    if at_work := (await members_at_work(tx, [team_id])).get(team_id):
        raise MembersBusy(*sorted(at_work))
    await delete_agent(tx, team)


def _is_usable(person: Account, agent: Agent | None) -> bool:
    return agent is not None and can_use(person, agent, "enlist")


def _readable(rosters: Rosters, team_id: str) -> tuple[str, ...]:
    """A damaged manifest names nobody, and stays as it is."""
    try:
        return rosters.members(team_id)
    except DamagedManifest:
        return ()


def _replace(tx: Transaction, rosters: Rosters, team_id: str, present: Sequence[str], members: Sequence[str]) -> None:
    tx.if_undone(partial(rosters.write, team_id, present))
    rosters.write(team_id, members)
