"""Each platform's harness, one after the other."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from tests.contract.channel.feishu import feishu
from tests.contract.channel.harness import Harness
from tests.contract.channel.slack import slack
from tests.contract.channel.telegram import telegram
from tests.contract.channel.webhook import webhook

PLATFORMS: dict[str, Callable[[], AbstractAsyncContextManager[Harness]]] = {
    "webhook": webhook,
    "telegram": telegram,
    "slack": slack,
    "slack over http": lambda: slack("http"),
    "feishu": feishu,
    "feishu over http": lambda: feishu("webhook"),
}


@pytest.fixture(params=PLATFORMS)
async def harness(request: pytest.FixtureRequest) -> AsyncIterator[Harness]:
    async with PLATFORMS[request.param]() as opened:
        yield opened
