"""Whether an event can be kept: known again by its ids, and stored by every database. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from channels.types import InboundEvent

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def is_keepable(event: InboundEvent) -> bool:
    """False without the ids that make an event one of its own, and with ids that no database takes.

    Ids are never repaired: two events must not become the same one.
    """
    return bool(event.event_key and event.chat.id) and not any(map(_UNSTORABLE.search, _ids(event)))


def _ids(event: InboundEvent) -> Iterator[str]:
    yield from (event.event_key, event.chat.id, event.sender.id, event.message_id, event.thread, event.target)
    yield event.album
    yield from (each.ref for each in event.attachments)
