"""The shapes in which one message may be tried, and which comes after a refusal. Pure.

A file that is handed out goes as such, and where that is refused, as the line that stands for it.
What Slack said decides: a vanished thread costs the thread, a refused name the persona, anything about the content
first the extras, then the tables, then the formatting, and then the text goes as a file, so that it arrives.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

Style = Literal["upload", "rich", "fenced", "plain", "file"]

_AFTER: Final[dict[Style, Style | None]] = {
    "upload": "rich",
    "rich": "fenced",
    "fenced": "plain",
    "plain": "file",
    "file": None,
}

_NO_THREAD: Final = frozenset({"thread_not_found", "cannot_reply_to_message", "invalid_thread_ts"})
_NO_PERSONA: Final = frozenset({"reserved_username", "invalid_username", "invalid_icon_url", "invalid_icon_emoji"})
_CONTENT: Final = frozenset(
    {
        *("no_text", "msg_too_long", "msg_blocks_too_long", "msg_blocks_too_many", "invalid_blocks"),
        *("invalid_blocks_format", "invalid_attachments", "only_one_table_allowed", "too_many_attachments"),
        *("markdown_text_conflict", "block_mismatch", "invalid_arguments", "invalid_chunks", "invalid_array_arg"),
    }
)


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a message is tried: its style, with extras (buttons, a task card), under a persona, in its thread."""

    style: Style = "rich"
    extras: bool = True
    persona: bool = False
    threaded: bool = True


def next_form(form: Form, refusal: str) -> Form | None:
    """What to try after this refusal; None: nothing helps."""
    if refusal in _NO_THREAD:
        return replace(form, threaded=False) if form.threaded else None
    if form.style == "upload":
        return replace(form, style="rich")
    if refusal in _NO_PERSONA:
        return replace(form, persona=False) if form.persona else None
    if refusal not in _CONTENT:
        return None
    if form.extras:
        return replace(form, extras=False)
    style = _AFTER[form.style]
    return None if style is None else replace(form, style=style)


def is_about_content(refusal: str) -> bool:
    """Whether Slack refuses what is said and not where."""
    return refusal in _CONTENT
