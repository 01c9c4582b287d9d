"""What stands in any database, whatever its tables are: a test of upgrades must not know what the tables once were."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import BigInteger, Column, Connection, MetaData, Table, func, insert, inspect, null, select

FULL, LEAN = 1, 2
"""Each table gets two rows: one with a value in every column, one with NULL wherever that is allowed."""

ALEMBICS: Final = "alembic_version"
"""The only table that is not in the code."""

Rows = dict[str, list[dict[str, Any]]]

_SPEAKER: Final = {"id": "ann", "name": "Ann", "role": "user", "icon": ""}
_OBJECTS: Final = {
    "origin": {"channel_id": "hook", "chat_id": "c1", "thread": "", "message_id": "m1"},
    "speaker": _SPEAKER,
    "sender": _SPEAKER,
}
"""What the program reads back as values of its own."""

_VALUES: Final[Mapping[type, Callable[[Column[Any], int], object]]] = {
    bool: lambda column, row: row == FULL,
    bytes: lambda column, row: b"\x00\xff" * row,
    object: lambda column, row: _OBJECTS.get(column.name, {"什么": [row, "\U0001f600", None]}),
    float: lambda column, row: row + 0.25,
    int: lambda column, row: row + (2**40 if isinstance(column.type, BigInteger) else 0),
    str: lambda column, row: f"{column} 第{row}行 '\U0001f600'",
}


def fill(connection: Connection) -> None:
    """Put two rows into every table, those that others refer to first."""
    rows: Rows = {}
    for table in reflected(connection).sorted_tables:
        for row in (FULL, LEAN):
            connection.execute(insert(table).values(_row(table, row, rows)))
        rows[table.name] = _rows_of(connection, table)


def content(connection: Connection) -> Rows:
    """Every row of every table."""
    return {table.name: _rows_of(connection, table) for table in reflected(connection).sorted_tables}


def common(rows: Rows, other: Rows) -> Rows:
    """Of `rows` what `other` can know too: its tables, and of each the columns that both have."""
    return {name: sorted((_only(row, other[name]) for row in rows[name]), key=repr) for name in rows if name in other}


def orphans(connection: Connection) -> dict[str, int]:
    """How many rows refer to nothing, by the name of the reference."""
    counts: dict[str, int] = {}
    for table in reflected(connection).sorted_tables:
        for key in table.foreign_keys:
            lost = key.parent.is_not(None) & key.parent.not_in(select(key.column))
            counts[str(key.name)] = connection.scalar(select(func.count()).select_from(table).where(lost)) or 0
    return counts


def shape(connection: Connection) -> set[str]:
    """Columns, keys, constraints and indexes, a line each: also what alembic's comparison does not look at."""
    look = inspect(connection)
    keys = {at: [key] for at, key in look.get_multi_pk_constraint().items()}
    several = (look.get_multi_indexes(), look.get_multi_unique_constraints(), look.get_multi_foreign_keys())
    found = ((table, each) for part in (look.get_multi_columns(), keys, *several) for table, each in part.items())
    return {f"{table}: {_text(each)}" for (_, table), listed in found for each in listed if table != ALEMBICS}


def reflected(connection: Connection) -> MetaData:
    """The tables as they are, without alembic's own."""
    tables = MetaData()
    tables.reflect(connection, only=lambda name, _: name != ALEMBICS)
    return tables


def _row(table: Table, row: int, rows: Rows) -> dict[str, object]:
    """Numbers that the database gives are left to it: later rows must get the next ones."""
    own = [column for column in table.columns if column is not table.autoincrement_column]
    return {column.name: _value(column, row, rows) for column in own}


def _value(column: Column[Any], row: int, rows: Rows) -> object:
    if column.nullable and row == LEAN:
        return null()
    for key in column.foreign_keys:
        return rows[key.column.table.name][row - 1][key.column.name]
    return _VALUES[column.type.python_type](column, row)


def _rows_of(connection: Connection, table: Table) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(select(table)).mappings()]


def _only(row: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    return {column: row[column] for column in sorted(row) if not others or column in others[0]}


def _text(part: object) -> str:
    """Types and conditions are objects: alike if they read alike."""
    if isinstance(part, dict):
        return ", ".join(f"{name}={_text(part[name])}" for name in sorted(part))
    return str(part)
