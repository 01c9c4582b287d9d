"""Memory and time as models see them."""

import itertools
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from host.agent import Tool, ToolCall
from host.errors import ToolFault
from host.tools import matches, memory_tools, time_tool
from store.database import Database, Transaction
from store.memory import Memory
from tests.support.clock import FakeClock


class Memories:
    """The two memory tools of one agent in one scope."""

    def __init__(self, database: Database, agent_id: str = "host", scope: str = "room-1") -> None:
        numbers = itertools.count()
        search, save = memory_tools(
            database, lambda: f"{agent_id}-{scope}-{next(numbers):05}", agent_id=agent_id, scope=scope
        )
        self.tools = {search.name: search, save.name: save}

    async def save(self, text: str) -> object:
        return await use(self.tools["memory_save"], {"text": text})

    async def search(self, query: str) -> list[str]:
        answer: Any = await use(self.tools["memory_search"], {"query": query})
        return [each["text"] for each in answer["memories"]]


async def use(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    return await tool.run(ToolCall(id="c", number=1, position=0, name=tool.name, arguments=arguments))


async def thousand_entries(tx: Transaction) -> None:
    tx.orm.add_all(
        Memory(
            id=str(number),
            agent_id="host",
            scope="room-1",
            text=f"entry {number}",
            created_at=tx.now + timedelta(microseconds=number),
        )
        for number in range(1_000)
    )


@pytest.fixture
def memories(database: Database) -> Memories:
    return Memories(database)


async def test_what_was_saved_is_found_newest_first(memories: Memories, clock: FakeClock) -> None:
    for text in ("Ann likes green tea", "Bo likes coffee", "Ann now prefers black TEA"):
        await memories.save(text)
        await clock.advance(1)
    assert await memories.search("tea") == ["Ann now prefers black TEA", "Ann likes green tea"]
    assert await memories.search("cocoa") == []
    assert len(await memories.search("")) == 3


async def test_nothing_of_one_room_reaches_another(database: Database, memories: Memories) -> None:
    """X3, T36: not of another room and not of another agent in the same room."""
    await memories.save("the code word is swordfish")
    assert await Memories(database, scope="room-2").search("swordfish") == []
    assert await Memories(database, agent_id="writer").search("swordfish") == []
    assert await memories.search("swordfish") == ["the code word is swordfish"]


@pytest.mark.both_databases
async def test_saving_again_after_a_crash_leaves_one_entry(memories: Memories) -> None:
    await memories.save("x")
    await memories.save(" x ")
    assert await memories.search("") == ["x"]


@pytest.mark.both_databases
async def test_at_most_twenty_are_returned_and_a_thousand_kept(database: Database, clock: FakeClock) -> None:
    """R6."""
    memories = Memories(database)
    other = Memories(database, scope="room-2")
    await other.save("entry of another room")
    await database.write(thousand_entries)
    for number in (1_000, 1_001):
        await clock.advance(1)
        await memories.save(f"entry {number}")
    found = await use(memories.tools["memory_search"], {"query": "entry"})
    assert found["found"] == 1_000
    assert [each["text"] for each in found["memories"]] == [f"entry {number}" for number in range(1_001, 981, -1)]
    assert await other.search("entry") == ["entry of another room"]


@pytest.mark.parametrize("arguments", [{}, {"text": "  "}, {"text": "x" * 4_001}, {"text": 5}, {"text": None}])
async def test_what_cannot_be_saved_is_explained_to_the_model(memories: Memories, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolFault, match="memory_save: text: "):
        await use(memories.tools["memory_save"], arguments)
    assert await memories.search("") == []


async def test_keys_that_nobody_asked_for_are_ignored(memories: Memories) -> None:
    await use(memories.tools["memory_save"], {"text": "x" * 4_000, "mode": "async"})
    assert len(await memories.search("")) == 1


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("TEA", "green tea", True),
        ("tea Bonn", "lives in bonn", True),
        ("tea coffee milk", "lives in Bonn, drinks tea", False),
        ("龙井", "用户喜欢喝龙井茶", True),
        ("用户喜欢什么茶", "用户喜欢喝龙井", True),
        ("预算", "用户喜欢喝龙井", False),
        ("茶", "龙井茶", True),
        ("ＡＰＩ 密钥", "api 密钥放在保险箱", True),
        ("Straße", "STRASSE", True),
        ("", "anything", True),
        ("?!", "anything", True),
    ],
)
def test_matching(query: str, text: str, found: bool) -> None:
    assert matches(query, text) is found


async def test_the_time_in_a_zone(clock: FakeClock) -> None:
    told = await use(time_tool(clock), {"timezone": "Asia/Shanghai"})
    assert told == {"time": "2026-01-01T08:00:00+08:00", "weekday": "Thursday", "timezone": "Asia/Shanghai"}


@pytest.mark.parametrize("arguments", [{}, {"timezone": ""}, {"timezone": "UTC"}])
async def test_the_time_is_utc_unless_asked(clock: FakeClock, arguments: dict[str, str]) -> None:
    assert (await use(time_tool(clock), arguments))["time"] == "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize("zone", ["Mars/Base", "../../etc/passwd", "Asia", "/etc/localtime", "a\x00b", "x" * 5_000])
async def test_an_unknown_zone_is_answered_with_examples(clock: FakeClock, zone: str) -> None:
    with pytest.raises(ToolFault, match="Asia/Shanghai"):
        await use(time_tool(clock), {"timezone": zone})


async def test_a_zone_that_is_no_text_is_explained(clock: FakeClock) -> None:
    with pytest.raises(ToolFault, match="current_time: timezone: "):
        await use(time_tool(clock), {"timezone": 8})
