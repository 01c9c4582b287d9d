"""One program with a Feishu channel serves a whole module."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.feishu.world import FeishuWorld, feishu_world
from tests.support.program import Nursery

ADMIN = "ou_the_admin"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def feishu_installation(
    tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, program_store: str
) -> AsyncIterator[FeishuWorld]:
    async with feishu_world(tmp_path_factory.mktemp("feishu"), launcher=nursery, admins=[ADMIN]) as running:
        yield running


@pytest.fixture
def lark(feishu_installation: FeishuWorld) -> FeishuWorld:
    """The module's program with a clean record; the last test must have left no fault behind."""
    world = feishu_installation
    assert not world.model.faults, world.model.faults
    assert not world.feishu.state.rate_refused, "the program kept to its budgets"
    assert not world.feishu.state.cards.refused, world.feishu.state.cards.refused
    assert not world.feishu.state.rung, world.feishu.state.rung
    world.model.forget()
    world.feishu.script.clear()
    return world
