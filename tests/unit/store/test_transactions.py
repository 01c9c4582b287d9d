"""One object for each row of a transaction, whichever way it was read, and what is set in it is there when asked for.

Every test runs on both databases: on SQLite rows are read and written without SQLAlchemy's session until somebody
wants it (`tx.orm`), on PostgreSQL always with it. Nobody may notice.
"""

from datetime import timedelta

import pytest
from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError

from store.accounts import User
from store.agents import Agent
from store.audit import AuditEntry
from store.base import Origin, Speaker, table
from store.database import Database, Transaction
from store.inbox import InboxEvent
from store.inputs import Input
from store.prepared import Prepared
from store.sessions import Session
from tests.support.clock import START

pytestmark = pytest.mark.both_databases

ALL: Prepared[Input] = Prepared(select(Input).order_by(Input.id))
AMONG: Prepared[Input] = Prepared(select(Input).where(Input.id.in_(bindparam("ids"))).order_by(Input.id))
PENDING: Prepared[str] = Prepared(select(Input.id).where(Input.state == "pending").order_by(Input.id))
FRESH: Prepared[Input] = Prepared(
    select(Input).where(Input.id == bindparam("input_id")).execution_options(populate_existing=True)
)
PAIRS: Prepared[tuple[User, Agent | None, str]] = Prepared(
    select(User, Agent, User.name).outerjoin(Agent, Agent.owner_id == User.id).order_by(User.id)
)
RENAME: Prepared[str] = Prepared(
    update(table(Input))
    .where(table(Input).c.id == bindparam("input_id"))
    .values(text=bindparam("words"))
    .returning(table(Input).c.text)
)


def question(name: str = "i1", **more: object) -> Input:
    known = {"session_id": "s1", "kind": "user", "position": 1, "round_id": name, "created_at": START}
    return Input(id=name, **known | more)


async def ask_questions(tx: Transaction) -> None:
    for name in ("i1", "i2", "i3"):
        await tx.add(question(name))


async def state_of(database: Database, name: str = "i1") -> str:
    found = await database.read(lambda tx: tx.get(Input, name))
    assert found is not None
    return found.state


async def test_a_new_row_knows_what_its_table_fills_in(database: Database) -> None:
    async def work(tx: Transaction) -> None:
        row = await tx.add(question())
        assert (row.state, row.text, row.data, row.sender, row.job_id) == ("pending", "", {}, None, None)

    await database.write(work)
    assert await state_of(database) == "pending"


async def test_rows_are_numbered_by_their_table(database: Database) -> None:
    async def work(tx: Transaction) -> list[int]:
        numbers = []
        for key in ("a", "b"):
            known = {"channel_id": "hook", "chat_id": "c1", "event_key": key, "message_key": None}
            numbers.append((await tx.add(InboxEvent(**known, event={}, received_at=tx.now))).number)
        return numbers

    first, second = await database.write(work)
    assert second == first + 1
    found = await database.read(lambda tx: tx.get(InboxEvent, second))
    assert found is not None
    assert found.event_key == "b"


async def test_a_number_is_the_tables_even_where_nobody_says_so(database: Database) -> None:
    """A whole number that is the only key, as SQLAlchemy understands it."""

    async def work(tx: Transaction) -> list[int]:
        known = {"user_id": "ann", "action": "agent.created", "target_id": "a", "data": {}}
        return [(await tx.add(AuditEntry(at=tx.now, **known))).number for _ in range(2)]

    first, second = await database.write(work)
    assert second == first + 1


async def test_every_type_of_column_comes_back_as_it_was(database: Database) -> None:
    origin = Origin(channel_id="hook", chat_id="聊天", thread="t")
    speaker = Speaker(id="p", name="安", role="user")
    data = {"deep": [1, {"two": None}], "words": "字\u2028"}

    async def work(tx: Transaction) -> None:
        await tx.add(question(origin=origin, sender=speaker, data=data, text="\x00"[:0] + "🙂"))
        session = {"id": "s1", "kind": "room", "agent_id": "a", "owner_id": "o", "principal": "p", "app_id": "hook"}
        await tx.add(Session(**session, created_at=tx.now, updated_at=tx.now, paused=True))

    await database.write(work)

    async def look(tx: Transaction) -> None:
        found, session = await tx.get(Input, "i1"), await tx.get(Session, "s1")
        assert found is not None
        assert session is not None
        assert (found.origin, found.sender, found.data, found.created_at) == (origin, speaker, data, START)
        assert (found.text, session.paused, session.is_git, session.frozen) == ("🙂", True, False, None)

    await database.read(look)


async def test_a_row_is_one_object(database: Database) -> None:
    """By key, by a statement of either kind, and as the row that was added."""
    await database.write(ask_questions)

    async def work(tx: Transaction) -> None:
        new = await tx.add(question("i4"))
        first = await tx.get(Input, "i1")
        assert (await tx.rows(ALL))[0] is first
        assert await tx.get(Input, "i4") is new
        assert await tx.orm.get(Input, "i1") is first
        assert list(await tx.orm.scalars(select(Input).where(Input.id == "i4"))) == [new]
        assert (await tx.rows(ALL))[3] is new
        assert await tx.in_hand(Input, "i1") is first

    await database.write(work)


async def test_what_is_set_is_stored_at_the_end(database: Database) -> None:
    await database.write(ask_questions)

    async def work(tx: Transaction) -> None:
        found = await tx.get(Input, "i1")
        assert found is not None
        found.state = "claimed"
        found.state, found.turn_id = "done", "t1"
        (await tx.add(question("i4"))).state = "cancelled"

    await database.write(work)
    assert (await state_of(database), await state_of(database, "i4")) == ("done", "cancelled")


async def test_what_is_set_is_found_at_once(database: Database) -> None:
    """By a statement of either kind, in either order."""
    await database.write(ask_questions)

    async def work(tx: Transaction) -> None:
        first, second, third = await tx.rows(ALL)
        first.state = "done"
        assert await tx.rows(PENDING) == ["i2", "i3"]
        second.state = "done"
        assert list(await tx.orm.scalars(select(Input.id).where(Input.state == "pending"))) == ["i3"]
        third.state = "done"
        assert await tx.rows(PENDING) == []
        first.state = "pending"
        assert await tx.rows(PENDING) == ["i1"]

    await database.write(work)
    assert (await state_of(database), await state_of(database, "i3")) == ("pending", "done")


async def test_what_a_statement_changed_is_seen_where_it_is_asked_for(database: Database) -> None:
    await database.write(ask_questions)

    async def work(tx: Transaction) -> None:
        first = await tx.get(Input, "i1")
        assert first is not None
        first.state = "claimed"
        assert await tx.rows(RENAME, input_id="i1", words="new") == ["new"]
        assert await tx.row(FRESH, input_id="i1") is first
        assert (first.text, first.state) == ("new", "claimed")

    await database.write(work)
    assert await state_of(database) == "claimed"


async def test_lists_of_every_length(database: Database) -> None:
    await database.write(ask_questions)

    async def look(tx: Transaction) -> None:
        for names in ([], ["i2"], ["i1", "i3"], ["i1", "i2", "i3"], ["i3", "none"]):
            assert [row.id for row in await tx.rows(AMONG, ids=names)] == [name for name in names if name != "none"]

    await database.read(look)


async def test_what_an_outer_join_misses_is_nothing(database: Database) -> None:
    async def work(tx: Transaction) -> None:
        for name in ("ann", "ben"):
            await tx.add(User(id=name, name=name.title(), role="member", created_at=tx.now))
        known = {"id": "a", "kind": "expert", "name": "A", "owner_id": "ann", "origin": "api"}
        agent = await tx.add(Agent(**known, created_at=tx.now, updated_at=tx.now))
        (ann, hers, name), (ben, his, _) = await tx.rows(PAIRS)
        assert (ann.id, hers, name, ben.id, his) == ("ann", agent, "Ann", "ben", None)

    await database.write(work)


async def test_a_second_row_of_the_same_key_is_refused(database: Database) -> None:
    """The fault has the same name on both, and takes the whole transaction with it."""
    await database.write(ask_questions)

    async def work(tx: Transaction) -> None:
        await tx.add(question("i9"))
        await tx.add(question("i1"))

    with pytest.raises(IntegrityError):
        await database.write(work)
    assert await database.read(lambda tx: tx.get(Input, "i9")) is None


async def test_the_next_transaction_begins_anew(database: Database) -> None:
    """What was read or set in one that failed is not seen by the next, and its rows stay what they were."""
    await database.write(ask_questions)
    kept: list[Input] = []

    async def fail(tx: Transaction) -> None:
        found = await tx.get(Input, "i1")
        assert found is not None
        found.state = "done"
        await tx.rows(PENDING)
        kept.append(found)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await database.write(fail)
    assert await state_of(database) == "pending"
    assert kept[0].created_at + timedelta() == START


async def test_what_a_reader_sets_is_stored_nowhere(database: Database) -> None:
    await database.write(ask_questions)

    async def look(tx: Transaction) -> None:
        found = await tx.get(Input, "i1")
        assert found is not None
        found.state = "done"
        await tx.rows(PENDING)

    await database.read(look)
    assert await state_of(database) == "pending"
