"""How an agent is right now, and who is on a team's roster."""

from collections.abc import Sequence
from typing import Literal

from bridge.api.call import Call
from bridge.shape import Shape
from host.errors import DamagedManifest
from store.agents import Agent

State = Literal["running", "stopped", "error"]


class Condition(Shape):
    """Whether an agent can work, and why not."""

    state: State
    reason: str = ""


class Roster(Shape):
    """The ids of a team's members in their order, or none and what is wrong with the manifest (T37)."""

    member_ids: list[str]
    damage: str = ""


def condition(call: Call, agent: Agent, damage: str = "") -> Condition:
    """What state the agent is in; `damage` is what is wrong with its manifest."""
    if damage:
        return Condition(state="error", reason=damage)
    if agent.model and agent.model not in call.parts.models:
        return Condition(state="error", reason=call.notices.say("reason.unknown_model", model=agent.model))
    return Condition(state="running" if agent.enabled else "stopped")


def roster(call: Call, team_id: str) -> Roster:
    """The roster as the manifest has it now."""
    try:
        return Roster(member_ids=list(call.parts.rosters.members(team_id)))
    except DamagedManifest as fault:
        return Roster(member_ids=[], damage=f"manifest.json: {fault.problem}")


def rosters(call: Call, agents: Sequence[Agent]) -> dict[str, Roster]:
    """The rosters of those among them that are teams, by id."""
    return {each.id: roster(call, each.id) for each in agents if each.kind == "team"}
