"""Fixtures for tests of the bridge."""

from pathlib import Path

import pytest

from store.database import Database
from tests.support.clock import FakeClock
from tests.support.front import Front, open_front


@pytest.fixture
async def front(database: Database, clock: FakeClock, tmp_path: Path) -> Front:
    return await open_front(database, clock, tmp_path)
