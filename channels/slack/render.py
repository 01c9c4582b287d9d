"""A message → what Slack is told. Pure.

Standard Markdown goes into a `markdown` block; `text` stands beside it for notifications and screen readers. A member's
words are posted under its name and icon where the app may do so, else with a bold label.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from channels.outfile import tagged_name
from channels.slack.defuse import defuse, escape, storable
from channels.slack.forms import Form
from channels.slack.tables import fence_tables
from channels.types import LivePost, OutboundMessage, Speaker

EVENT_TYPE: Final = "teambridge_message"
"""Of the metadata that every message of ours carries."""

BUTTON: Final = "teambridge_"
"""What the action ids of our buttons begin with."""

MOST_FALLBACK: Final = 3000
"""Characters of `text` beside blocks: it counts for the limit of the whole payload."""

_WIDE: Final = ("：", "】")
_MOST_SECTION: Final = 3000
_MOST_NAME: Final = 80
_MOST_LABEL: Final = 75
_EMOJI: Final = re.compile(r":[a-z0-9_+'-]+:")
_OPENS_BLOCK: Final = re.compile(r"\s*(?:#{1,6}\s|>|\||```|~~~|[*+-]\s|\d+[.)]\s)")
_NUMBER: Final = re.compile(r"\s*\(\d+/\d+\)\s*\Z")
_NAME: Final = re.compile(r"\s*([\[【]?)(.*?)([\]】]?[:：]?)\s*", re.DOTALL)
"""What stands around a name stays outside of the bold: Markdown closes no emphasis between a sign and a letter."""

Payload = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Document:
    """What goes as a file: its name, the title that people read, and what stands above it."""

    name: str
    title: str
    content: bytes
    comment: str = ""


def may_be_persona(message: OutboundMessage | LivePost) -> bool:
    """A member at work speaks under its own name. The host, and an expert who is talked to alone, are the app itself;
    what failed is told by the app."""
    is_told = isinstance(message, LivePost) or message.kind == "member"
    return is_told and message.speaker.role == "member" and bool(message.label)


def payload(message: OutboundMessage, form: Form) -> Payload:
    """The arguments of chat.postMessage for a style other than "file"."""
    told: Payload = {"channel": message.chat_id, "unfurl_links": False, "unfurl_media": False}
    if form.threaded and message.thread:
        told["thread_ts"] = message.thread
    if form.persona:
        told |= persona(message.speaker)
    return told | content(message, form) | {"metadata": metadata(message)}


def content(message: OutboundMessage, form: Form) -> Payload:
    """`text` and `blocks`: what chat.update takes too."""
    return {"text": fallback(message, is_persona=form.persona), "blocks": _blocks(message, form)}


def body(message: OutboundMessage, *, is_persona: bool, gap: str | None = None) -> str:
    """The whole Markdown, label included, harmless."""
    return head(message.label, message.text, is_persona=is_persona, gap=gap) + defuse(message.text)


def head(label: str, text: str, *, is_persona: bool, gap: str | None = None) -> str:
    """What stands before a text; under a persona only the count of the parts is left of the label.

    `gap` is what must stand behind the label, where that was decided before the text was known.
    """
    name, count = _name_and_count(defuse(label))
    shown = f"{'' if is_persona else name} {count}".strip()
    return shown + (_gap(shown, text) if gap is None else gap) if shown else ""


def _name_and_count(label: str) -> tuple[str, str]:
    """`Ada: (1/3) ` → `**Ada**:` and `(1/3)`."""
    number = _NUMBER.search(label)
    found = _NAME.fullmatch(label[: number.start()] if number else label)
    before, name, after = found.groups() if found else ("", "", "")
    return f"{before}**{name}**{after}" if name else "", number[0].strip() if number else ""


def _gap(shown: str, text: str) -> str:
    """A list, a table or code begins on a line of its own, somebody's words of several lines too."""
    if _OPENS_BLOCK.match(text):
        return "\n\n"
    if "\n" in text.strip() and shown.rstrip("0123456789()/ ").endswith((":", "：")):
        return "\n"
    return "" if shown.endswith(_WIDE) else " "


def fallback(message: OutboundMessage, *, is_persona: bool) -> str:
    """The message as plain text, short enough to stand beside its blocks."""
    plain = defuse(message.text if is_persona else message.display_text).strip()[:MOST_FALLBACK]
    shown = escape(plain)
    while len(shown) > MOST_FALLBACK:
        plain = plain[: len(plain) * 3 // 4]
        shown = f"{escape(plain)}…"
    return shown


def metadata(message: OutboundMessage) -> Payload:
    """What a message of ours is recognised by: visible to every app of the workspace, so nothing else is in it."""
    told = {"delivery_id": message.delivery_id, "kind": message.kind}
    return {"event_type": EVENT_TYPE, "event_payload": told | ({"job_id": message.job_id} if message.job_id else {})}


def persona(speaker: Speaker) -> Payload:
    """The name and the icon that a message is posted under."""
    told: Payload = {"username": storable(speaker.name)[:_MOST_NAME]}
    if _EMOJI.fullmatch(speaker.icon):
        told["icon_emoji"] = speaker.icon
    elif speaker.icon.startswith(("https://", "http://")):
        told["icon_url"] = speaker.icon
    return told


def card(*, job_id: str, title: str, status: str) -> Payload:
    """One task of a round; `status` is in_progress, complete or error."""
    return {"type": "task_card", "task_id": job_id, "title": storable(title)[:_MOST_SECTION], "status": status}


def has_card(message: OutboundMessage, form: Form) -> bool:
    """Whether the message shows a job that will be marked as done later."""
    return message.kind == "notice" and message.job_id is not None and form.extras


def document(message: OutboundMessage) -> Document:
    """The whole text as a file; its name holds the delivery's id, by which it is found again."""
    text = storable(message.text)
    opening = text if len(text) <= _MOST_SECTION else f"{text[:900].rstrip()}\n…"
    comment = escape(defuse(message.label + opening))
    name = f"{message.speaker.id or 'answer'}-{message.delivery_id[:8]}.md"
    return Document(name=name, title=name, content=text.encode(), comment=comment)


def attachment(message: OutboundMessage, name: str, content: bytes) -> Document:
    """A file that is handed out: people read its title, its name holds the delivery's id."""
    return Document(name=tagged_name(name, message.delivery_id[:8]), title=name, content=content)


def _blocks(message: OutboundMessage, form: Form) -> list[Payload]:
    if form.style == "plain":
        return _sections(message, is_persona=form.persona)
    if has_card(message, form) and message.job_id is not None:
        shown = card(job_id=message.job_id, title=defuse(message.text), status="in_progress")
        return [shown, *_buttons(message)]
    text = body(message, is_persona=form.persona)
    block = {"type": "markdown", "text": fence_tables(text) if form.style == "fenced" else text}
    return [block, *(_buttons(message) if form.extras else [])]


def _sections(message: OutboundMessage, *, is_persona: bool) -> list[Payload]:
    """Plain text is read as it is: no mark-up, no mentions."""
    text = defuse(message.text if is_persona else message.display_text)
    pieces = [text[at : at + _MOST_SECTION] for at in range(0, len(text), _MOST_SECTION)]
    return [{"type": "section", "text": {"type": "plain_text", "text": piece}} for piece in pieces if piece.strip()]


def _buttons(message: OutboundMessage) -> list[Payload]:
    elements = [
        {
            "type": "button",
            "text": {"type": "plain_text", "text": storable(action.label)[:_MOST_LABEL]},
            "action_id": f"{BUTTON}{number}",
            "value": action.command,
        }
        for number, action in enumerate(message.actions)
        if len(action.command) <= 2000
    ]
    return [{"type": "actions", "elements": elements}] if elements else []
