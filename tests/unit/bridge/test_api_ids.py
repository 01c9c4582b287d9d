"""Ids that people choose: two of them at the same moment."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from store.accounts import User, add_user
from store.database import Database, Transaction
from store.errors import Taken
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock

pytestmark = pytest.mark.both_databases
SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXR3bw=="
CREATES: dict[str, dict[str, Any]] = {
    "/api/agents": {"name": "New"},
    "/api/teams": {"name": "New", "member_ids": ["researcher", "writer"]},
    "/api/users": {"name": "New"},
    "/api/channels": {"platform": "webhook", "agent_id": "studio", "secret": SECRET},
}


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("path", CREATES)
async def test_one_of_two_simultaneous_creates_gets_the_id(site: Site, path: str) -> None:
    """Contract 5: one 201, the others are told that the id is taken; never a 500."""
    bodies = [CREATES[path] | {"id": "new", "name": f"New {n}"} for n in range(4)]
    if "channels" in path:
        bodies = [CREATES[path] | {"id": "new"} for _ in range(4)]
    answers = await asyncio.gather(*(site.post(path, json=body) for body in bodies))
    assert sorted(answer.status for answer in answers) == [201, 400, 400, 400]
    refused = [(await answer.json())["error"] for answer in answers if answer.status == 400]
    assert {error["code"] for error in refused} == {"PARAM_INVALID"}
    (name,) = [(await answer.json()).get("name") for answer in answers if answer.status == 201]
    if path in ("/api/agents", "/api/users", "/api/teams"):
        assert (await site.body("GET", f"{path}/new", status=200))["name"] == name


async def test_who_looked_before_the_other_wrote_is_told_as_well(site: Site) -> None:
    """The look before cannot tell: both transactions find the id free, and both add it."""
    both_looked = asyncio.Barrier(2 if not site.parts.database.is_sqlite else 1)

    async def work(tx: Transaction) -> None:
        await both_looked.wait()
        await add_user(tx, User(id="ann", name="Ann", role="member", created_at=tx.now))

    async with asyncio.timeout(10):
        ends = await asyncio.gather(
            *(site.parts.database.write(partial(work)) for _ in range(2)), return_exceptions=True
        )
    assert sorted(type(end).__name__ for end in ends) == ["NoneType", Taken.__name__]
