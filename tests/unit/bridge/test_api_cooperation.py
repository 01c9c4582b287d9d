"""The tree of sessions over HTTP: complete, in a constant number of queries, stopped and continued as a whole."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from store.database import Database, Transaction
from store.inputs import Input, add_input
from store.line import Line
from store.sessions import Session, add_session
from store.turns import Turn, add_turn
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def site(database: Database, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Site]:
    async with open_site(database, clock, tmp_path) as opened:
        yield opened


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements that the database is given meanwhile, through SQLAlchemy and past it."""
    seen: list[str] = []
    run = Line.run

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    def note_and_run(line: Line, sql: str, arguments: list[Any]) -> list[Any]:
        seen.append(sql)
        return run(line, sql, arguments)

    event.listen(Engine, "before_cursor_execute", note)
    setattr(Line, "run", note_and_run)  # noqa: B010
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        setattr(Line, "run", run)  # noqa: B010


async def grow(site: Site, root: str, members: int) -> None:
    """Children below the root, each with two ended turns and something in its queue."""

    async def work(tx: Transaction) -> None:
        for number in range(members):
            child = f"{root}-{number:03}"
            await add_session(tx, _child(tx, root, child, number))
            for run in range(2):
                await add_turn(tx, _turn(tx, child, run))
            for position, kind in enumerate(("coop", "message")):
                await add_input(tx, _input(tx, child, kind, position))

    await site.parts.database.write(work)


def _child(tx: Transaction, root: str, session_id: str, number: int) -> Session:
    return Session(
        id=session_id,
        kind="child",
        agent_id="writer",
        owner_id="owner",
        principal="user:owner",
        app_id="console",
        created_at=tx.now,
        updated_at=tx.now,
        parent_id=root,
        root_id=root,
        name=f"c{number:03}",
        path=f"/root/c{number:03}",
        frozen={},
    )


def _turn(tx: Transaction, session_id: str, number: int) -> Turn:
    turn_id = f"{session_id}-t{number}"
    return Turn(
        id=turn_id,
        session_id=session_id,
        input_id=f"{turn_id}-i",
        agent_id="writer",
        kind="coop",
        round_id=turn_id,
        rounds=[turn_id],
        prompt="",
        started_at=tx.now,
        state="completed",
    )


def _input(tx: Transaction, session_id: str, kind: str, position: int) -> Input:
    input_id = f"{session_id}-{kind}"
    return Input(
        id=input_id,
        session_id=session_id,
        kind=kind,
        position=position,
        round_id=input_id,
        created_at=tx.now,
        text=f"{kind} for {session_id}",
    )


async def queries(site: Site, members: int) -> int:
    root = await site.open("loner")
    await grow(site, root, members)
    with counted() as seen:
        tree = await site.body("GET", f"/api/sessions/{root}/cooperation", status=200)
    assert len(tree["sessions"]) == members + 1
    assert all(len(each["runs"]) == 2 and len(each["queue"]) == 2 for each in tree["sessions"][1:])
    return len(seen)


async def test_the_whole_tree_takes_the_same_queries_with_7_and_with_107_members(site: Site) -> None:
    """D3."""
    few, many = await queries(site, 7), await queries(site, 107)
    assert few == many <= 8


async def test_the_tree_says_who_does_what(site: Site) -> None:
    root = await site.open("loner")
    await grow(site, root, 1)
    tree = await site.body("GET", f"/api/sessions/{root}-000/cooperation", status=200)
    assert (tree["root_session_id"], tree["paused"], tree["slots"], tree["at_work"]) == (root, False, 4, 0)
    child = tree["sessions"][1]
    assert (child["path"], child["parent_session_id"], child["phase"], child["agent_id"]) == (
        "/root/c000",
        root,
        "QUEUED",
        "writer",
    )
    assert [each["kind"] for each in child["queue"]] == ["coop", "message"]
    camel = await site.body("GET", f"/v1/sessions/{root}/cooperation", status=200)
    assert camel["sessions"][1]["parentSessionId"] == root


async def test_a_tree_is_stopped_and_continued(site: Site) -> None:
    """C8 over HTTP."""
    root = await site.open("loner")
    await grow(site, root, 1)
    assert await site.body("POST", f"/api/sessions/{root}-000/tree/stop", status=200) == {"stopped": 0}
    assert (await site.body("GET", f"/api/sessions/{root}/cooperation", status=200))["paused"]
    assert await site.body("POST", f"/api/sessions/{root}/tree/continue", status=200) == {"continued": 1}
    assert not (await site.body("GET", f"/api/sessions/{root}/cooperation", status=200))["paused"]


async def test_a_room_is_no_tree_to_stop_and_a_strangers_is_not_found(site: Site) -> None:
    room = await site.open("studio")
    for what in ("stop", "continue"):
        refused = await site.body("POST", f"/api/sessions/{room}/tree/{what}", status=400)
        assert refused["error"]["code"] == "PARAM_INVALID"
        missing = await site.body("POST", f"/api/sessions/nothing/tree/{what}", status=404)
        assert missing["error"]["code"] == "SESSION_NOT_FOUND"


async def test_the_tree_of_a_child_whose_root_was_deleted_is_still_shown_and_stopped(site: Site) -> None:
    """C8: what is below goes on, so it can be looked at and stopped; the deleted root is not among it (D2)."""
    root = await site.open("loner")
    await grow(site, root, 1)
    assert (await site.ask("DELETE", f"/api/sessions/{root}")).status == 204
    assert await site.body("POST", f"/api/sessions/{root}-000/tree/stop", status=200) == {"stopped": 0}
    tree = await site.body("GET", f"/api/sessions/{root}-000/cooperation", status=200)
    assert (tree["root_session_id"], tree["paused"]) == (root, True)
    assert [each["path"] for each in tree["sessions"]] == ["/root/c000"]


async def test_a_child_is_neither_switched_nor_reopened(site: Site) -> None:
    """S4: on both mounts."""
    root = await site.open("loner")
    await grow(site, root, 1)
    for mount, key in (("/api", "agent_id"), ("/v1", "agentId")):
        url = f"{mount}/sessions/{root}-000"
        for method, end in (("PATCH", ""), ("POST", "/reopen-with-agent")):
            refused = await site.refusal(method, f"{url}{end}", status=400, json={key: "researcher"})
            assert refused[0] == "PARAM_INVALID"
