"""The file's agents and teams at each start."""

from functools import partial
from pathlib import Path

import pytest

from bridge.config import AgentConfig, Config, ConfigError, TeamConfig
from bridge.notices import Notices
from bridge.reconcile import Reconciled, reconcile
from host.errors import DamagedManifest
from host.roster import Rosters
from store.agents import Agent, list_agents, save_agent
from store.database import Database, Transaction
from store.jobs import Job, add_job
from tests.support.clock import FakeClock

ANN = AgentConfig(id="ann", name="Ann", tools=("file_read",))
BO = AgentConfig(id="bo", name="Bo")
CY = AgentConfig(id="cy", name="Cy")
STUDIO = TeamConfig(id="studio", name="Studio", members=("ann", "bo"), wake="each", guidelines="Be brief.")


class Start:
    """Starts the same store again and again with other files."""

    def __init__(self, database: Database, workspaces: Path) -> None:
        self.database = database
        self.rosters = Rosters(workspaces)
        self.manifests = workspaces
        self.failed: list[tuple[str, str]] = []

    async def __call__(self, *agents: AgentConfig, teams: tuple[TeamConfig, ...] = ()) -> Reconciled:
        return await self.database.write(partial(self._reconcile, Config(agents=agents, teams=teams)))

    async def _reconcile(self, config: Config, tx: Transaction) -> Reconciled:
        return await reconcile(tx, config, self.rosters, self._fail, Notices("en").say, "config.toml")

    async def _fail(self, tx: Transaction, member_id: str, reason: str) -> None:
        self.failed.append((member_id, reason))

    async def agents(self) -> dict[str, Agent]:
        return {agent.id: agent for agent in await self.database.read(list_agents)}

    def manifest(self, team_id: str) -> Path:
        return self.manifests / team_id / ".teambridge" / "manifest.json"


@pytest.fixture
def start(database: Database, tmp_path: Path) -> Start:
    return Start(database, tmp_path / "workspaces")


async def add_team(start: Start, *members: str) -> None:
    """A team that was made in the console."""

    async def add(tx: Transaction) -> None:
        team = Agent(id="club", kind="team", name="Club", owner_id="owner", origin="api")
        team.created_at = team.updated_at = tx.now
        await save_agent(tx, team)

    await start.database.write(add)
    start.rosters.seed("club", members)


async def add_open_job(start: Start, member_id: str) -> None:
    async def add(tx: Transaction) -> None:
        job = Job(id=f"job-{member_id}", number=1, room_id="r", member_id=member_id, member_name=member_id, call="1.0")
        job.side_session_id, job.turn_id, job.round_id, job.message = f"r~{member_id}", member_id, "i", "do"
        job.created_at = tx.now
        await add_job(tx, job)

    await start.database.write(add)


async def test_agents_and_teams_of_the_file_are_in_the_store(start: Start) -> None:
    assert await start(ANN, BO, teams=(STUDIO,)) == Reconciled(gone=(), damaged=())
    agents = await start.agents()
    assert {agent.origin for agent in agents.values()} == {"config"}
    assert {agent.owner_id for agent in agents.values()} == {"owner"}
    assert (agents["ann"].kind, agents["ann"].name, agents["ann"].tools) == ("expert", "Ann", ["file_read"])
    assert (agents["studio"].kind, agents["studio"].wake, agents["studio"].enabled) == ("team", "each", True)
    assert start.rosters.members("studio") == ("ann", "bo")
    assert start.rosters.guidelines("studio") == "Be brief."
    assert start.rosters.persona("studio")


async def test_the_file_is_applied_again_at_each_start(start: Start, clock: FakeClock) -> None:
    await start(ANN, BO, teams=(STUDIO,))
    before = await start.agents()
    await clock.advance(60)
    renamed = BO.model_copy(update={"name": "Bob", "enabled": False})
    await start(ANN, renamed, CY, teams=(STUDIO.model_copy(update={"members": ("cy", "bo")}),))
    after = await start.agents()
    assert (after["bo"].name, after["bo"].enabled) == ("Bob", False)
    assert after["bo"].created_at == before["bo"].created_at
    assert after["bo"].updated_at > before["bo"].updated_at
    assert after["ann"].updated_at == before["ann"].updated_at
    assert start.rosters.members("studio") == ("cy", "bo")


async def test_what_vanished_is_disabled_and_can_come_back(start: Start) -> None:
    await start(ANN, BO, CY, teams=(STUDIO,))
    assert (await start(ANN, BO)).gone == ("cy", "studio")
    agents = await start.agents()
    assert {agent.id for agent in agents.values() if not agent.enabled} == {"cy", "studio"}
    await start(ANN, BO, CY, teams=(STUDIO,))
    assert all(agent.enabled for agent in (await start.agents()).values())


async def test_who_left_the_file_leaves_the_rosters_and_its_open_jobs_fail(start: Start) -> None:
    await start(ANN, BO, CY)
    await add_team(start, "ann", "bo", "cy")
    await add_open_job(start, "cy")
    await add_open_job(start, "bo")
    await start(ANN, BO)
    assert start.rosters.members("club") == ("ann", "bo")
    assert start.failed == [("cy", "this expert is no longer in the team")]


async def test_a_disabled_agent_may_stand_on_a_roster(start: Start) -> None:
    await start(ANN, BO)
    await add_team(start, "ann", "bo")
    await add_open_job(start, "bo")
    await start(ANN, BO.model_copy(update={"enabled": False}))
    assert start.rosters.members("club") == ("ann", "bo")
    assert start.failed == []


async def test_who_was_disabled_before_it_left_the_file_leaves_too(start: Start) -> None:
    await start(ANN, BO, CY.model_copy(update={"enabled": False}))
    await add_team(start, "ann", "bo", "cy")
    await start(ANN, BO)
    assert start.rosters.members("club") == ("ann", "bo")


async def test_a_team_left_with_one_member_stops_the_start(start: Start) -> None:
    """T2: nothing has changed then."""
    await start(ANN, BO)
    await add_team(start, "ann", "bo")
    await add_open_job(start, "bo")
    with pytest.raises(ConfigError) as refused:
        await start(ANN)
    assert str(refused.value) == 'config.toml: agents: without "bo" the team "club" has fewer than 2 members'
    assert start.rosters.members("club") == ("ann", "bo")
    assert (await start.agents())["bo"].enabled
    assert start.failed == []


async def test_a_vanished_team_stops_no_start(start: Start) -> None:
    await start(ANN, BO, teams=(STUDIO,))
    await start(CY)
    assert start.rosters.members("studio") == ("ann", "bo")


@pytest.mark.parametrize("team_id", ["studio", "club"])
async def test_a_damaged_manifest_stays_and_is_said(start: Start, team_id: str) -> None:
    """T37: whoever made the team."""
    await start(ANN, BO, teams=(STUDIO,))
    await add_team(start, "ann", "bo")
    start.manifest(team_id).write_text("{")
    done = await start(ANN, BO, teams=(STUDIO,))
    assert [damage.path for damage in done.damaged] == [str(start.manifest(team_id))]
    assert start.manifest(team_id).read_text() == "{"
    with pytest.raises(DamagedManifest):
        start.rosters.members(team_id)
    assert (await start.agents())[team_id].enabled


async def test_guidelines_that_the_owner_wrote_into_the_folder_stay_if_the_file_has_none(start: Start) -> None:
    quiet = STUDIO.model_copy(update={"guidelines": ""})
    await start(ANN, BO, teams=(quiet,))
    start.rosters.set_guidelines("studio", "Written by hand.")
    await start(ANN, BO, teams=(quiet,))
    assert start.rosters.guidelines("studio") == "Written by hand."


async def test_the_file_does_not_take_over_an_agent_made_elsewhere(start: Start) -> None:
    await start(ANN, BO)
    await add_team(start, "ann", "bo")
    with pytest.raises(ConfigError, match=r'^config.toml: teams\[0\].id: "club" exists already'):
        await start(ANN, BO, teams=(STUDIO.model_copy(update={"id": "club"}),))


async def test_an_expert_does_not_become_a_team(start: Start) -> None:
    """T3."""
    await start(ANN, BO, CY)
    with pytest.raises(ConfigError, match=r'teams\[0\].id: "cy" was of kind expert before'):
        await start(ANN, BO, teams=(STUDIO.model_copy(update={"id": "cy"}),))


async def test_a_folder_that_cannot_be_written_is_one_sentence(start: Start) -> None:
    start.manifests.write_text("a file where the folder should be")
    with pytest.raises(ConfigError, match=r"^config.toml: data_dir: .*cannot be written"):
        await start(ANN, BO, teams=(STUDIO,))
    assert await start.agents() == {}
