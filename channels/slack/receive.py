"""A verified hook request → the kind and payload that Socket Mode would bring. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs

from channels.errors import NotJson, Unprocessable

_MOST_FIELDS: Final = 100


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """`kind` is events_api, slash_commands or interactive; `challenge` must be answered, and is nothing else."""

    kind: str
    payload: Mapping[str, Any]
    challenge: str = ""


def read_request(body: bytes) -> Envelope:
    """One address receives events (JSON), commands and presses (forms). Raises NotJson, Unprocessable."""
    if body.lstrip()[:1] in (b"{", b"["):
        return _event(_object(body))
    form = _form(body)
    if "payload" in form:
        return Envelope(kind="interactive", payload=_object(form["payload"].encode("utf-8", "replace")))
    if "command" in form:
        return Envelope(kind="slash_commands", payload=form)
    raise NotJson("the body is neither JSON nor one of Slack's forms")


def read_object(text: str | bytes) -> Mapping[str, Any] | None:
    """A JSON object; None for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _event(payload: Mapping[str, Any]) -> Envelope:
    if payload.get("type") == "url_verification":
        return Envelope(kind="events_api", payload=payload, challenge=str(payload.get("challenge", "")))
    if not isinstance(payload.get("type"), str):
        raise Unprocessable("type", "is missing")
    return Envelope(kind="events_api", payload=payload)


def _object(body: bytes) -> Mapping[str, Any]:
    found = read_object(body)
    if found is None:
        raise NotJson("the body is not a JSON object")
    return found


def _form(body: bytes) -> dict[str, str]:
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise NotJson("the body is no form") from None
    return {name: values[-1] for name, values in fields.items()}
