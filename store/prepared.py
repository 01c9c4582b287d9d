"""Statements that every message asks: compiled once, then run by the driver itself.

What SQLAlchemy's session does around a statement takes several times as long as SQLite takes for the statement. A
`Prepared` keeps what the session would find out each time: the SQL, the order of its parameters, how columns become
values. Only SQLite is served so (`store.inline`); PostgreSQL gets `statement` in the usual way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import BindParameter, Table, bindparam, select
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import class_mapper
from sqlalchemy.orm.attributes import instance_state, manager_of_class
from sqlalchemy.sql.compiler import ExpandedState, SQLCompiler
from sqlalchemy.sql.visitors import cloned_traverse, iterate

from store.base import Row

T = TypeVar("T")
R = TypeVar("R", bound=Row)
Key = tuple[Any, ...]
"""What SQLAlchemy calls a row's identity key: its class, its primary key, and None."""
Values = tuple[Any, ...]
Convert = Callable[[Any], Any]


class Holder(Protocol):
    """Who sees to it that a transaction has one object for each row."""

    def held(self, key: Key) -> Row | None:
        """The row of that key, if the transaction has it already."""

    def hold(self, key: Key, row: Row) -> None:
        """From now on this is the row of that key."""


class Prepared(Generic[T]):
    """A SELECT or UPDATE on mapped classes or their tables, its parameters named by `bindparam`.

    T is what a row of its result is read as: a mapped row or a value where the statement asks for one thing, a tuple
    where it asks for several.
    """

    def __init__(self, statement: Any) -> None:
        self.statement = statement
        self._plans: dict[tuple[int, ...], Plan] = {}

    @cached_property
    def width(self) -> int:
        """How many things it asks for."""
        return len(self._items)

    def plan(self, dialect: Dialect, params: Mapping[str, Any]) -> "Plan":
        """How it is run with these parameters: an IN takes another SQL for every length of its list."""
        lengths = tuple(len(params[name]) for name in self._lists)
        if (known := self._plans.get(lengths)) is None:
            known = self._plans[lengths] = self._compile(dialect, params)
        return known

    @cached_property
    def _lists(self) -> Sequence[str]:
        """The parameters that are lists."""
        binds = (each for each in iterate(self.statement) if isinstance(each, BindParameter))
        return sorted({each.key for each in binds if each.expanding and each.required})

    @cached_property
    def _items(self) -> Sequence[Any]:
        """What it asks for: mapped classes and columns."""
        if self.statement.is_select:
            return [item["expr"] for item in self.statement.column_descriptions]
        return list(self.statement.exported_columns)

    def _compile(self, dialect: Dialect, params: Mapping[str, Any]) -> "Plan":
        compiled = _with_literals(self.statement).compile(dialect=dialect)
        expanded = compiled.construct_expanded_state(dict(params), escape_names=False)
        return Plan(
            sql=expanded.statement,
            tables=_tables(self.statement),
            parameters=_parameters(compiled, expanded, dialect),
            items=_readers(self._items, dialect),
            refreshes=bool(self.statement.get_execution_options().get("populate_existing")),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One place in the SQL: the parameter that stands there, which of its list it is (None: it is none).

    One without a name has a value of its own, ready for the driver.
    """

    name: str
    place: int | None
    convert: Convert | None
    value: Any = None

    def pick(self, params: Mapping[str, Any]) -> Any:
        if not self.name:
            return self.value
        value = params[self.name] if self.place is None else params[self.name][self.place]
        return value if self.convert is None else self.convert(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A statement as the driver runs it. `tables` are those it looks at: what changed there must be written before."""

    sql: str
    tables: frozenset[str]
    parameters: Sequence[Parameter]
    items: Sequence["Reader"]
    refreshes: bool

    def arguments(self, params: Mapping[str, Any]) -> list[Any]:
        """The parameters in the order of the SQL."""
        return [parameter.pick(params) for parameter in self.parameters]

    def read(self, values: Values, holder: Holder) -> Any:
        """A row of the result."""
        if len(self.items) == 1:
            return self.items[0].read(values, holder, refresh=self.refreshes)
        return tuple(item.read(values, holder, refresh=self.refreshes) for item in self.items)


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


@cache
def by_key(kind: type[R]) -> Prepared[R]:
    """The row of a primary key, whose parts are the parameters key_0, key_1 …"""
    parts = [part == bindparam(f"key_{number}") for number, part in enumerate(class_mapper(kind).primary_key)]
    return Prepared(select(kind).where(*parts))


def _with_literals(statement: Any) -> Any:
    """The statement with its constants in the SQL itself: where SQLite chooses an index by a parameter's value (as it
    does with partial ones), it prepares the statement anew each time.
    """

    def inline(bind: BindParameter[Any]) -> None:
        bind.literal_execute = not bind.required

    return cloned_traverse(statement, {}, {"bindparam": inline})


def _tables(statement: Any) -> frozenset[str]:
    """The tables that a statement names, in subqueries too."""
    return frozenset(each.name for each in iterate(statement) if isinstance(each, Table))


def _parameters(compiled: SQLCompiler, expanded: ExpandedState, dialect: Dialect) -> list[Parameter]:
    lists = expanded.parameter_expansion
    within = {part: (name, place) for name, parts in lists.items() for place, part in enumerate(parts)}
    places = [within.get(each, (each, None)) for each in expanded.positiontup or ()]
    return [_parameter(compiled.binds[name], name, place, dialect) for name, place in places]


def _parameter(bind: BindParameter[Any], name: str, place: int | None, dialect: Dialect) -> Parameter:
    convert = bind.type.dialect_impl(dialect).bind_processor(dialect)
    if bind.required:
        return Parameter(name=name, place=place, convert=convert)
    whole: Any = bind.effective_value
    value = whole if place is None else whole[place]
    return Parameter(name="", place=None, convert=None, value=value if convert is None else convert(value))


def _readers(items: Sequence[Any], dialect: Dialect) -> list[Reader]:
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
