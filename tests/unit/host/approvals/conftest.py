"""A house whose experts have tools that ask."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.database import Database
from tests.support.cast import Cast
from tests.support.clock import FakeClock
from tests.support.errands import NAMES, Errands
from tests.support.house import House, open_house


@pytest.fixture
def cast() -> Cast:
    return Cast()


@pytest.fixture
def errands() -> Errands:
    return Errands()


@pytest.fixture
async def house(
    database: Database, clock: FakeClock, tmp_path: Path, cast: Cast, errands: Errands
) -> AsyncIterator[House]:
    async with open_house(database, clock, tmp_path, cast.script, tools=[errands]) as opened:
        await opened.add_expert("lead", instructions="I am lead", tools=list(NAMES))
        await opened.add_expert("other", instructions="I am other", tools=list(NAMES))
        yield opened
