"""People of the channels: who asks to be let in, and the decision."""

from datetime import datetime
from functools import partial
from typing import Final, Literal

from pydantic import Field

from bridge.api.call import Body, Call, Page, Words
from bridge.api.cursor import pack, unpack
from bridge.api.errors import ApiError
from bridge.api.routes import Routes
from bridge.shape import Shape
from store.audit import record
from store.database import Transaction
from store.people import Person, find_person_by_id, list_people

routes: Final = Routes("people")


class PersonShape(Shape):
    """A sender of one channel (`channel_id`), whose id there is `external_id`."""

    id: str
    channel_id: str
    external_id: str
    name: str
    state: str
    pairing_code: str | None
    created_at: datetime


class Code(Body):
    """A pairing code, as a stranger or a group was told it."""

    code: Words = Field(min_length=1, max_length=64)


class ApprovedShape(Shape):
    """Who may speak from now on: a person, or everybody in a group."""

    channel_id: str
    name: str
    is_group: bool


class Listing(Shape):
    """Which people: in this state; the newest first."""

    state: Literal["known", "pending", "approved", "blocked"] | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: Words = ""


@routes.add("GET", "/api/people", errors=("PARAM_INVALID",))
async def index(call: Call, query: Listing) -> Page[PersonShape]:
    """People of my channels (for admins: of all), newest first."""
    before = unpack("people", query.cursor)

    async def look(tx: Transaction) -> list[Person]:
        mine = own_channels(call)
        return await list_people(tx, state=query.state, app_ids=mine, limit=query.limit + 1, before=before)

    found = await call.read(look)
    rows = found[: query.limit]
    last = pack("people", rows[-1].created_at, rows[-1].id) if len(found) > query.limit else None
    return Page(items=[_shape(row) for row in rows], next=last)


@routes.add("POST", "/api/people/approve", errors=("NOT_FOUND",))
async def approve_code(call: Call, body: Code) -> ApprovedShape:
    """Let the person or the group with this pairing code speak; the message that waited for this is answered."""
    approved = await call.parts.admission.approve_code(body.code, own_channels(call))
    if approved is None:
        raise ApiError("NOT_FOUND")
    await _write_down(call, "approve_code", approved.channel_id)
    return ApprovedShape(channel_id=approved.channel_id, name=approved.name, is_group=approved.is_group)


@routes.add("POST", "/api/people/{id}/approve", errors=("NOT_FOUND",))
async def approve(call: Call) -> PersonShape:
    """Let a person speak; the message that waited for this is answered."""
    person = await call.parts.admission.approve(await _own_person(call))
    await _write_down(call, "approve", person.id)
    return _shape(person)


@routes.add("POST", "/api/people/{id}/block", errors=("NOT_FOUND",))
async def block(call: Call) -> PersonShape:
    """Never listen to a person again."""
    person = await call.parts.admission.block(await _own_person(call))
    await _write_down(call, "block", person.id)
    return _shape(person)


def own_channels(call: Call) -> list[str] | None:
    """The ids of the channels that the user looks after; None for admins, who look after all."""
    if call.user.role == "admin":
        return None
    return [each.id for each in call.parts.plugboard.lineup.all() if each.owner_id == call.user.id]


async def _own_person(call: Call) -> str:
    person = await call.read(partial(find_person_by_id, person_id=call.named("id")))
    mine = own_channels(call)
    if person is None or (mine is not None and person.app_id not in mine):
        raise ApiError("NOT_FOUND")
    return person.id


async def _write_down(call: Call, verb: str, target_id: str) -> None:
    await call.write(partial(record, user_id=call.user.id, action=f"person.{verb}", target_id=target_id))


def _shape(person: Person) -> PersonShape:
    return PersonShape(
        id=person.id,
        channel_id=person.app_id,
        external_id=person.external_id,
        name=person.name,
        state=person.state,
        pairing_code=person.pairing_code,
        created_at=person.created_at,
    )
