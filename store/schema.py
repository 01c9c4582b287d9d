"""All tables at once: importing this module maps every row."""

from sqlalchemy import text

from store import (
    accounts,
    agents,
    approvals,
    audit,
    channels,
    chats,
    events,
    files,
    inbox,
    inputs,
    jobs,
    live,
    memory,
    outbox,
    people,
    sessions,
    shares,
    turns,
    usage,
)
from store.base import CONDITION, Row
from store.database import Database

__all__ = [
    "accounts",
    "agents",
    "approvals",
    "audit",
    "channels",
    "chats",
    "create_schema",
    "events",
    "files",
    "inbox",
    "inputs",
    "jobs",
    "live",
    "memory",
    "outbox",
    "people",
    "sessions",
    "shares",
    "turns",
    "usage",
]


async def create_schema(database: Database) -> None:
    """Create every table in an empty database, without migrations: for tests and for the first revision."""
    if not database.is_sqlite:
        tell_postgresql()
    await database.write(lambda tx: tx.orm.run_sync(lambda orm: Row.metadata.create_all(orm.connection())))


def tell_postgresql() -> None:
    """Give PostgreSQL the conditions of partial indexes; a revision must be drafted with them too."""
    for index in (index for table in Row.metadata.sorted_tables for index in table.indexes):
        if where := index.info.get(CONDITION):
            index.dialect_kwargs["postgresql_where"] = text(where)
