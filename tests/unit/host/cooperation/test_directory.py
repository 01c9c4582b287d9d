"""D1–D3: the directory of sessions."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from host.errors import ToolFault
from store.database import Transaction
from store.sessions import Session, add_session, delete_session, lock_session
from store.trees import directory
from tests.support.cast import Cast, session, use
from tests.support.house import House

pytestmark = pytest.mark.both_databases


async def begin(house: House, cast: Cast, **opening: str) -> str:
    cast.hold("plan")
    room = (await house.open("lead", **opening)).id
    await house.tell(room, "plan")
    await house.until(lambda: bool(house.models.asked))
    return room


async def finish(house: House, cast: Cast) -> None:
    for task in list(cast.held):
        cast.release(task)
    await house.quiet()


async def add(house: House, session_id: str, minute: int, **more: Any) -> None:
    """A session that changed last so many minutes before the clock began."""

    async def work(tx: Transaction) -> None:
        fields: dict[str, Any] = {
            "kind": "direct",
            "agent_id": "lead",
            "owner_id": "owner",
            "principal": "user:owner",
            "app_id": "console",
            "created_at": tx.now,
            "updated_at": tx.now.replace(year=2025, minute=minute),
            **more,
        }
        await add_session(tx, Session(id=session_id, **fields))

    await house.database.write(work)


def ids(found: dict[str, Any]) -> list[str]:
    return [each["session_id"] for each in found["sessions"]]


async def page(house: House, room: str, offset: int) -> Sequence[str]:
    found = await use(house, room, "list_sessions", f"call{offset}", scope="all", offset=offset)
    assert found["scope"] == "all"
    return ids(found)


async def test_all_projects_come_ten_at_a_time_the_newest_first_then_by_id_downwards(house: House, cast: Cast) -> None:
    """D1: 25 sessions → 10/10/5/0, no overlap. An ascending order fails here."""
    room = await begin(house, cast)
    for number in range(24):
        await add(house, f"s{number:02}", 59 - number // 2, project_id=f"p{number % 3}")
    pages = [await page(house, room, offset) for offset in (0, 10, 20, 30)]
    assert [len(each) for each in pages] == [10, 10, 5, 0]
    expected = [room]
    for pair in range(12):
        expected += [f"s{2 * pair + 1:02}", f"s{2 * pair:02}"]
    assert [each for found in pages for each in found] == expected
    await finish(house, cast)


async def test_an_offset_follows_the_live_order(house: House, cast: Cast) -> None:
    """D1: what changes meanwhile moves to the front."""
    room = await begin(house, cast)
    for number in range(12):
        await add(house, f"s{number:02}", 59 - number)
    assert await page(house, room, 10) == ["s09", "s10", "s11"]
    house.clock._seconds += 60
    await house.tell("s11", "hello")
    assert (await page(house, room, 0))[0] == "s11"
    assert await page(house, room, 10) == ["s08", "s09", "s10"]
    await finish(house, cast)


async def test_this_project_is_complete_and_unpaged(house: House, cast: Cast) -> None:
    """D1: also archived, side and child sessions; not other projects."""
    room = await begin(house, cast, project_id="p1")
    for number in range(30):
        await add(house, f"s{number:02}", number, project_id="p1")
    await add(house, "archived", 31, project_id="p1", status="ARCHIVED")
    await add(house, f"{room}~coder", 32, project_id="p1", kind="side")
    await add(house, "other", 33, project_id="p2")
    await use(house, room, "create_session", name="child", description="x")
    found = await use(house, room, "list_sessions", "call2")
    assert found["scope"] == "project"
    assert len(found["sessions"]) == 34
    assert {"archived", f"{room}~coder"} < set(ids(found))
    assert "other" not in ids(found)
    await finish(house, cast)


async def test_other_people_other_apps_and_the_deleted_are_never_there(house: House, cast: Cast) -> None:
    """D2: but what my team's borrowed member does for me is mine."""
    room = await begin(house, cast)
    await add(house, "theirs", 1, owner_id="bob", principal="user:bob")
    await add(house, "lent", 2, principal="user:bob", kind="side")
    await add(house, "chat", 3, app_id="hook", principal="person:p1")
    await add(house, "borrowed", 4, owner_id="bob", kind="side")
    await add(house, "gone", 5)

    async def delete(tx: Transaction) -> None:
        await delete_session(tx, await lock_session(tx, "gone"))

    await house.database.write(delete)
    for scope in ("project", "all"):
        assert set(ids(await use(house, room, "list_sessions", scope, scope=scope))) == {room, "borrowed"}
    await finish(house, cast)


async def test_by_its_id_a_session_of_another_project_is_read_and_given_work(house: House, cast: Cast) -> None:
    """D2: the scope narrows only the list."""
    other = (await house.open("coder", project_id="p2")).id
    room = await begin(house, cast, project_id="p1")
    given = await use(house, room, "submit_input", "s", target=other, description="elsewhere")
    await house.until(lambda: ("coder", "completed") in house.tally.turns)
    result = await use(house, room, "get_result", "g", input_id=given["input_id"])
    assert result["result"] == "done: elsewhere"
    await finish(house, cast)


@pytest.mark.parametrize("arguments", [{"scope": "everything"}, {"offset": -1}, {"scope": None}, {"offset": "many"}])
async def test_an_illegal_listing_is_refused(house: House, cast: Cast, arguments: dict[str, object]) -> None:
    """D2."""
    room = await begin(house, cast)
    with pytest.raises(ToolFault):
        await use(house, room, "list_sessions", **arguments)
    await finish(house, cast)


async def test_rows_are_compact_and_name_the_newest_turn(house: House, cast: Cast) -> None:
    """D3: exactly these keys."""
    room = await begin(house, cast, project_id="p1")
    made = await use(house, room, "create_session", name="child", description="x")
    await house.until(lambda: bool(house.tally.turns))
    found = {each["session_id"]: each for each in (await use(house, room, "list_sessions", "l"))["sessions"]}
    child = found[made["session_id"]]
    assert child == {
        "session_id": made["session_id"],
        "title": "child",
        "path": "/root/child",
        "root_session_id": room,
        "project_id": "p1",
        "turn_id": child["turn_id"],
        "turn_status": "completed",
        "waiting_for": None,
    }
    assert found[room]["turn_status"] == "running"
    assert (await session(house, room)).root_id == room
    await finish(house, cast)


async def test_the_order_of_the_query_itself(house: House) -> None:
    """D1: newest first, then the larger id."""
    for number, session_id in enumerate(("b", "c", "a")):
        await add(house, session_id, 5 if number < 2 else 6)
    find = partial(directory, principal="user:owner", app_id="console")
    assert [each.id for each in await house.database.read(find)] == ["a", "c", "b"]
