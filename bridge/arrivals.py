"""The inbox as the bridge sees it: events as JSON, copies recognised, new ones put in line."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from pydantic import TypeAdapter

from channels.errors import Conflict
from channels.types import InboundEvent
from host.lanes import Lanes
from store.database import Transaction
from store.inbox import InboxEvent, add_event, find_copies, message_key

_EVENT: Final = TypeAdapter(InboundEvent)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of an event, as its copies are told too. `ignored` says why nothing was done."""

    session_id: str | None = None
    input_id: str | None = None
    command: str | None = None
    ignored: str | None = None


def inbox_lane(channel_id: str, chat_id: str) -> str:
    """The lane that works through the chat's events."""
    return f"inbox:{channel_id}:{chat_id}"


def place_of(lane: str) -> tuple[str, str]:
    """(channel, chat) of `inbox:<channel>:<chat>`; a chat id may hold colons, a channel id cannot."""
    _, channel_id, chat_id = lane.split(":", 2)
    return channel_id, chat_id


def dump_event(event: InboundEvent) -> dict[str, Any]:
    """The event as JSON data."""
    return asdict(event) | {"attachments": [asdict(each) for each in event.attachments]}


def load_event(data: dict[str, Any]) -> InboundEvent:
    """The event that `dump_event` dumped."""
    return _EVENT.validate_python(data)


def dump_outcome(outcome: Outcome) -> dict[str, Any]:
    return {key: value for key, value in asdict(outcome).items() if value is not None}


def load_outcome(data: dict[str, Any]) -> Outcome:
    return Outcome(**data)


async def find_copy(tx: Transaction, channel_id: str, event: InboundEvent) -> InboxEvent | None:
    """The row of the same event or the same message, if one came before. Raises Conflict (same event, other body)."""
    found = await find_copies(tx, channel_id, event.event_key, message_key(event.chat.id, event.message_id))
    same_event = next((row for row in found if row.event_key == event.event_key), None)
    if same_event is not None and event.digest and same_event.digest != event.digest:
        raise Conflict("this id came before with another body")
    return same_event or next(iter(found), None)


async def put(tx: Transaction, channel_id: str, event: InboundEvent, outcome: Outcome | None = None) -> InboxEvent:
    """Store an event that has no copy yet, with what came of it if that is known already."""
    done = {} if outcome is None else {"state": "done", "outcome": dump_outcome(outcome), "finished_at": tx.now}
    row = InboxEvent(
        channel_id=channel_id,
        chat_id=event.chat.id,
        event_key=event.event_key,
        message_key=message_key(event.chat.id, event.message_id),
        event=dump_event(event),
        received_at=tx.now,
        digest=event.digest,
        **done,
    )
    return await add_event(tx, row)


async def put_again(tx: Transaction, lanes: Lanes, channel_id: str, data: dict[str, Any]) -> None:
    """Line up an event that had to wait for an approval. Its first row keeps the message's key and catches copies."""
    event = load_event(data)
    row = InboxEvent(
        channel_id=channel_id,
        chat_id=event.chat.id,
        event_key=f"{event.event_key}\napproved",
        message_key=None,
        event=data,
        received_at=tx.now,
    )
    await add_event(tx, row)
    await lanes.wake(tx, inbox_lane(channel_id, event.chat.id))
