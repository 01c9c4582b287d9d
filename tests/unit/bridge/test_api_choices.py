"""What an agent may name, and how the console's files are kept by browsers."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.database import Database
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


async def test_models_and_tools_can_be_chosen(site: Site) -> None:
    found = await site.body("GET", "/api/choices", status=200)
    assert [model["name"] for model in found["models"]] == sorted(model["name"] for model in found["models"])
    assert all(set(model) == {"name", "default", "offline"} for model in found["models"])
    assert all(isinstance(tool, str) for tool in found["tools"])


async def test_strangers_choose_nothing(site: Site) -> None:
    assert (await site.get("/api/choices", token="")).status == 401


async def test_a_file_that_did_not_change_is_not_sent_again(site: Site) -> None:
    first = await site.get("/console/core/dom.js", token="")
    assert (first.status, first.content_type) == (200, "text/javascript")
    again = await site.client.get("/console/core/dom.js", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, await again.read()) == (304, b"")
    other = await site.client.get("/console/core/dom.js", headers={"If-None-Match": '"older"'})
    assert other.status == 200


async def test_only_files_of_the_console_are_served(site: Site) -> None:
    for name in ("core/nothing.js", "core/..%2F..%2Fapi%2Fauth.py", "..%2Fapi/auth.py"):
        assert (await site.get(f"/console/{name}", token="")).status == 404
