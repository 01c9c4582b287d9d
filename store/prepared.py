"""Statements that every message asks: compiled once, then run by the driver itself.

What SQLAlchemy's session does around a statement takes several times as long as SQLite takes for the statement. A
`Prepared` keeps what the session would find out each time: the SQL, the order of its parameters, how columns become
values. Only SQLite is served so (`store.inline`); PostgreSQL gets `statement` in the usual way.
"""

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import BindParameter, bindparam, select
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import class_mapper
from sqlalchemy.sql.visitors import iterate

from store.base import Row
from store.plan import Plan, make_plan

T = TypeVar("T")
R = TypeVar("R", bound=Row)

_MOST_PLANS: Final = 100
"""Of one statement, for lists of as many lengths."""


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

    def plan(self, dialect: Dialect, params: Mapping[str, Any]) -> Plan:
        """How it is run with these parameters: an IN takes another SQL for every length of its list."""
        lengths = tuple(len(params[name]) for name in self._lists)
        if (known := self._plans.get(lengths)) is None:
            if len(self._plans) == _MOST_PLANS:
                self._plans.clear()
            known = self._plans[lengths] = make_plan(self.statement, self._items, dialect, params)
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


@cache
def by_key(kind: type[R]) -> Prepared[R]:
    """The row of a primary key, whose parts are the parameters key_0, key_1 …"""
    parts = [part == bindparam(f"key_{number}") for number, part in enumerate(class_mapper(kind).primary_key)]
    return Prepared(select(kind).where(*parts))
