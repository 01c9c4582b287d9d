"""The shapes in which one message may be tried, and which comes after a refusal. Pure.

A file that is handed out goes as such, and where that is refused, as the line that stands for it.
What a server said decides: a vanished topic costs the topic, a vanished anchor the anchor, anything else about the
content the formatting, and then the text goes as a file, so that it arrives. Its words: facts of the Bot API server.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

Style = Literal["upload", "rich", "plain", "file"]

_AFTER: Final[dict[Style, Style | None]] = {"upload": "rich", "rich": "plain", "plain": "file", "file": None}

_NO_TOPIC: Final = ("thread not found", "topic_closed", "topic_deleted", "topic closed", "topic deleted")
_NO_ANCHOR: Final = ("replied not found", "reply message", "quote_text_invalid", "quote text")
_HOPELESS: Final = (
    "chat not found",
    "have no rights",
    "not enough rights",
    "need administrator rights",
    "chat_write_forbidden",
    "write_forbidden",
    "peer_id_invalid",
    "user not found",
    "chat_restricted",
    "group chat was deactivated",
    "group chat was upgraded",
)
"""Whatever is sent there, the answer is the same."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a message is tried: its style, the topic it goes to, and the message it answers."""

    style: Style = "rich"
    thread: int | None = None
    anchor: int | None = None


def next_form(form: Form, refusal: str) -> Form | None:
    """What to try after this refusal; None: nothing helps."""
    said = refusal.casefold().replace("_", " ")
    if form.thread is not None and _says(said, _NO_TOPIC):
        return replace(form, thread=None, anchor=None)
    if form.anchor is not None and _says(said, _NO_ANCHOR):
        return replace(form, anchor=None)
    if _says(said, _HOPELESS):
        return None
    style = _AFTER[form.style]
    return None if style is None else replace(form, style=style)


def _says(refusal: str, parts: tuple[str, ...]) -> bool:
    return any(part.replace("_", " ") in refusal for part in parts)


_UNCHANGED: Final = "message is not modified"


def is_unchanged(refusal: str) -> bool:
    """An edit that would change nothing has succeeded."""
    return _UNCHANGED in refusal.casefold()
