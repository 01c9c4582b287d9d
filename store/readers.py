"""From a row of a driver's result to mapped rows and values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy.engine import Dialect
from sqlalchemy.orm import class_mapper
from sqlalchemy.orm.attributes import instance_state, manager_of_class

from store.base import Row

Key = tuple[Any, ...]
"""What SQLAlchemy calls a row's identity key: its class, its primary key, and None."""
Values = tuple[Any, ...]
"""A row as the driver gives it."""
Convert = Callable[[Any], Any]


class Holder(Protocol):
    """Who sees to it that a transaction has one object for each row."""

    def held(self, key: Key) -> Row | None:
        """The row of that key, if the transaction has it already."""

    def hold(self, key: Key, row: Row) -> None:
        """From now on this is the row of that key."""


class Reader(Protocol):
    """Reads one thing out of a result's row."""

    def read(self, values: Values, holder: Holder, *, refresh: bool) -> Any: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _Value:
    """A column."""

    place: int
    convert: Convert | None

    def read(self, values: Values, holder: Holder, *, refresh: bool) -> Any:
        value = values[self.place]
        return value if self.convert is None else self.convert(value)


class _Rows:
    """A mapped row, from `start` on; what an outer join did not find is None."""

    def __init__(self, kind: type[Row], start: int, dialect: Dialect) -> None:
        columns: list[Any] = list(kind.__table__.columns)
        self._kind = kind
        self._make = manager_of_class(kind).new_instance
        self._span = slice(start, start + len(columns))
        self._names = [column.key for column in columns]
        self._key = [columns.index(column) for column in class_mapper(kind).primary_key]
        conversions = [(column.key, _reading(column, dialect)) for column in columns]
        self._conversions = [(name, convert) for name, convert in conversions if convert is not None]

    def read(self, values: Values, holder: Holder, *, refresh: bool) -> Row | None:
        found = values[self._span]
        primary = tuple(found[place] for place in self._key)
        if primary[0] is None:
            return None
        key = (self._kind, primary, None)
        row = holder.held(key)
        if row is None:
            row = self._make()
            self._fill(row, found)
            instance_state(row).key = key
            holder.hold(key, row)
        elif refresh:
            self._fill(row, found)
        return row

    def _fill(self, row: Row, found: Values) -> None:
        attributes = vars(row)
        attributes.update(zip(self._names, found, strict=True))
        for name, convert in self._conversions:
            attributes[name] = convert(attributes[name])


def readers_of(items: Sequence[Any], dialect: Dialect) -> list[Reader]:
    """Readers for what a statement asks for (mapped classes and columns), in its order."""
    readers: list[Reader] = []
    start = 0
    for item in items:
        if isinstance(item, type) and issubclass(item, Row):
            readers.append(_Rows(item, start, dialect))
            start += len(item.__table__.columns)
        else:
            readers.append(_Value(place=start, convert=_reading(item, dialect)))
            start += 1
    return readers


def _reading(column: Any, dialect: Dialect) -> Convert | None:
    """How the driver's value becomes the column's."""
    convert: Convert | None = column.type.dialect_impl(dialect).result_processor(dialect, None)
    return convert
