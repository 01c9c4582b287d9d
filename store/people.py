"""People: durable records of platform identities, and whether they may speak."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import JSON, UniqueConstraint, bindparam, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.prepared import Prepared

MOVES: Final[dict[str, tuple[str, ...]]] = {
    "known": ("pending", "approved", "blocked"),
    "pending": ("known", "approved", "blocked"),
    "approved": ("blocked",),
    "blocked": ("approved",),
}
"""From each state of a person to the next ones; back to `known` goes a pending one whose code ran out."""


class Person(Row):
    """One sender of one channel (`app_id`). `state`: known, pending, approved, blocked (see MOVES).

    A known person has spoken where no approval is needed (a served group, an open channel). `external_id` is the
    platform's id. `code_made_at` starts the 24 hours of a pairing code, `code_told_at` the hour in which it is not
    told again. `first_message` is the event (≤ 4 kB) that led to the code, answered after approval.
    """

    __tablename__ = "people"
    __table_args__ = (UniqueConstraint("app_id", "external_id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    app_id: Mapped[str]
    external_id: Mapped[str]
    created_at: Mapped[datetime]
    name: Mapped[str] = mapped_column(default="")
    state: Mapped[str] = mapped_column(default="known")
    pairing_code: Mapped[str | None] = mapped_column(default=None, index=True)
    code_made_at: Mapped[datetime | None] = mapped_column(default=None)
    code_told_at: Mapped[datetime | None] = mapped_column(default=None)
    first_message: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), default=None)


_SENDER: Prepared[Person] = Prepared(
    select(Person).where(Person.app_id == bindparam("app_id"), Person.external_id == bindparam("external_id"))
)


async def find_person(tx: Transaction, app_id: str, external_id: str) -> Person | None:
    """The person behind a platform's sender id."""
    return await tx.row(_SENDER, app_id=app_id, external_id=external_id)


async def find_person_by_id(tx: Transaction, person_id: str) -> Person | None:
    return await tx.get(Person, person_id)


async def hold_person(tx: Transaction, person_id: str) -> Person | None:
    """The person, held by this transaction until it ends."""
    return await tx.orm.get(Person, person_id, with_for_update=True, populate_existing=True)


async def person_by_code(
    tx: Transaction, code: str, *, made_after: datetime, app_id: str | None = None
) -> Person | None:
    """The pending person whose code this is, if it was made after that time (in that channel); held until the end."""
    query = select(Person).where(Person.pairing_code == code, Person.code_made_at > made_after)
    if app_id is not None:
        query = query.where(Person.app_id == app_id)
    return (await tx.orm.scalars(query.order_by(Person.created_at).limit(1).with_for_update())).first()


async def list_people(
    tx: Transaction,
    *,
    state: str | None = None,
    app_ids: Collection[str] | None = None,
    limit: int,
    before: tuple[datetime, str] | None = None,
) -> list[Person]:
    """People (of these channels), newest first; `before` is the (created_at, id) of the last row already seen."""
    query = select(Person).order_by(Person.created_at.desc(), Person.id.desc()).limit(limit)
    if state is not None:
        query = query.where(Person.state == state)
    if app_ids is not None:
        query = query.where(Person.app_id.in_(app_ids))
    if before is not None:
        at, last = before
        query = query.where(or_(Person.created_at < at, (Person.created_at == at) & (Person.id < last)))
    return list(await tx.orm.scalars(query))


async def count_pending_people(tx: Transaction, app_id: str) -> int:
    pending = Person.app_id == app_id, Person.state == "pending"
    return (await tx.orm.scalar(select(func.count()).select_from(Person).where(*pending))) or 0


async def add_person(tx: Transaction, person: Person) -> Person:
    return await tx.add(person)


async def rename_person(tx: Transaction, person: Person, name: str) -> None:
    person.name = name


async def give_person_code(tx: Transaction, person: Person, code: str, first_message: dict[str, Any] | None) -> None:
    """A new code: the person is pending from now on."""
    person.state, person.pairing_code, person.code_made_at, person.code_told_at = "pending", code, tx.now, None
    person.first_message = first_message


async def tell_person_code(tx: Transaction, person: Person) -> None:
    """The code is being told now."""
    person.code_told_at = tx.now


async def approve(tx: Transaction, person: Person) -> dict[str, Any] | None:
    """The person may speak; the message that waited for this, handed out once."""
    waiting, person.first_message = person.first_message, None
    person.state, person.pairing_code = "approved", None
    return waiting


async def block(tx: Transaction, person: Person) -> None:
    """The person may speak nowhere in the channel; what waited is forgotten."""
    person.state, person.pairing_code, person.first_message = "blocked", None, None


async def release_expired_people(tx: Transaction, app_id: str, *, made_before: datetime) -> None:
    """Pending people whose code was made up to that time are merely known again, and what waited is forgotten."""
    expired = Person.app_id == app_id, Person.state == "pending", Person.code_made_at <= made_before
    forgotten: dict[str, Any] = {"state": "known", "pairing_code": None, "first_message": None}
    await tx.orm.execute(update(Person).where(*expired).values(forgotten))
