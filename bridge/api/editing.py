"""Changing what somebody made: found for the one who asks, held, not of the file, and written down."""

import re
import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from bridge.api.call import Call
from bridge.api.edition import check_edition
from bridge.api.errors import ApiError, param_invalid
from host.enrolment import change_roster
from host.permissions import account, can_use
from store.accounts import find_users
from store.agents import Agent, agent_id_is_taken, change_agent, find_agent, hold_agents
from store.audit import record
from store.database import Transaction
from store.shares import share_with

_SLUG: Final = re.compile(r"[^a-z0-9]+")


async def seen_agent(call: Call, tx: Transaction, missing: str = "AGENT_NOT_FOUND") -> Agent:
    """The agent of the path, if the user knows it. Raises ApiError with the code `missing`."""
    agent = await find_agent(tx, call.named("id"))
    if agent is None or not can_use(await account(tx, call.user.id), agent, "see"):
        raise ApiError(missing)
    return agent


async def held_agent(call: Call, tx: Transaction, missing: str = "AGENT_NOT_FOUND") -> Agent:
    """The same, held for a change by its owner. Raises ApiError; what is merely borrowed is FORBIDDEN (T5)."""
    await seen_agent(call, tx, missing)
    agent = (await hold_agents(tx, [call.named("id")])).get(call.named("id"))
    if agent is None:
        raise ApiError(missing)
    if not can_use(await account(tx, call.user.id), agent, "edit"):
        raise ApiError("FORBIDDEN")
    return agent


def check_changeable(call: Call, agent: Agent) -> None:
    """Raises ApiError for what the file manages, and for an edition that is not the one the editor saw."""
    if agent.origin == "config":
        raise ApiError("MANAGED_BY_CONFIG")
    check_edition(call, agent.updated_at)


def refuse_sharing(agent: Agent) -> None:
    """Teams are never shared, whoever asks and in whatever way (T6)."""
    if agent.kind == "team":
        raise ApiError("TEAM_NOT_SHAREABLE")


async def change_team(
    call: Call,
    tx: Transaction,
    team: Agent,
    columns: Mapping[str, Any],
    *,
    member_ids: Sequence[str] | None,
    guidelines: str | None,
) -> None:
    """Change a held team by either route; `member_ids` is the whole next roster. Raises what `change_roster` does."""
    rosters = call.parts.rosters
    if member_ids is not None:
        await change_roster(tx, rosters, team, member_ids, await account(tx, call.user.id))
    if guidelines is not None:
        present = rosters.guidelines(team.id)
        tx.if_undone(partial(rosters.set_guidelines, team.id, present))
        rosters.set_guidelines(team.id, guidelines)
    await change_agent(tx, team, columns)
    files = {"member_ids": member_ids, "guidelines": guidelines}
    await written_down(call, tx, "team.change", team.id, [*columns, *(k for k, v in files.items() if v is not None)])


async def lend(tx: Transaction, agent: Agent, user_ids: Sequence[str] | None) -> None:
    """Share an expert with exactly these users; None leaves it as it is. Raises ApiError for somebody unknown."""
    if user_ids is None:
        return
    known = await find_users(tx, user_ids)
    for index, user_id in enumerate(user_ids):
        if user_id not in known or user_id == agent.owner_id:
            raise param_invalid(f"shared_with[{index}]", "unknown_user")
    await share_with(tx, agent.id, user_ids)


async def chosen_id(tx: Transaction, wanted: str | None, name: str, kind: str) -> str:
    """The id of a new agent: the wanted one, else one that is made of the name. Raises ApiError if it is taken."""
    if wanted is None:
        return made_id(name, kind)
    if await agent_id_is_taken(tx, wanted):
        raise param_invalid("id", "taken")
    return wanted


async def written_down(call: Call, tx: Transaction, action: str, target_id: str, keys: Sequence[str] = ()) -> None:
    """The change goes into the audit, with the names of what was changed."""
    await record(tx, call.user.id, action, target_id, **({"keys": sorted(keys)} if keys else {}))


def made_id(name: str, kind: str) -> str:
    """A readable id that nobody has."""
    slug = _SLUG.sub("-", name.lower()).strip("-")[:40].strip("-") or kind
    return f"{slug}-{secrets.token_hex(4)}"
