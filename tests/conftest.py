"""Fixtures that every test may ask for."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from store.clock import SystemClock
from store.database import Database, sqlite_url
from store.schema import create_schema
from tests.support.clock import FakeClock
from tests.support.postgres import binaries, running_postgres
from tests.support.stores import NewStore


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "both_databases: run on SQLite and, where the machine has it, on PostgreSQL")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("both_databases") and "store_kind" in metafunc.fixturenames:
        metafunc.parametrize("store_kind", ["sqlite", "postgresql"])


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store_kind() -> str:
    """Which database a test gets; tests marked `both_databases` run once with each."""
    return "sqlite"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A server of our own, started when the first test needs it; where it must not be missing, a skip is a failure."""
    programs = binaries()
    if programs is None:
        assert not os.environ.get("TEAMBRIDGE_POSTGRESQL_REQUIRED"), "PostgreSQL is missing"
        pytest.skip("no PostgreSQL on this machine (apt-get install postgresql)")
    with running_postgres(programs) as url:
        yield url


@pytest.fixture
def new_store(request: pytest.FixtureRequest, tmp_path: Path, store_kind: str) -> NewStore:
    """Makes an empty database of the test's kind and tells its URL."""

    async def make(name: str) -> str:
        if store_kind == "postgresql":
            return await _new_database(request.getfixturevalue("postgres_server"))
        return sqlite_url(tmp_path / f"{name}.db")

    return make


@pytest.fixture
async def database(new_store: NewStore, clock: FakeClock) -> AsyncIterator[Database]:
    """An empty store with the injected clock."""
    async with Database(await new_store("test"), clock) as opened:
        await create_schema(opened)
        yield opened


async def _new_database(server: str) -> str:
    name = f"t{uuid4().hex}"
    async with Database(server, SystemClock()) as opened, opened.connection() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
    return server.replace("/postgres?", f"/{name}?")
