"""What a server offers: its tools as they can be shown to a model. What cannot is left out, with the reason."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from host.messages import sound

AT_MOST: Final = 100
"""Tools of one server: each costs tokens in every request."""

_SCHEMA: Final = 50_000
_DEPTH: Final = 32
_DESCRIPTION: Final = 4_000
_NAME: Final = 200


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A tool under the server's own name for it. `repeatable`: the server says that calling it twice does no harm."""

    name: str
    description: str
    schema: Mapping[str, Any]
    repeatable: bool


@dataclass(frozen=True, kw_only=True)
class Unfit:
    """A tool that cannot be used, and why."""

    name: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Offers:
    """All that a server offers."""

    fit: Sequence[Offer]
    unfit: Sequence[Unfit]


def read_offers(listed: Iterable[object]) -> Offers:
    """The entries of `tools/list`, whatever they are. Never raises."""
    fit: dict[str, Offer] = {}
    unfit: list[Unfit] = []
    for entry in listed:
        name, why = _name(entry), _fault(entry)
        if name in fit:
            why = "has the name of another tool"
        if len(fit) >= AT_MOST:
            why = f"is beyond the first {AT_MOST}"
        if why or not isinstance(entry, dict):
            unfit.append(Unfit(name=name, why=why))
        else:
            fit[name] = _offer(name, entry)
    return Offers(fit=list(fit.values()), unfit=unfit)


def _offer(name: str, entry: Mapping[str, Any]) -> Offer:
    hints = entry.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    return Offer(
        name=name,
        description=sound(str(entry.get("description") or ""))[:_DESCRIPTION],
        schema=entry["inputSchema"],
        repeatable=hints.get("readOnlyHint") is True or hints.get("idempotentHint") is True,
    )


def _name(entry: object) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return sound(name) if isinstance(name, str) else ""


def _fault(entry: object) -> str:
    """What is wrong with an entry; "" if nothing is."""
    if not isinstance(entry, dict):
        return "is no object"
    if not 0 < len(_name(entry)) <= _NAME:
        return "has no usable name"
    return _fault_of_schema(entry.get("inputSchema"))


def _fault_of_schema(schema: object) -> str:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "has a schema that is not one of an object"
    if not isinstance(schema.get("properties", {}), dict) or not _are_words(schema.get("required", [])):
        return "has a broken schema"
    if _is_deep(schema):
        return f"has a schema of more than {_DEPTH} levels"
    if len(json.dumps(schema)) > _SCHEMA:
        return f"has a schema of more than {_SCHEMA // 1000} kB"
    return ""


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_deep(schema: object) -> bool:
    """Looked at level by level: a schema that is too deep would break whoever walks down into it."""
    level: list[object] = [schema]
    for _ in range(_DEPTH):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
