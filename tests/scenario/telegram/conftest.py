"""One program with a Telegram channel serves a whole module."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.telegram.world import TelegramWorld, telegram_world


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def telegram_installation(
    tmp_path_factory: pytest.TempPathFactory, program_store: str
) -> AsyncIterator[TelegramWorld]:
    async with telegram_world(tmp_path_factory.mktemp("telegram"), admins=["77"]) as running:
        yield running


@pytest.fixture
def bot(telegram_installation: TelegramWorld) -> TelegramWorld:
    """The module's program with a clean record."""
    world = telegram_installation
    assert not world.model.faults, world.model.faults
    assert world.telegram.flood.refused == 0, "the program kept to its budgets"
    world.model.forget()
    world.telegram.script.clear()
    return world
