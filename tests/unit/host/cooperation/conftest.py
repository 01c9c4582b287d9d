"""A house with experts that follow a script."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.database import Database
from tests.support.cast import Cast
from tests.support.clock import FakeClock
from tests.support.house import House, open_house


@pytest.fixture
def cast() -> Cast:
    return Cast()


@pytest.fixture
async def house(database: Database, clock: FakeClock, tmp_path: Path, cast: Cast) -> AsyncIterator[House]:
    async with open_house(database, clock, tmp_path, cast.script) as opened:
        await opened.add_expert("lead", instructions="I am lead")
        await opened.add_expert("coder", instructions="I am coder", description="writes code")
        await opened.add_expert("plain")
        yield opened
