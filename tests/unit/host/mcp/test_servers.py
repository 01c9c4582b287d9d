"""All servers as one source of tools: who gets which, and what people are told of an outage."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from host.mcp.outages import Outages
from host.mcp.servers import Servers
from host.model import Tool
from host.permissions import Account
from host.toolbox import Bench
from store.database import Database
from tests.support.cast import Cast, call
from tests.support.clock import FakeClock
from tests.support.house import House, Say, open_house
from tests.unit.host.mcp.conftest import Diary

pytestmark = pytest.mark.both_databases

ME = Account(id="owner")


class _Shelf:
    """Takes the servers once there is a house that they can tell their outages."""

    servers: Servers

    async def tools(self, names: Sequence[str], bench: Bench) -> list[Tool]:
        self.bench = bench
        self.found = await self.servers.tools(names, bench)
        return self.found


@pytest.fixture
def cast() -> Cast:
    return Cast()


@pytest.fixture
def shelf() -> _Shelf:
    return _Shelf()


@pytest.fixture
async def house(
    database: Database, clock: FakeClock, tmp_path: Path, cast: Cast, shelf: _Shelf, diary: Diary
) -> AsyncIterator[House]:
    """Experts with a server each, and one whose other server does not start."""
    specs = [
        replace(diary.spec(approval=("die", "nothing")), name="docs"),
        replace(diary.spec(approval=("*",)), name="notes"),
        replace(diary.spec("dead"), name="broken"),
    ]
    async with open_house(database, clock, tmp_path, cast.script, tools=(shelf,)) as opened:
        outages = Outages(database=database, scribe=opened.deps.scribe, say=opened.deps.say)
        async with Servers(specs, clock, outages.tell) as shelf.servers:
            await opened.add_expert("lead", tools=["docs"], instructions="I am lead")
            await opened.add_expert("coder", tools=["notes"], instructions="I am coder")
            await opened.add_expert("plain", tools=["docs", "broken", "unknown"], instructions="I am plain")
            yield opened


def offered(house: House, agent_id: str) -> list[set[str]]:
    """The servers whose tools stood in this agent's requests, request by request."""
    asked = [each for each in house.models.asked if f"I am {agent_id}" in each.system]
    return [{name.partition("__")[0] for name in each.tools if "__" in name} for each in asked]


async def outages(house: House, session_id: str) -> list[tuple[str, object]]:
    return [(each.text, each.origin) for each in await house.events(session_id) if each.kind == "notice"]


async def test_a_child_has_the_servers_of_its_own_agent(house: House, cast: Cast) -> None:
    """C3: with another agent its own set, without one the run's; checked on the request that reaches the model."""
    cast.parts["plan"] = [
        Say(
            calls=[
                call("create_session", name="theirs", description="look", agent_id="coder"),
                call("create_session", name="mine", description="look"),
            ]
        )
    ]
    session = await house.open("lead")
    await house.tell(session.id, "plan")
    await house.quiet()
    assert offered(house, "coder") == [{"notes"}]
    assert offered(house, "lead") == [{"docs"}] * 3


async def test_a_switch_changes_the_servers_with_the_next_turn(house: House) -> None:
    """S2: the next turn has the new agent's set, and only that; the request that reaches the model shows it."""
    session = await house.open("lead")
    await house.tell(session.id, "one")
    await house.quiet()
    await house.database.write(lambda tx: house.host.switch(tx, session.id, ME, "coder"))
    await house.tell(session.id, "two")
    await house.quiet()
    assert (offered(house, "lead"), offered(house, "coder")) == ([{"docs"}], [{"notes"}])


async def test_approvals_and_repetition_follow_the_configuration_and_the_server(house: House, shelf: _Shelf) -> None:
    """C12: `approval` names tools as the server does, "*" is all; only what the server calls harmless is repeated."""
    session = await house.open("lead")
    await house.tell(session.id, "one")
    await house.quiet()
    assert [tool.name for tool in shelf.found if tool.asks] == ["docs__die"]
    assert [tool.name for tool in shelf.found if tool.safe] == ["docs__peek"]
    await house.tell((await house.open("coder")).id, "one")
    await house.quiet()
    assert shelf.found
    assert all(tool.asks for tool in shelf.found)


async def test_an_outage_costs_the_servers_own_tools_and_is_told_once_in_a_turn(house: House, shelf: _Shelf) -> None:
    """Issue: a notice says so, the run goes on, nothing is posted; a resumed turn does not say it again."""
    session = await house.open("plain")
    await house.tell(session.id, "one")
    await house.quiet()
    words = ("工具服务 broken 暂时不可用，本轮没有它的工具。", None)
    assert offered(house, "plain") == [{"docs"}]
    assert await outages(house, session.id) == [words]
    await shelf.tools(["broken"], shelf.bench)
    assert await outages(house, session.id) == [words]
    await house.tell(session.id, "two")
    await house.quiet()
    assert await outages(house, session.id) == [words, words]


async def test_nobody_is_told_of_a_server_that_nobody_asked_for(house: House) -> None:
    session = await house.open("lead")
    await house.tell(session.id, "one")
    await house.quiet()
    assert await outages(house, session.id) == []
