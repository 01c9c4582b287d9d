"""A message → what Telegram is told. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from channels.split import split as cut
from channels.telegram.limits import LIMITS
from channels.telegram.rich import MOST_UNITS, Rich, bold, from_markdown, split, trimmed
from channels.telegram.utf16 import storable, units
from channels.types import Action, Limits, OutboundMessage

AGAIN: Final = "↻ "
"""Before what is sent a second time because nobody knows whether it arrived."""

_PREVIEW: Final = 900
"""Units of a document's caption that show how its text begins; Telegram takes 1024 in all."""

_LIVE: Final = 3600
"""Units of live text that are shown."""

_MOST_BUTTON_BYTES: Final = 64


@dataclass(frozen=True, kw_only=True)
class Document:
    """A text that goes as a file."""

    name: str
    content: bytes
    caption: Rich


def render(message: OutboundMessage) -> tuple[Rich, ...]:
    """The message formatted: one piece, unless the formatting made it longer than Telegram takes; none if blank."""
    return split(head(message.label, message, text=message.text) + from_markdown(message.text))


def plain(message: OutboundMessage) -> tuple[Rich, ...]:
    """The same without any formatting, for a server that refuses it."""
    whole = _mark(message) + storable(message.display_text)
    return tuple(trimmed(Rich(text=piece)) for piece in cut(whole, Limits(text=MOST_UNITS, unit="utf16")))


def document(message: OutboundMessage) -> Document:
    """The whole text as a file, with its beginning as the caption."""
    text = storable(message.text)
    preview = from_markdown(_beginning(text))
    caption = split(head(message.label, message, text=text) + preview, 1024)
    return Document(name=f"{_file_stem(message)}.md", content=text.encode(), caption=caption[0] if caption else Rich())


def attachment(message: OutboundMessage, name: str, content: bytes) -> Document:
    """A file that is handed out: nothing is said about it but that it comes a second time."""
    return Document(name=name, content=content, caption=trimmed(Rich(text=_mark(message))))


def is_long(message: OutboundMessage) -> bool:
    """Whether so many messages would be needed that a document reads better."""
    return LIMITS.whole_above is not None and units(message.text) > LIMITS.whole_above


def head(label: str, message: OutboundMessage | None = None, *, text: str = "") -> Rich:
    """What stands before a text: the mark of a repetition, then the label in bold.

    A member's words begin on a line of their own if they have several.
    """
    mark = Rich(text=_mark(message) if message else "")
    if not label:
        return mark
    is_member = message is None or message.kind == "member"
    if is_member and "\n" in text.strip():
        return mark + bold(label.rstrip()) + Rich(text="\n")
    return mark + bold(label)


def buttons(actions: tuple[Action, ...]) -> Mapping[str, str]:
    """Label → command, of those that a button can carry."""
    return {each.label: each.command for each in actions if len(each.command.encode()) <= _MOST_BUTTON_BYTES}


def growing(label: str, text: str) -> Rich:
    """Live text: formatted as far as it goes, the end of it if it is too long for one message."""
    shown = text if units(text) <= _LIVE else f"…{text[-_LIVE // 2 :]}"
    made = split(head(label, text=shown) + from_markdown(shown))
    return made[0] if made else Rich()


def _mark(message: OutboundMessage) -> str:
    return AGAIN if message.again else ""


def _beginning(text: str) -> str:
    if units(text) <= _PREVIEW:
        return text
    parts = cut(text, Limits(text=_PREVIEW, unit="utf16"))
    return f"{parts[0]}\n\n…"


def _file_stem(message: OutboundMessage) -> str:
    """The speaker's id is the owner's or ours, never a model's."""
    return message.speaker.id or "answer"
