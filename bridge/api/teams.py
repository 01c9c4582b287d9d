"""Teams: a host with its members. The roster is read from the manifest (T37)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import Field

from bridge.api.agents import CHANGE, ROSTER, remove
from bridge.api.call import Body, Call, Page
from bridge.api.conditions import Condition, Roster, State, condition, rosters
from bridge.api.editing import change_team, check_changeable, chosen_id, held_agent, written_down
from bridge.api.edition import HEADER
from bridge.api.errors import ApiError
from bridge.api.fields import Color, Icon, Id, Known, Line, Name, Text, check_model
from bridge.api.routes import Routes
from bridge.shape import Shape
from host.enrolment import check_members, found_team
from host.permissions import Account, account, can_use
from store.agents import Agent, add_agent, find_agent, find_agents, list_agents
from store.database import Transaction
from store.jobs import members_at_work

routes: Final = Routes("teams")

_CHANGE: Final = tuple("TEAM_NOT_FOUND" if code == "AGENT_NOT_FOUND" else code for code in CHANGE)
_AS_AGENT: Final = {"icon_url": "icon", "welcome_message": "welcome"}
_SHARING: Final = {"visibility", "is_shared", "shared_with"}
Seconds = float


class MemberShape(Shape):
    """An expert on a team's roster. `busy`: it has an open job for this team, so that it cannot be taken off now."""

    agent_id: str
    name: str
    icon_url: str
    color: str
    state: State
    state_reason: str
    is_shared: bool
    busy: bool


class TeamShape(Shape):
    """A team; `team_id` is its host's agent id, `updated_at` the edition that `If-Match` names.

    Times are in seconds. Members that do not exist any more are in `member_ids` only.
    """

    team_id: str
    agent_id: str
    name: str
    description: str
    model: str
    icon_url: str
    color: str
    welcome_message: str
    guidelines: str
    state: State
    state_reason: str
    kind: str
    enabled: bool
    client_visible: bool
    wake: str
    wave_timeout: float
    member_timeout: float
    owner_id: str
    origin: str
    updated_at: datetime
    member_ids: list[str]
    members: list[MemberShape]


class _Sharing(Body):
    """Teams are never shared: these keys are there to be refused when they ask for it (T6)."""

    visibility: Literal["private", "shared"] | None = None
    is_shared: bool | None = None
    shared_with: list[Known] | None = None

    @property
    def shares(self) -> bool:
        return self.visibility == "shared" or bool(self.is_shared) or bool(self.shared_with)


class NewTeam(_Sharing):
    """A team to be made: at least two experts, each my own or shared with me."""

    id: Id | None = None
    name: Name
    member_ids: list[Known] = Field(max_length=10_000)
    description: Line = ""
    model: Known = ""
    icon_url: Icon = ""
    color: Color = ""
    welcome_message: Text = ""
    guidelines: Text = ""
    enabled: bool = True
    client_visible: bool = True
    wake: Literal["wave", "each"] = "wave"
    wave_timeout: Seconds = Field(default=120, gt=0, le=86_400)
    member_timeout: Seconds = Field(default=900, gt=0, le=86_400)


class TeamChange(_Sharing):
    """What to change; what is absent or null stays. `member_ids` is the whole next roster."""

    name: Name | None = None
    member_ids: list[Known] | None = Field(default=None, max_length=10_000)
    description: Line | None = None
    model: Known | None = None
    icon_url: Icon | None = None
    color: Color | None = None
    welcome_message: Text | None = None
    guidelines: Text | None = None
    enabled: bool | None = None
    client_visible: bool | None = None
    wake: Literal["wave", "each"] | None = None
    wave_timeout: Seconds | None = Field(default=None, gt=0, le=86_400)
    member_timeout: Seconds | None = Field(default=None, gt=0, le=86_400)


@routes.add("GET", "/api/teams")
async def index(call: Call) -> Page[TeamShape]:
    """My teams, oldest first."""

    async def look(tx: Transaction) -> list[TeamShape]:
        teams = [each for each in await list_agents(tx, owner_id=call.user.id) if each.kind == "team"]
        return await _shapes(call, tx, teams)

    return Page(items=await call.read(look), next=None)


@routes.add("POST", "/api/teams", status=201, errors=("PARAM_INVALID", "TEAM_NOT_SHAREABLE", *ROSTER[:2]))
async def create(call: Call, body: NewTeam) -> TeamShape:
    """Make a team."""
    _check(call, body)

    async def work(tx: Transaction) -> TeamShape:
        await check_members(tx, await account(tx, call.user.id), body.member_ids)
        team = Agent(
            id=await chosen_id(tx, body.id, body.name, "team"),
            kind="team",
            owner_id=call.user.id,
            origin="api",
            created_at=tx.now,
            updated_at=tx.now,
            **_columns(body),
        )
        await add_agent(tx, team)
        found_team(call.parts.rosters, team.id, body.member_ids)
        call.parts.rosters.set_guidelines(team.id, body.guidelines)
        await written_down(call, tx, "team.create", team.id)
        return await _shape_of(call, tx, team)

    return await call.write(work)


@routes.add("GET", "/api/teams/{id}", errors=("TEAM_NOT_FOUND",))
async def show(call: Call) -> TeamShape:
    """One team with its members."""

    async def look(tx: Transaction) -> TeamShape:
        team = await find_agent(tx, call.named("id"))
        return await _shape_of(call, tx, _own(call, team))

    return await call.read(look)


@routes.add(
    "PATCH",
    "/api/teams/{id}",
    errors=("PARAM_INVALID", "TEAM_NOT_SHAREABLE", *_CHANGE, *ROSTER),
    headers=(HEADER,),
)
async def change(call: Call, body: TeamChange) -> TeamShape:
    """Change a team of mine; nobody who has an open job for it can be taken off its roster."""

    async def work(tx: Transaction) -> TeamShape:
        team = _own(call, await held_agent(call, tx, "TEAM_NOT_FOUND"))
        _check(call, body)
        check_changeable(call, team)
        columns = _columns(body)
        await change_team(call, tx, team, columns, member_ids=body.member_ids, guidelines=body.guidelines)
        return await _shape_of(call, tx, team)

    return await call.write(work)


@routes.add("DELETE", "/api/teams/{id}", status=204, errors=("TEAM_MEMBER_BUSY", *_CHANGE), headers=(HEADER,))
async def delete(call: Call) -> None:
    """Delete a team of mine; its experts stay."""

    async def work(tx: Transaction) -> None:
        _own(call, await find_agent(tx, call.named("id")))
        await remove(call, "TEAM_NOT_FOUND", tx)

    await call.write(work)


def _own(call: Call, team: Agent | None) -> Agent:
    if team is None or team.kind != "team" or not can_use(Account(id=call.user.id), team, "see"):
        raise ApiError("TEAM_NOT_FOUND")
    return team


def _check(call: Call, body: NewTeam | TeamChange) -> None:
    if body.shares:
        raise ApiError("TEAM_NOT_SHAREABLE")
    check_model(call, body.model)


def _columns(body: NewTeam | TeamChange) -> dict[str, Any]:
    """What stands in the team's row, under the names it has there."""
    given = body.model_dump(exclude_none=True, exclude={"id", "member_ids", "guidelines", *_SHARING})
    return {_AS_AGENT.get(key, key): value for key, value in given.items()}


async def _shape_of(call: Call, tx: Transaction, team: Agent) -> TeamShape:
    return (await _shapes(call, tx, [team]))[0]


async def _shapes(call: Call, tx: Transaction, teams: list[Agent]) -> list[TeamShape]:
    manifests = rosters(call, teams)
    experts = await find_agents(tx, sorted({each for one in manifests.values() for each in one.member_ids}))
    at_work = await members_at_work(tx, [team.id for team in teams])
    person = await account(tx, call.user.id)
    return [_shape(call, team, manifests[team.id], experts, at_work.get(team.id, set()), person) for team in teams]


def _shape(
    call: Call, team: Agent, manifest: Roster, experts: Mapping[str, Agent], busy: set[str], person: Account
) -> TeamShape:
    now = condition(call, team, manifest.damage)
    columns = {name: getattr(team, name) for name in _COLUMNS}
    return TeamShape(
        **columns,
        team_id=team.id,
        agent_id=team.id,
        icon_url=team.icon,
        welcome_message=team.welcome,
        guidelines=call.parts.rosters.guidelines(team.id),
        state=now.state,
        state_reason=now.reason,
        member_ids=manifest.member_ids,
        members=[
            _member(call, experts[each], person, busy=each in busy) for each in manifest.member_ids if each in experts
        ],
    )


def _member(call: Call, expert: Agent, person: Account, *, busy: bool) -> MemberShape:
    now = condition(call, expert)
    if not can_use(person, expert, "enlist"):
        now = Condition(state="stopped", reason=call.notices.say("reason.not_shared"))
    return MemberShape(
        agent_id=expert.id,
        name=expert.name,
        icon_url=expert.icon,
        color=expert.color,
        state=now.state,
        state_reason=now.reason,
        is_shared=expert.visibility == "shared" or expert.owner_id != person.id,
        busy=busy,
    )


_COLUMNS: Final = (
    "name",
    "description",
    "model",
    "color",
    "kind",
    "enabled",
    "client_visible",
    "wake",
    "wave_timeout",
    "member_timeout",
    "owner_id",
    "origin",
    "updated_at",
)
