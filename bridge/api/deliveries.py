"""Deliveries: what was sent to the platforms, and what could not be."""

from datetime import datetime
from functools import partial
from typing import Final, Literal

from pydantic import Field

from bridge.api.call import Call, Page, Words
from bridge.api.cursor import pack, unpack
from bridge.api.errors import ApiError
from bridge.api.people import own_channels
from bridge.api.routes import Routes
from bridge.outgoing import load_message
from bridge.shape import Shape
from store.audit import record
from store.database import Transaction
from store.outbox import Delivery, find_delivery, list_deliveries

routes: Final = Routes("deliveries")


class DeliveryShape(Shape):
    """One message to a platform. `id` is its `delivery_id` there; `reason` is what went wrong last."""

    id: str
    channel_id: str
    chat_id: str
    session_id: str
    seq: int
    kind: str
    text: str
    state: Literal["pending", "sent", "dead", "uncertain"]
    attempts: int
    reason: str
    created_at: datetime
    due_at: datetime
    sent_at: datetime | None


class Listing(Shape):
    """Which deliveries: in this state; the newest first."""

    state: Literal["pending", "sent", "dead", "uncertain"] | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: Words = ""


@routes.add("GET", "/api/deliveries", errors=("PARAM_INVALID",))
async def index(call: Call, query: Listing) -> Page[DeliveryShape]:
    """Deliveries of my channels (for admins: of all), newest first."""
    before = unpack("deliveries", query.cursor)

    async def look(tx: Transaction) -> list[Delivery]:
        mine = own_channels(call)
        return await list_deliveries(tx, state=query.state, channel_ids=mine, limit=query.limit + 1, before=before)

    found = await call.read(look)
    rows = found[: query.limit]
    last = pack("deliveries", rows[-1].created_at, rows[-1].id) if len(found) > query.limit else None
    return Page(items=[_shape(row) for row in rows], next=last)


@routes.add("POST", "/api/deliveries/{id}/retry", status=202, errors=("NOT_FOUND",))
async def retry(call: Call) -> DeliveryShape:
    """Try a dead or uncertain delivery again; any other stays as it is."""
    return _shape(await call.write(partial(_retry, call)))


async def _retry(call: Call, tx: Transaction) -> Delivery:
    delivery, mine = await find_delivery(tx, call.named("id")), own_channels(call)
    if delivery is None or (mine is not None and delivery.channel_id not in mine):
        raise ApiError("NOT_FOUND")
    if await call.parts.retry_delivery(tx, delivery.id):
        await record(tx, call.user.id, "delivery.retry", delivery.id)
    return delivery


def _shape(delivery: Delivery) -> DeliveryShape:
    message = load_message(delivery.message)
    return DeliveryShape(
        id=delivery.id,
        channel_id=delivery.channel_id,
        chat_id=delivery.chat_id,
        session_id=delivery.session_id,
        seq=delivery.seq,
        kind=message.kind,
        text=message.display_text,
        state=delivery.state,
        attempts=delivery.attempts,
        reason=delivery.reason,
        created_at=delivery.created_at,
        due_at=delivery.due_at,
        sent_at=delivery.sent_at,
    )
