"""One program with a Slack channel serves a whole module."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.slack.world import SlackWorld, slack_world


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def slack_installation(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[SlackWorld]:
    async with slack_world(tmp_path_factory.mktemp("slack"), admins=["UBOSS"]) as running:
        yield running


@pytest.fixture
def studio(slack_installation: SlackWorld) -> SlackWorld:
    """The module's program with a clean record."""
    world = slack_installation
    assert not world.model.faults, world.model.faults
    assert world.slack.flood.refused == 0, "the program kept to its budgets"
    assert not world.slack.leaked
    world.model.forget()
    world.slack.script.clear()
    return world
