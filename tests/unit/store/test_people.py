"""Queries of people."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from store.database import Database, Transaction
from store.people import (
    Person,
    add_person,
    approve,
    block,
    count_pending_people,
    find_person,
    give_person_code,
    hold_person,
    list_people,
    person_by_code,
    release_expired_people,
    rename_person,
    tell_person_code,
)
from tests.support.clock import START, FakeClock

pytestmark = pytest.mark.both_databases


async def add(database: Database, person_id: str, *, app_id: str = "hook", **more: Any) -> None:
    async def work(tx: Transaction) -> None:
        fields = {"external_id": person_id, "created_at": tx.now, **more}
        await add_person(tx, Person(id=person_id, app_id=app_id, **fields))

    await database.write(work)


async def give_code(database: Database, person_id: str, code: str, first: dict[str, Any] | None = None) -> None:
    async def work(tx: Transaction) -> None:
        person = await hold_person(tx, person_id)
        assert person is not None
        await give_person_code(tx, person, code, first)
        await tell_person_code(tx, person)

    await database.write(work)


async def get(database: Database, person_id: str) -> Person:
    found = await database.read(partial(hold_person, person_id=person_id))
    assert found is not None
    return found


async def test_a_sender_is_one_person_per_channel(database: Database) -> None:
    """T36."""
    await add(database, "p1", external_id="ann")
    await add(database, "p2", external_id="ann", app_id="other")
    found = await database.read(partial(find_person, app_id="other", external_id="ann"))
    assert found is not None
    assert found.id == "p2"
    assert await database.read(partial(find_person, app_id="hook", external_id="bob")) is None
    with pytest.raises(IntegrityError):
        await add(database, "p3", external_id="ann")


async def test_a_code_makes_a_person_pending_and_an_approval_hands_out_the_first_message(database: Database) -> None:
    await add(database, "p1")
    await give_code(database, "p1", "CODE", {"text": "first"})
    pending = await get(database, "p1")
    assert (pending.state, pending.pairing_code, pending.code_made_at, pending.code_told_at) == (
        "pending",
        "CODE",
        START,
        START,
    )

    async def work(tx: Transaction) -> list[dict[str, Any] | None]:
        person = await hold_person(tx, "p1")
        assert person is not None
        return [await approve(tx, person), await approve(tx, person)]

    assert await database.write(work) == [{"text": "first"}, None]
    approved = await get(database, "p1")
    assert (approved.state, approved.pairing_code, approved.first_message) == ("approved", None, None)


async def test_a_block_forgets_the_code_and_the_message(database: Database) -> None:
    await add(database, "p1")
    await give_code(database, "p1", "CODE", {"text": "first"})

    async def work(tx: Transaction) -> None:
        person = await hold_person(tx, "p1")
        assert person is not None
        await block(tx, person)
        await rename_person(tx, person, "Ann")

    await database.write(work)
    blocked = await get(database, "p1")
    assert (blocked.state, blocked.pairing_code, blocked.first_message, blocked.name) == ("blocked", None, None, "Ann")


async def test_a_code_is_found_while_it_lives_in_its_channel(database: Database, clock: FakeClock) -> None:
    await add(database, "p1")
    await give_code(database, "p1", "CODE")

    async def find(code: str, app_id: str | None, since: timedelta) -> Person | None:
        work = partial(person_by_code, code=code, made_after=clock.now() - since, app_id=app_id)
        return await database.write(work)

    hour = timedelta(hours=1)
    assert await find("CODE", None, hour) is not None
    assert await find("CODE", "hook", hour) is not None
    assert await find("CODE", "other", hour) is None
    assert await find("EDOC", None, hour) is None
    assert await find("CODE", None, timedelta(0)) is None


async def test_people_are_listed_newest_first_page_by_page(database: Database, clock: FakeClock) -> None:
    for n in range(5):
        await add(database, f"p{n}", state="pending" if n % 2 else "approved", app_id="hook" if n < 4 else "other")
        await clock.advance(n % 2)
    seen: list[str] = []
    before = None
    while page := await database.read(partial(list_people, limit=2, before=before)):
        seen += [person.id for person in page]
        before = page[-1].created_at, page[-1].id
    assert seen == ["p4", "p3", "p2", "p1", "p0"]
    pending = await database.read(partial(list_people, state="pending", limit=10))
    assert [person.id for person in pending] == ["p3", "p1"]
    assert [each.id for each in await database.read(partial(list_people, app_ids=["other"], limit=10))] == ["p4"]


async def test_expired_people_are_released_and_the_others_stay(database: Database, clock: FakeClock) -> None:
    await add(database, "old")
    await give_code(database, "old", "OLD", {"text": "first"})
    await clock.advance(60)
    for person_id, app_id in (("young", "hook"), ("foreign", "other")):
        await add(database, person_id, app_id=app_id)
        await give_code(database, person_id, person_id)
    await database.write(partial(release_expired_people, app_id="hook", made_before=START))
    assert [(await get(database, each)).state for each in ("old", "young", "foreign")] == [
        "known",
        "pending",
        "pending",
    ]
    assert (await get(database, "old")).first_message is None
    assert await database.read(partial(count_pending_people, app_id="hook")) == 1
