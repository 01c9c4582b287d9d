"""What the server checks in texts, entities and buttons, as its source (Client.cpp and td) does."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from tests.support.telegram.answers import bad

Entity = Mapping[str, Any]
_SCHEMES = ("http", "https", "ton", "tg", "tonsite", "mailto")


def check_text(text: str, entities: Sequence[Entity], *, most: int = 4096, empty_ok: bool = False) -> str:
    """The text as it is shown. Raises Refusal."""
    if len(text.encode()) > 32768:
        raise bad("text is too long")
    for entity in entities:
        _check_entity(text, entity)
    shown = text.strip()
    if not shown and not empty_ok:
        raise bad("message text is empty" if not text else "text must be non-empty")
    if len(shown) > most:
        raise bad("message is too long" if most == 4096 else "message caption is too long")
    return shown


def _check_entity(text: str, entity: Entity) -> None:
    borders = _borders(text)
    start, end = int(entity["offset"]), int(entity["offset"]) + int(entity["length"])
    if end > max(borders):
        raise bad("entity ends after the end of the text")
    if start not in borders or end not in borders:
        raise bad("entity begins in a middle of a UTF-16 symbol")
    if entity["type"] == "text_link":
        _check_link(str(entity.get("url", "")))


def _borders(text: str) -> set[int]:
    """The UTF-16 offsets at which characters begin, and the end."""
    at, borders = 0, {0}
    for char in text:
        at += 2 if ord(char) > 0xFFFF else 1
        borders.add(at)
    return borders


def _check_link(url: str) -> None:
    def refuse(why: str) -> None:
        raise bad(f"entity URL '{url}' is invalid: {why}")

    scheme = re.match(r"([a-z]+):", url, re.IGNORECASE)
    if scheme and scheme[1].lower() not in _SCHEMES:
        refuse("Unsupported URL protocol")
    if scheme and scheme[1].lower() in ("tg", "mailto"):
        return
    try:
        parts = urlsplit(url if scheme else f"http://{url}")
        port = parts.port
    except ValueError:
        refuse("Wrong port number specified in the URL")
        return
    if not parts.hostname:
        refuse("URL host is empty")
    if "." not in (parts.hostname or ""):
        refuse("Wrong HTTP URL")
    if port is not None and not 0 < port <= 65535:
        refuse("Wrong port number specified in the URL")


def check_keyboard(markup: Mapping[str, Any] | None) -> None:
    for row in (markup or {}).get("inline_keyboard", ()):
        for button in row:
            if not 1 <= len(str(button.get("callback_data", "x")).encode()) <= 64:
                raise bad("BUTTON_DATA_INVALID")


REACTIONS = frozenset(
    "👍👎🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣🍌🏆💔🤨😐🍓🍾💋😈😴😭🤓👻👀🎃🙈😇😨🤝🤗"
    "🫡🎅🎄💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾😡⚡"
)
"""One emoji of these per bot and message; there is no ✅."""
