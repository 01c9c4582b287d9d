"""The console in a real browser, in front of the real program."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.support.browser import CHROMIUM, Visitor, chromium, visitor
from tests.support.program import Nursery
from tests.support.world import World, world

Visits = Callable[..., AbstractAsyncContextManager[Visitor]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser, the program and the tests share a loop."""
    for item in items:
        if "tests/console/" in item.nodeid and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's chromium; where it must not be missing, a skip is a failure."""
    if CHROMIUM is None:
        assert not os.environ.get("TEAMBRIDGE_BROWSER_REQUIRED"), "chromium is missing"
        pytest.skip("the console in a browser: there is no chromium here (apt-get install chromium)")
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nursery() -> AsyncIterator[Nursery]:
    async with Nursery() as forks:
        yield forks


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def installation(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, nursery: Nursery
) -> AsyncIterator[World]:
    """The usual configuration, for all tests of a module."""
    async with world(tmp_path_factory.mktemp("console"), launcher=nursery) as running:
        yield running


@pytest.fixture
def studio(installation: World) -> World:
    installation.reset()
    return installation


@pytest.fixture
def visit(browser: Browser, studio: World) -> Visits:
    """`async with visit() as ann:` - somebody in a browser profile of their own."""
    return partial(visitor, browser, studio.program.url)
