"""Contract 5: what is not as the document says is 400 with the path, and nothing is made of it."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from store.database import Database
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock

LISTS = ("/api/sessions", "/api/audit", "/api/deliveries", "/api/people")


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "key", "value", "rest"),
    [
        ("/api/agents", "enabled", 0, {"name": "A"}),
        ("/api/agents", "client_visible", "no", {"name": "A"}),
        ("/api/teams", "wave_timeout", True, {"name": "T", "member_ids": ["researcher", "writer"]}),
        ("/api/teams", "member_timeout", "9", {"name": "T", "member_ids": ["researcher", "writer"]}),
        ("/api/tokens", "expires_in_days", True, {"name": "T"}),
        ("/api/sessions", "project_id", "x" * 201, {"agent_id": "researcher"}),
    ],
)
async def test_a_value_of_another_type_was_taken_for_one(
    site: Site, path: str, key: str, value: object, rest: Mapping[str, Any]
) -> None:
    """`"enabled": 0` switched an agent off, `"wave_timeout": true` waited one second, a project's id had no end."""
    code, details = await site.refusal("POST", path, status=400, json={**rest, key: value})
    assert (code, details["path"]) == ("PARAM_INVALID", key)


async def test_a_whole_number_of_seconds_is_a_number(site: Site) -> None:
    team = {"name": "T", "member_ids": ["researcher", "writer"], "wave_timeout": 5}
    assert (await site.body("POST", "/api/teams", status=201, json=team))["wave_timeout"] == 5


async def test_the_cursor_of_another_list_gave_an_empty_page(site: Site) -> None:
    """It is refused, in every list; in its own it goes on."""
    for _ in range(2):
        await site.open()
    cursor = (await site.body("GET", "/api/sessions?limit=1", status=200))["next"]
    for path in LISTS[1:]:
        code, details = await site.refusal("GET", f"{path}?cursor={cursor}", status=400)
        assert (code, details) == ("PARAM_INVALID", {"path": "cursor"})
    assert len((await site.body("GET", f"/api/sessions?limit=1&cursor={cursor}", status=200))["items"]) == 1
