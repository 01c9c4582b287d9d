"""Reading JSON that others wrote: whatever is missing or of another kind counts as absent. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

_EMPTY: Final[Mapping[str, Any]] = {}


def fields(value: object) -> Mapping[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, Mapping) else _EMPTY


def items(value: object) -> Sequence[Any]:
    """A list, or an empty one."""
    return value if isinstance(value, list | tuple) else ()


def text(value: object) -> str:
    """A text without what no store takes (NUL, halves of characters); numbers as they are written; else ""."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def within(value: object, *keys: str) -> Mapping[str, Any]:
    """The object below these keys."""
    for key in keys:
        value = fields(value).get(key)
    return fields(value)


def inner_json(value: object) -> Mapping[str, Any]:
    """An object that is written as JSON inside a text."""
    if isinstance(value, Mapping):
        return value
    try:
        return fields(json.loads(value)) if isinstance(value, str) else _EMPTY
    except (ValueError, RecursionError):
        return _EMPTY
