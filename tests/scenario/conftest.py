"""One loop for all scenarios, so that a program may serve a whole module; each scenario plays on both databases."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.support.program import Nursery
from tests.support.stores import programs_on
from tests.support.world import World, world


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Fixtures of a module and its tests must share a loop."""
    for item in items:
        if "tests/scenario/" in item.nodeid and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="module", autouse=True, params=["sqlite", "postgresql"])
def program_store(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the programs of this module keep their store."""
    server = request.getfixturevalue("postgres_server") if request.param == "postgresql" else ""
    with programs_on(server):
        yield request.param


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nursery() -> AsyncIterator[Nursery]:
    """Where programs are born quickly; a few tests run a real exec."""
    async with Nursery() as forks:
        yield forks


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def installation(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[World]:
    """The usual configuration, for all tests of a module."""
    async with world(tmp_path_factory.mktemp("installation"), launcher=nursery) as running:
        yield running


@pytest.fixture
def studio(installation: World) -> World:
    """The module's installation with a clean record; the last test must have left no fault behind."""
    installation.reset()
    return installation
