"""From a message to its row and back, and the one way into the outbox."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from channels.types import Action, OutboundMessage, OutFile, Speaker
from host.lanes import Lanes
from store.database import Transaction
from store.outbox import Delivery, DeliveryRound, add_deliveries, questions_unanswered, take_seqs

Place = tuple[str, str]
"""(channel id, the platform's chat id)."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A message that has no number yet, and the rounds it belongs to.

    `dead` says why nobody will ever take it: then it is kept as a dead letter and nothing waits for it.
    """

    message: OutboundMessage
    rounds: tuple[str, ...] = ()
    dead: str = ""


def chat_lane(channel_id: str, chat_id: str) -> str:
    """The lane that delivers to this chat."""
    return f"chat:{channel_id}:{chat_id}"


def place_of(lane: str) -> Place:
    """The place that `chat:<channel>:<chat>` delivers to; a chat id may hold colons, a channel id cannot."""
    _, channel_id, chat_id = lane.split(":", 2)
    return channel_id, chat_id


def dump_message(message: OutboundMessage) -> dict[str, Any]:
    """The message as JSON data."""
    return asdict(message) | {"created_at": message.created_at.isoformat()}


def load_message(data: dict[str, Any]) -> OutboundMessage:
    """The message that `dump_message` dumped."""
    at = datetime.fromisoformat(data["created_at"])
    actions = tuple(Action(**each) for each in data.get("actions", ()))
    file = OutFile(**data["file"]) if data.get("file") else None
    known = {"speaker": Speaker(**data["speaker"]), "created_at": at, "actions": actions, "file": file}
    return OutboundMessage(**data | known)


async def enqueue(tx: Transaction, drafts: Sequence[Draft], lanes: Lanes) -> tuple[OutboundMessage, ...]:
    """Number the drafts in their order, store them as deliveries and wake their chats; the numbered messages.

    A constant number of queries per chat. Chats are locked in one order, so that two writers never wait for each other.
    """
    numbered = await _number(tx, drafts)
    asked = await questions_unanswered(tx, (name for draft in drafts for name in draft.rounds))
    rows = [_row(tx, draft, _first_asked(asked, draft.rounds)) for draft in numbered]
    links = [
        DeliveryRound(round_id=name, delivery_id=draft.message.delivery_id)
        for draft in numbered
        for name in draft.rounds
    ]
    await add_deliveries(tx, rows, links)
    for channel_id, chat_id in _places(draft for draft in numbered if not draft.dead):
        await lanes.wake(tx, chat_lane(channel_id, chat_id))
    return tuple(draft.message for draft in numbered)


async def _number(tx: Transaction, drafts: Sequence[Draft]) -> list[Draft]:
    counts = Counter(_place(draft) for draft in drafts)
    following = {place: await take_seqs(tx, *place, counts[place]) for place in sorted(counts)}
    numbered = []
    for draft in drafts:
        seq = following[_place(draft)]
        following[_place(draft)] = seq + 1
        numbered.append(replace(draft, message=replace(draft.message, seq=seq)))
    return numbered


def _row(tx: Transaction, draft: Draft, asked_at: datetime | None) -> Delivery:
    message = draft.message
    return Delivery(
        id=message.delivery_id,
        channel_id=message.channel_id,
        chat_id=message.chat_id,
        seq=message.seq,
        session_id=message.session_id,
        message=dump_message(message),
        created_at=tx.now,
        due_at=tx.now,
        event_id=message.event_id,
        state="dead" if draft.dead else "pending",
        reason=draft.dead,
        asked_at=asked_at,
    )


def _first_asked(asked: dict[str, datetime], rounds: Iterable[str]) -> datetime | None:
    """When the oldest of these questions came in; each question is answered for the first time only once."""
    times = [asked.pop(name) for name in rounds if name in asked]
    return min(times, default=None)


def _place(draft: Draft) -> Place:
    return draft.message.channel_id, draft.message.chat_id


def _places(drafts: Iterable[Draft]) -> list[Place]:
    return sorted({_place(draft) for draft in drafts})
