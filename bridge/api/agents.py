"""Agents: experts and teams that the user may talk to; experts are made and changed here."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal

from pydantic import Field

from bridge.api.call import Body, Call, Page
from bridge.api.conditions import Roster, State, condition, rosters
from bridge.api.editing import (
    change_team,
    check_changeable,
    chosen_id,
    held_agent,
    lend,
    refuse_sharing,
    seen_agent,
    written_down,
)
from bridge.api.edition import HEADER
from bridge.api.errors import ApiError, param_invalid, refused_choice
from bridge.api.fields import Color, Icon, Id, Known, Line, Name, Text, check_model, check_tools
from bridge.api.lending import settle_borrowers
from bridge.api.market import template_of
from bridge.api.routes import Routes
from bridge.shape import Shape
from host.enrolment import remove_expert, remove_team
from host.permissions import account, can_use
from store.agents import Agent, add_agent, change_agent, find_agent, list_agents
from store.database import Transaction
from store.shares import borrowers_of

routes: Final = Routes("agents")

CHANGE: Final = ("AGENT_NOT_FOUND", "FORBIDDEN", "MANAGED_BY_CONFIG", "EDIT_CONFLICT")
ROSTER: Final = ("TEAM_MEMBER_INVALID", "TEAM_MEMBERS_TOO_FEW", "TEAM_MEMBER_BUSY", "TEAM_DAMAGED")
_EXPERTS_ONLY: Final = ("instructions", "tools", "cooperation")
_TEAMS_ONLY: Final = ("member_ids", "guidelines")


class AgentShape(Shape):
    """An agent. `member_ids` is there for teams only, `shared_with` (user ids) for the owner's experts only.

    `instructions` are the owner's to read. `state_reason` says why the state is error, `updated_at` is the edition
    that `If-Match` names.
    """

    id: str
    name: str
    description: str
    kind: Literal["expert", "team"]
    icon: str
    color: str
    model: str
    instructions: str
    visibility: str
    enabled: bool
    client_visible: bool
    cooperation: bool
    state: State
    state_reason: str
    tools: list[str]
    welcome: str
    owner_id: str
    origin: str
    is_shared: bool
    published: bool
    updated_at: datetime
    member_ids: list[str] | None = Field(default=None, exclude_if=lambda ids: ids is None)
    shared_with: list[str] | None = Field(default=None, exclude_if=lambda ids: ids is None)


class NewAgent(Body):
    """An expert to be made. What is absent comes from the template `template_name` of the market, if one is named."""

    id: Id | None = None
    template_name: Known | None = None
    kind: Literal["expert"] = "expert"
    name: Name | None = None
    description: Line | None = None
    model: Known = ""
    instructions: Text | None = None
    icon: Icon | None = None
    color: Color = ""
    visibility: Literal["private", "shared"] = "private"
    shared_with: list[Known] = Field(default=[], max_length=1000)
    enabled: bool = True
    client_visible: bool = True
    cooperation: bool = True
    tools: list[Known] = Field(default=[], max_length=100)
    welcome: Text = ""


class AgentChange(Body):
    """What to change; what is absent or null stays. Some keys are for experts only, others for teams only."""

    name: Name | None = None
    description: Line | None = None
    model: Known | None = None
    instructions: Text | None = None
    icon: Icon | None = None
    color: Color | None = None
    visibility: Literal["private", "shared"] | None = None
    shared_with: list[Known] | None = Field(default=None, max_length=1000)
    enabled: bool | None = None
    client_visible: bool | None = None
    cooperation: bool | None = None
    tools: list[Known] | None = Field(default=None, max_length=100)
    welcome: Text | None = None
    member_ids: list[Known] | None = Field(default=None, max_length=10_000)
    guidelines: Text | None = None

    @property
    def shares(self) -> bool:
        return self.visibility == "shared" or bool(self.shared_with)

    def columns(self) -> dict[str, Any]:
        """What stands in the agent's row."""
        return self.model_dump(exclude_none=True, exclude={"shared_with", *_TEAMS_ONLY})


@routes.add("GET", "/api/agents")
async def index(call: Call) -> Page[AgentShape]:
    """All agents I may use, oldest first."""

    async def look(tx: Transaction) -> list[AgentShape]:
        person = await account(tx, call.user.id)
        return await _shapes(call, tx, [each for each in await list_agents(tx) if can_use(person, each, "see")])

    return Page(items=await call.read(look), next=None)


@routes.add("POST", "/api/agents", status=201, errors=("PARAM_INVALID",))
async def create(call: Call, body: NewAgent) -> AgentShape:
    """Make an expert, from a template of the market if one is named."""
    check_model(call, body.model)
    check_tools(call, body.tools)

    async def work(tx: Transaction) -> AgentShape:
        agent = await _made(call, tx, body)
        await add_agent(tx, agent)
        await lend(tx, agent, body.shared_with)
        await written_down(call, tx, "agent.create", agent.id)
        return await shape_of(call, tx, agent)

    return await call.write(work)


@routes.add("GET", "/api/agents/{id}", errors=("AGENT_NOT_FOUND",))
async def show(call: Call) -> AgentShape:
    """One agent."""

    async def look(tx: Transaction) -> AgentShape:
        return await shape_of(call, tx, await seen_agent(call, tx))

    return await call.read(look)


@routes.add(
    "PATCH",
    "/api/agents/{id}",
    errors=("PARAM_INVALID", "TEAM_NOT_SHAREABLE", *CHANGE, *ROSTER),
    headers=(HEADER,),
)
async def change(call: Call, body: AgentChange) -> AgentShape:
    """Change an agent of mine."""
    check_model(call, body.model)
    check_tools(call, body.tools)

    async def work(tx: Transaction) -> AgentShape:
        agent = await held_agent(call, tx)
        _check_keys(agent, body)
        check_changeable(call, agent)
        if agent.kind == "team":
            await change_team(call, tx, agent, body.columns(), member_ids=body.member_ids, guidelines=body.guidelines)
        else:
            await lend(tx, agent, body.shared_with)
            await change_agent(tx, agent, body.columns())
            await written_down(call, tx, "agent.change", agent.id, list(body.model_dump(exclude_none=True)))
        return await shape_of(call, tx, agent)

    changed = await call.write(work)
    if body.visibility is not None or body.shared_with is not None:
        await settle_borrowers(call, changed.id)
    return changed


@routes.add(
    "DELETE",
    "/api/agents/{id}",
    status=204,
    errors=("TEAM_MEMBER_BUSY", "TEAM_MEMBERS_TOO_FEW", *CHANGE),
    headers=(HEADER,),
)
async def delete(call: Call) -> None:
    """Delete an agent of mine; an expert leaves the teams it is in."""
    await call.write(partial(remove, call, "AGENT_NOT_FOUND"))
    await settle_borrowers(call, call.named("id"))


async def remove(call: Call, missing: str, tx: Transaction) -> None:
    """Delete the agent of the path (T7)."""
    agent = await find_agent(tx, call.named("id"))
    if agent is None or not can_use(await account(tx, call.user.id), agent, "see"):
        raise ApiError(missing)
    if not can_use(await account(tx, call.user.id), agent, "edit"):
        raise ApiError("FORBIDDEN")
    check_changeable(call, agent)
    if agent.kind == "team":
        await remove_team(tx, agent.id)
    else:
        await remove_expert(tx, call.parts.rosters, agent.id)
    await written_down(call, tx, f"{'team' if agent.kind == 'team' else 'agent'}.delete", agent.id)


async def chosen(call: Call, tx: Transaction, agent_id: str) -> Agent:
    """An agent that the user may choose now, checked in the order of S1. Raises ApiError."""
    agent = await find_agent(tx, agent_id)
    if agent is None or not can_use(await account(tx, call.user.id), agent, "talk"):
        raise ApiError("AGENT_NOT_FOUND")
    if not agent.enabled:
        raise refused_choice("agent_disabled")
    if not agent.client_visible:
        raise refused_choice("agent_not_visible")
    return agent


async def shape_of(call: Call, tx: Transaction, agent: Agent) -> AgentShape:
    return (await _shapes(call, tx, [agent]))[0]


async def _made(call: Call, tx: Transaction, body: NewAgent) -> Agent:
    template = await template_of(call, tx, body.template_name)
    name = body.name or (template.name if template else None)
    if name is None:
        raise param_invalid("name", "missing")
    given = body.model_dump(
        exclude_unset=True, exclude_none=True, exclude={"id", "template_name", "kind", "shared_with", "name"}
    )
    copied = {} if template is None else template.copied()
    return Agent(
        id=await chosen_id(tx, body.id, name, "expert"),
        owner_id=call.user.id,
        origin="api",
        created_at=tx.now,
        updated_at=tx.now,
        kind="expert",
        name=name,
        **{**copied, **given},
    )


def _check_keys(agent: Agent, body: AgentChange) -> None:
    """A team takes no instructions and no tools, an expert no members; teams are never shared. Raises ApiError."""
    for key in _EXPERTS_ONLY if agent.kind == "team" else _TEAMS_ONLY:
        if getattr(body, key) is not None:
            raise param_invalid(key, "extra_forbidden")
    if body.shares:
        refuse_sharing(agent)


async def _shapes(call: Call, tx: Transaction, agents: list[Agent]) -> list[AgentShape]:
    borrowers = await borrowers_of(tx, [each.id for each in agents if each.owner_id == call.user.id])
    manifests = rosters(call, agents)
    return [_shape(call, each, manifests, borrowers) for each in agents]


def _shape(call: Call, agent: Agent, manifests: Mapping[str, Roster], borrowers: Mapping[str, list[str]]) -> AgentShape:
    manifest, mine = manifests.get(agent.id), agent.owner_id == call.user.id
    now = condition(call, agent, manifest.damage if manifest else "")
    lent_to = borrowers.get(agent.id, [])
    columns = {name: getattr(agent, name) for name in _COLUMNS}
    return AgentShape(
        **columns,
        instructions=agent.instructions if mine and manifest is None else "",
        state=now.state,
        state_reason=now.reason,
        is_shared=agent.visibility == "shared" or bool(lent_to) or not mine,
        published=agent.published_at is not None,
        member_ids=manifest.member_ids if manifest else None,
        shared_with=lent_to if mine and manifest is None else None,
    )


_COLUMNS: Final = (
    "id",
    "name",
    "description",
    "kind",
    "icon",
    "color",
    "model",
    "visibility",
    "enabled",
    "client_visible",
    "cooperation",
    "tools",
    "welcome",
    "owner_id",
    "origin",
    "updated_at",
)
