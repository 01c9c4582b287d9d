"""The revisions make exactly the tables of the code, cheaply and on both databases."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TypeVar, cast

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Index, create_engine, select, text
from sqlalchemy.exc import IntegrityError

from store.accounts import Token, add_token
from store.base import Row
from store.database import Database, Transaction, sqlite_url
from store.errors import StoreTooNew, StoreUnavailable
from store.inbox import InboxEvent, add_event, next_pending
from store.migrations.run import configured
from store.upgrade import head, upgrade
from tests.support import schema
from tests.support.clock import START, FakeClock
from tests.support.stores import NewStore

T = TypeVar("T")

REVISIONS = ["base", *(script.revision for script in ScriptDirectory.from_config(configured()).walk_revisions())]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of `empty` on SQLite."""
    return tmp_path / "new.db"


@pytest.fixture
async def empty(new_store: NewStore, clock: FakeClock) -> AsyncIterator[Database]:
    async with Database(await new_store("new"), clock) as opened:
        yield opened


def differences(connection: Connection) -> list[object]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, Row.metadata))


def on_connection(work: Callable[[Connection], T]) -> Callable[[Transaction], Awaitable[T]]:
    return lambda tx: tx.orm.run_sync(lambda orm: work(orm.connection()))


def at_revision(connection: Connection, revision: str) -> schema.Rows:
    """Make the store of an earlier program; what stands in it."""
    command.upgrade(configured(connection=connection), revision)
    schema.fill(connection)
    return schema.content(connection)


@pytest.mark.both_databases
async def test_an_upgraded_store_has_exactly_the_tables_of_the_code(empty: Database) -> None:
    """Fails when a table was changed without a revision: draft one (store/migrations/draft.py)."""
    await upgrade(empty)
    assert await empty.read(on_connection(differences)) == []


@pytest.mark.both_databases
@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_store_of_any_revision_becomes_the_newest_and_keeps_every_row(
    database: Database, new_store: NewStore, clock: FakeClock, revision: str
) -> None:
    """R1: what an earlier program stored is there after the upgrade, in exactly the tables of the code."""
    url = await new_store("old")
    async with Database(url, clock) as earlier:
        before = await earlier.write(on_connection(partial(at_revision, revision=revision)))
    async with Database(url, clock) as store:
        await upgrade(store)
        after = await store.read(on_connection(schema.content))
        assert before.keys() <= after.keys()
        assert schema.common(after, before) == schema.common(before, after)
        assert set((await store.read(on_connection(schema.orphans))).values()) == {0}
        assert await store.read(on_connection(differences)) == []
        assert await store.read(on_connection(schema.shape)) == await database.read(on_connection(schema.shape))
        await works(store)


async def read_all(tx: Transaction) -> None:
    for mapper in Row.registry.mappers:
        (await tx.orm.scalars(select(mapper.class_))).all()


async def works(store: Database) -> None:
    """All of it can be read as values of the program; a new row gets a number of its own; references are guarded."""
    await store.read(read_all)
    event = InboxEvent(channel_id="hook", chat_id="c1", event_key="e1", event={"text": "hi"}, received_at=START)
    await store.write(lambda tx: add_event(tx, event))
    found = await store.read(partial(next_pending, channel_id="hook", chat_id="c1"))
    assert found is not None
    assert found.event == {"text": "hi"}
    nobodys = Token(id="t", user_id="nobody", use="api", hash="h", created_at=START)
    with pytest.raises(IntegrityError):
        await store.write(lambda tx: add_token(tx, nobodys))


async def test_upgrading_again_changes_nothing_and_does_not_load_alembic(empty: Database, file: Path) -> None:
    """A start on a store that is up to date must cost next to nothing."""
    await upgrade(empty)
    await empty.close()
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from store.clock import SystemClock\n"
        "from store.database import Database, sqlite_url\n"
        "from store.upgrade import upgrade\n"
        "asyncio.run(upgrade(Database(sqlite_url(Path(sys.argv[1])), SystemClock())))\n"
        "sys.exit('alembic' in sys.modules)\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, file)
    assert await process.wait() == 0


@pytest.mark.both_databases
async def test_two_processes_may_upgrade_at_the_same_moment(new_store: NewStore, clock: FakeClock) -> None:
    url = await new_store("new")
    async with Database(url, clock) as one, Database(url, clock) as two:
        await asyncio.gather(upgrade(one), upgrade(two))
        assert await one.read(_version) == await two.read(_version) == head()


async def test_the_newest_file_is_the_head(empty: Database) -> None:
    await upgrade(empty)
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        assert ScriptDirectory.from_config(configured(connection=connection)).get_current_head() == head()
    engine.dispose()


@pytest.mark.both_databases
async def test_a_store_of_a_newer_program_is_refused_and_left_alone(empty: Database) -> None:
    await upgrade(empty)
    await empty.write(lambda tx: tx.orm.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(StoreTooNew, match=r"newer teambridge \(revision 9999\)"):
        await upgrade(empty)
    assert await empty.read(_version) == "9999"


async def test_a_store_that_cannot_be_opened_is_unavailable(tmp_path: Path, clock: FakeClock) -> None:
    async with Database(sqlite_url(tmp_path / "no" / "folder.db"), clock) as unreachable:
        with pytest.raises(StoreUnavailable):
            await upgrade(unreachable)


def test_every_constraint_and_index_has_a_name_of_its_own() -> None:
    """PostgreSQL refuses two of the same name in one schema, SQLite does not tell."""
    tables = Row.metadata.tables.values()
    names = [str(one.name) for table in tables for one in cast("list[Index]", [*table.constraints, *table.indexes])]
    assert sorted(names) == sorted(set(names))


def test_the_revisions_can_be_written_for_postgresql() -> None:
    written = StringIO()
    config = configured(dialect_name="postgresql")
    config.output_buffer = written
    command.upgrade(config, "head", sql=True)
    assert "CREATE UNIQUE INDEX uq_turns_one_live ON turns (session_id) WHERE state = 'live'" in written.getvalue()


async def _version(tx: Transaction) -> str:
    return str((await tx.orm.execute(text("SELECT version_num FROM alembic_version"))).scalar_one())
