"""The JSON of cards (schema 2.0). Pure.

Source: card JSON 2.0 structure; an unknown property or tag makes the platform refuse the whole card.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from channels.types import Action, MessageKind, Speaker

TEXT_ID: Final = "md"
STOP_ID: Final = "stop"
"""Element ids of what grows, and of the stop button, in a live card."""

HOST: Final = "blue"
FAILURE: Final = "red"
SYSTEM: Final = "grey"
MEMBERS: Final = ("turquoise", "orange", "violet", "green", "carmine", "wathet", "yellow", "purple", "indigo", "lime")
"""Colours of headers; a member keeps its colour, because it is made of its id."""

LONGEST_SUMMARY: Final = 60
_MARKS: Final = re.compile(r"[*_`#<>|~\[\]]+|\(https?://[^)]*\)")
_SPACES: Final = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class Header:
    """Who speaks; without a `title` there is no header."""

    title: str
    colour: str
    subtitle: str = ""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a button belongs: it carries this, because a pressed one may not say where it stands."""

    chat_id: str
    thread: str


def colour_of(speaker: Speaker, kind: MessageKind | None = None) -> str:
    """The colour of a speaker's header."""
    if kind == "failure":
        return FAILURE
    if speaker.role == "host":
        return HOST
    if speaker.role == "system":
        return SYSTEM
    return MEMBERS[crc32(speaker.id.encode()) % len(MEMBERS)]


def title_of(speaker: Speaker) -> str:
    """A name, with the speaker's emoji if it has one."""
    icon = speaker.icon
    is_emoji = bool(icon) and len(icon) <= 8 and not icon.isascii()
    return f"{icon} {speaker.name}" if is_emoji else speaker.name


def markdown(content: str, element_id: str = "") -> dict[str, Any]:
    """An element of Markdown; an empty one is refused, so it gets a space."""
    element = {"tag": "markdown", "content": content or " "}
    return element | ({"element_id": element_id} if element_id else {})


def plain(content: str) -> dict[str, Any]:
    """An element that shows every character as it is: it cannot be refused for its Markdown."""
    return {"tag": "div", "text": {"tag": "plain_text", "content": content or " "}}


def button(action: Action, place: Place, element_id: str, *, strong: bool = False) -> dict[str, Any]:
    """A button that says a command for whoever presses it."""
    value = {"command": action.command, "chat": place.chat_id, "thread": place.thread}
    return {
        "tag": "button",
        "element_id": element_id,
        "text": {"tag": "plain_text", "content": action.label},
        "type": "primary" if strong else "default",
        "behaviors": [{"type": "callback", "value": value}],
    }


def card(header: Header, elements: Sequence[Mapping[str, Any]], *, summary: str) -> dict[str, Any]:
    """A finished card."""
    config = {"update_multi": True, "streaming_mode": False, "summary": {"content": shortened(summary)}}
    return _card(header, elements, config)


def growing_card(header: Header, elements: Sequence[Mapping[str, Any]], *, summary: str) -> dict[str, Any]:
    """A card that shows text while it is written. `summary` stands in the list of chats meanwhile."""
    config = {
        "update_multi": True,
        "streaming_mode": True,
        "summary": {"content": shortened(summary)},
        "streaming_config": {
            "print_frequency_ms": {"default": 50},
            "print_step": {"default": 2},
            "print_strategy": "fast",
        },
    }
    return _card(header, elements, config)


def _card(header: Header, elements: Sequence[Mapping[str, Any]], config: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"schema": "2.0", "config": dict(config)}
    if header.title:
        made["header"] = {"title": {"tag": "plain_text", "content": header.title}, "template": header.colour}
        if header.subtitle:
            made["header"]["subtitle"] = {"tag": "plain_text", "content": header.subtitle}
    made["body"] = {"elements": list(elements)}
    return made


def dumped(value: object) -> str:
    """JSON as it stands inside a request."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def weight(value: object) -> int:
    """Bytes that a card takes in a request, where it is JSON inside JSON."""
    return len(json.dumps(dumped(value), ensure_ascii=False).encode("utf-8", "replace"))


def shortened(text: str) -> str:
    """A text in a few plain words."""
    words = _SPACES.sub(" ", _MARKS.sub("", text[:400])).strip()
    return words if len(words) <= LONGEST_SUMMARY else f"{words[: LONGEST_SUMMARY - 1]}…"
