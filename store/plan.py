"""A statement as the driver runs it: SQL, the order of its parameters, and how its result is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Table
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import ExpandedState, SQLCompiler
from sqlalchemy.sql.visitors import cloned_traverse, iterate

from store.readers import Convert, Holder, Reader, Values, readers_of


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
    items: Sequence[Reader]
    refreshes: bool

    def arguments(self, params: Mapping[str, Any]) -> list[Any]:
        """The parameters in the order of the SQL."""
        return [parameter.pick(params) for parameter in self.parameters]

    def read(self, values: Values, holder: Holder) -> Any:
        """A row of the result."""
        if len(self.items) == 1:
            return self.items[0].read(values, holder, refresh=self.refreshes)
        return tuple(item.read(values, holder, refresh=self.refreshes) for item in self.items)


def make_plan(statement: Any, items: Sequence[Any], dialect: Dialect, params: Mapping[str, Any]) -> Plan:
    """The plan of a statement that asks for these items, for lists as long as those of these parameters."""
    compiled = _with_literals(statement).compile(dialect=dialect)
    expanded = compiled.construct_expanded_state(dict(params), escape_names=False)
    return Plan(
        sql=expanded.statement,
        tables=_tables(statement),
        parameters=_parameters(compiled, expanded, dialect),
        items=readers_of(items, dialect),
        refreshes=bool(statement.get_execution_options().get("populate_existing")),
    )


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
