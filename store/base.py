"""The declarative base and the three column types that all tables share."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, Index, MetaData, Table, text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

CONDITION = "where"
"""Under this name an index tells its condition."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime, kept as microseconds since 1970: exact and ordered alike on every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + value * _MICROSECOND


def later(now: datetime, before: datetime) -> datetime:
    """When a row is changed that was changed at `before`: editors compare these times, so no two are alike."""
    return max(now, before + _MICROSECOND)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where an input came from and where everything it causes is posted.

    `chat_id`, `thread` and `message_id` are the platform's own ids; `thread` is "" outside sub-conversations,
    `message_id` is "" where the platform gave none.
    """

    channel_id: str
    chat_id: str
    thread: str = ""
    message_id: str = ""


class OriginColumn(TypeDecorator[Origin]):
    """An Origin as a JSON object; NULL for work that came from the console or the API."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Origin | None, dialect: Dialect) -> dict[str, Any] | None:
        return None if value is None else dict(vars(value))

    def process_result_value(self, value: dict[str, Any] | None, dialect: Dialect) -> Origin | None:
        return None if value is None else Origin(**value)


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Who says something: `id` is an agent's or a person's id, `role` is host, member, user or system."""

    id: str
    name: str
    role: str
    icon: str = ""


class SpeakerColumn(TypeDecorator[Speaker]):
    """A Speaker as a JSON object."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Speaker | None, dialect: Dialect) -> dict[str, Any] | None:
        return None if value is None else dict(vars(value))

    def process_result_value(self, value: dict[str, Any] | None, dialect: Dialect) -> Speaker | None:
        return None if value is None else Speaker(**value)


def unique_where(name: str, column: str, where: str) -> Index:
    """A unique index over the rows that `where` picks.

    PostgreSQL learns the condition where its tables are made (`store.schema`): naming an option of a database here
    makes SQLAlchemy import everything it knows about that database, at every start.
    """
    return Index(name, column, unique=True, sqlite_where=text(where), info={CONDITION: where})


class Row(DeclarativeBase):
    """A mapped row. Read rows as values: every change goes through a named query."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: Moment,
        Origin: OriginColumn,
        Speaker: SpeakerColumn,
        dict[str, Any]: JSON,
        list[str]: JSON,
        list[dict[str, Any]]: JSON,
    }


def table(kind: type[Row]) -> Table:
    """The rows' table itself. A statement on it costs half of one on the class, and knows nothing of rows in hand."""
    assert isinstance(kind.__table__, Table)
    return kind.__table__
