"""Where a message goes, in Telegram's numbers."""

from dataclasses import dataclass

GENERAL: int = 1
"""The topic of a forum that has no number on the wire."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A chat, and a topic in it. Groups have negative numbers."""

    chat: int
    thread: int | None = None

    @property
    def is_group(self) -> bool:
        return self.chat < 0


def place_of(chat_id: str, thread: str) -> Place | None:
    """None if these are not Telegram's."""
    number = _number(chat_id)
    if number is None:
        return None
    topic = _number(thread)
    return Place(chat=number, thread=None if topic == GENERAL else topic)


def anchor_of(message_id: str | None) -> int | None:
    """The number of a message that can be answered."""
    return _number(message_id or "") or None


def _number(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None
