"""Rows written without SQLAlchemy's unit of work: an INSERT for a new one, an UPDATE of what was set in an old one."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import bindparam, insert, update
from sqlalchemy.orm import class_mapper, make_transient_to_detached
from sqlalchemy.orm.attributes import instance_state, set_committed_value

from store.base import Row, table
from store.prepared import Key, Prepared


def key_of(row: Row) -> Key:
    """The identity key of a row that is in its table."""
    key = instance_state(row).key
    assert key is not None
    return key


def changes_of(row: Row) -> dict[str, Any]:
    """What was set in the row since it was read or last written, by column."""
    before = instance_state(row).committed_state
    return {name: getattr(row, name) for name in before if getattr(row, name) != before[name]} if before else {}


def is_changed(row: Row) -> bool:
    return bool(instance_state(row).committed_state)


def written(row: Row) -> None:
    """What was set in the row stands in its table now."""
    for name in list(instance_state(row).committed_state):
        set_committed_value(row, name, getattr(row, name))


def added(row: Row, made: Any = None) -> None:
    """The row stands in its table now, under the number `made` if the table gives one."""
    if (name := counter_of(type(row))) is not None:
        set_committed_value(row, name, made)
    make_transient_to_detached(row)


def complete(row: Row) -> dict[str, Any]:
    """The values of all columns of a new row; what was left out gets the column's default, in the row too."""
    known, counter = vars(row), counter_of(type(row))
    for column in table(type(row)).columns:
        if column.key not in known and column.key != counter:
            set_committed_value(row, column.key, None if column.default is None else _default(column.default))
    return {name: value for name, value in known.items() if name != "_sa_instance_state" and name != counter}


def _default(default: Any) -> Any:
    return default.arg(None) if default.is_callable else default.arg


@cache
def counter_of(kind: type[Row]) -> str | None:
    """The column that the table numbers its rows in."""
    column = table(kind).autoincrement_column
    return None if column is None or column.autoincrement is not True else column.key


@cache
def insertion(kind: type[Row]) -> Prepared[Any]:
    """The INSERT of a row; where the table numbers its rows, its result is the number."""
    counter = counter_of(kind)
    names = [column.key for column in table(kind).columns if column.key != counter]
    statement = insert(table(kind)).values({name: bindparam(name) for name in names})
    return Prepared(statement if counter is None else statement.returning(table(kind).columns[counter]))


@cache
def change(kind: type[Row], names: frozenset[str]) -> Prepared[Any]:
    """The UPDATE of these columns of one row; its parameters are those of `change_parameters`."""
    key = [part == bindparam(f"key_{number}") for number, part in enumerate(class_mapper(kind).primary_key)]
    statement = update(table(kind)).where(*key)
    return Prepared(statement.values({name: bindparam(f"new_{name}") for name in names}))


def change_parameters(row: Row, changes: Mapping[str, Any]) -> dict[str, Any]:
    """What `change` is run with."""
    where = {f"key_{number}": part for number, part in enumerate(key_of(row)[1])}
    return where | {f"new_{name}": value for name, value in changes.items()}
