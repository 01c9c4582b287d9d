"""An app in a simulated workspace, on a clock that only tests move."""

import pytest
import pytest_asyncio

from tests.support.clock import FakeClock
from tests.support.slack.app import App, open_app


@pytest_asyncio.fixture
async def app(clock: FakeClock):  # type: ignore[no-untyped-def]
    """Events come over HTTP, so nothing ticks in the background."""
    async with open_app(clock) as opened:
        yield opened


@pytest.fixture
def chat(app: App) -> str:
    """A direct conversation with Ann."""
    app.slack.users["U42"] = "Ann"
    return app.slack.channel("D42", user="U42").id
