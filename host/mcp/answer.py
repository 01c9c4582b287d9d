"""What a server answered to a call, as the model reads it."""

import json
from collections.abc import Mapping
from typing import Any, Final

from host.errors import ToolFault
from host.messages import sound

LONGEST: Final = 50_000
"""Bytes of an answer that the model gets."""

_BLANK: Final = "(an empty answer)"


def read_answer(result: Mapping[str, Any]) -> str:
    """The texts of a `tools/call` result, with everything else named. Raises ToolFault if the tool failed."""
    parts = result.get("content")
    words = [_words(part) for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    structured = result.get("structuredContent")
    if structured is not None and not any(_says(text, structured) for text in words):
        words.append(json.dumps(structured, ensure_ascii=False))
    text = cut("\n\n".join(filter(None, words)) or _BLANK)
    if result.get("isError") is True:
        raise ToolFault(text)
    return text


def cut(text: str) -> str:
    """At most LONGEST bytes, with a note of what is missing."""
    raw = sound(text).encode()
    if len(raw) <= LONGEST:
        return sound(text)
    kept = raw[:LONGEST].decode(errors="ignore")
    return f"{kept}\n\n[Cut here: the answer has {len(raw)} bytes, these are the first {LONGEST}. Ask for less.]"


def _words(part: Mapping[str, Any]) -> str:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image" | "audio" as kind, "data": str(data)}:
            return f"[{kind} {part.get('mimeType', '')}, {len(data) * 3 // 4} bytes, not shown]"
        case {"type": "resource_link", "uri": str(uri)}:
            return f"[resource {part.get('title') or part.get('name') or ''} {uri}]"
        case {"type": "resource", "resource": {"uri": str(uri), "text": str(text)}}:
            return f"[resource {uri}]\n{text}"
        case {"type": "resource", "resource": {"uri": str(uri)}}:
            return f"[resource {uri}, not shown]"
    return f"[{str(part.get('type'))[:40]}, not shown]"


def _says(text: str, structured: object) -> bool:
    """Whether a text is the structured content again: servers send both, for older clients."""
    try:
        return bool(json.loads(text) == structured)
    except (ValueError, RecursionError):
        return False
