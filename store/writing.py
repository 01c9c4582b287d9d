"""Rows written without SQLAlchemy's unit of work: an INSERT for a new one, an UPDATE of what was set in an old one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Column, bindparam, insert, update
from sqlalchemy.orm import class_mapper
from sqlalchemy.orm.attributes import instance_state

from store.base import Row, table
from store.prepared import Prepared
from store.readers import Key


@dataclass(frozen=True, kw_only=True)
class Insertion:
    """How rows of one kind come into their table. `counter` is the column that the table numbers them in, if any."""

    statement: Prepared[Any]
    defaults: Sequence[tuple[str, Callable[[], Any]]]
    key: Sequence[str]
    counter: str | None

    def complete(self, row: Row) -> dict[str, Any]:
        """The values of all columns of a new row; what was left out gets the column's default, in the row too.

        Raises TypeError if something was left out that must be there.
        """
        values = vars(row)
        for name, default in self.defaults:
            if values.get(name) is None:
                values[name] = default()
        return values

    def done(self, row: Row, number: Any = None) -> Key:
        """The row stands in its table now, under this number if the table gives one; its key."""
        if self.counter is not None:
            vars(row)[self.counter] = number
        state = instance_state(row)
        state.committed_state.clear()
        state.key = (type(row), tuple(vars(row)[name] for name in self.key), None)
        return state.key


@cache
def insertion(kind: type[Row]) -> Insertion:
    """The INSERT of a row; where the table numbers its rows, its result is the number."""
    columns = table(kind).columns
    numbering = table(kind).autoincrement_column
    counter = None if numbering is None else numbering.key
    known = [each for each in columns if each.key != counter]
    statement = insert(table(kind)).values({each.key: bindparam(each.key) for each in known})
    return Insertion(
        statement=Prepared(statement if counter is None else statement.returning(columns[counter])),
        defaults=[(each.key, _default(each)) for each in known],
        key=[str(each.key) for each in class_mapper(kind).primary_key],
        counter=counter,
    )


def _default(column: Column[Any]) -> Callable[[], Any]:
    default: Any = column.default
    if default is None:
        return _nothing if column.nullable else partial(_missing, str(column))
    return (lambda: default.arg(None)) if default.is_callable else (lambda: default.arg)


def _nothing() -> None:
    return None


def _missing(name: str) -> None:
    raise TypeError(f"{name} is not set")


def is_new(row: Row) -> bool:
    """Whether the row has never stood in its table."""
    return instance_state(row).key is None


def is_changed(row: Row) -> bool:
    """Whether something was set in the row since it was read or last written."""
    return bool(instance_state(row).committed_state)


def changes_of(row: Row) -> dict[str, Any]:
    """What is to be written of the row, by column."""
    values = vars(row)
    return {name: values[name] for name, old in instance_state(row).committed_state.items() if values[name] != old}


def written(row: Row) -> None:
    """What was set in the row stands in its table now."""
    instance_state(row).committed_state.clear()


@cache
def change(kind: type[Row], names: frozenset[str]) -> Prepared[Any]:
    """The UPDATE of these columns of one row; its parameters are those of `change_parameters`."""
    key = [part == bindparam(f"key_{number}") for number, part in enumerate(class_mapper(kind).primary_key)]
    statement = update(table(kind)).where(*key)
    return Prepared(statement.values({name: bindparam(f"new_{name}") for name in names}))


def change_parameters(row: Row, changes: Mapping[str, Any]) -> dict[str, Any]:
    """What `change` is run with."""
    key: Any = instance_state(row).key
    where = {f"key_{number}": part for number, part in enumerate(key[1])}
    return where | {f"new_{name}": value for name, value in changes.items()}
