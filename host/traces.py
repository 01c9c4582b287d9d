"""What people see of a tool call: one line in the transcript, which begins as running and is settled once.

A line says what was done and how much there was of it, never with which arguments and with what result: only the path
of a file, which people would look for.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from host.agent import ToolCall
from host.cooperation.names import TOOLS
from host.mcp.naming import parts_of
from host.messages import Returned, returned
from host.values import Say

_NAMED: Final = frozenset(
    {
        *TOOLS,
        "agent_list",
        "ask_agent",
        "memory_search",
        "memory_save",
        "current_time",
        "file_list",
        "file_read",
        "file_write",
        "send_file",
        "web_fetch",
    }
)
"""The tools whose lines have a text of their own."""

_COUNTED: Final = ("agents", "members", "sessions", "inputs", "memories", "files", "entries")
_READ: Final = frozenset({"file_read", "web_fetch"})
"""Tools whose result is what they read: its size says how much. Those of servers are the same."""

_DATA: Final = _NAMED - _READ - {"ask_agent"}
"""Tools whose result is data of ours about what was done; what others wrote is never looked into."""

_LONGEST: Final = 200
"""Characters of a name or path that a model made up."""


def begun(calls: Iterable[ToolCall], say: Say) -> Iterator[dict[str, Any]]:
    """The data of a `tool` event for each call of a response."""
    for call in calls:
        arguments = call.arguments or {}
        scope = _scope(call.name, arguments)
        title = _title(call.name, scope, say)
        yield _line(call.name, call.id, title, status="running", **scope, **_path(call.name, arguments))


def settled(checkpoint: bytes, say: Say) -> Iterator[dict[str, Any]]:
    """The data of a `tool` event for each call that this checkpoint answers."""
    for each in returned(checkpoint):
        value = _value(each.text) if each.ok and each.name in _DATA else None
        found = value if isinstance(value, dict) else {}
        scope = _scope(each.name, found)
        title = _title(each.name, scope, say)
        status = "completed" if each.ok else "interrupted" if each.interrupted else "failed"
        yield _line(each.name, each.call_id, title, status=status, count=_count(value), **scope, **_facts(each, found))


def _scope(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Which sessions were listed, if that is known; a list without a scope counts as history (D4)."""
    scope = found.get("scope", "all" if "sessions" in found else None)
    return {"scope": "all" if scope == "all" else "project"} if name == "list_sessions" and scope else {}


def _title(name: str, scope: Mapping[str, str], say: Say) -> str:
    if name == "list_sessions":
        return say(f"tool.{name}.{scope.get('scope', 'project')}")
    if name in _NAMED:
        return say(f"tool.{name}")
    if parts := parts_of(name):
        return say("tool.of_server", server=parts[0], tool=parts[1])
    return say("tool.other", name=name[:_LONGEST])


def _line(
    name: str, call_id: str, title: str, *, status: str, count: int | None = None, **facts: object
) -> dict[str, Any]:
    return {"name": name[:_LONGEST], "title": title, "count": count, "status": status, "call": call_id, **facts}


def _count(value: object) -> int | None:
    """How many there were, if the result is a list of things."""
    if isinstance(value, dict):
        value = next((value[key] for key in _COUNTED if isinstance(value.get(key), list)), None)
    return len(value) if isinstance(value, list) else None


def _facts(answer: Returned, found: Mapping[str, Any]) -> dict[str, Any]:
    """How much there was; the session, or the file, that the call was about."""
    about = {"session_id": found["session_id"]} if answer.name in TOOLS and "session_id" in found else {}
    return {**about, **_size(answer, found), **_path(answer.name, found)}


def _size(answer: Returned, found: Mapping[str, Any]) -> dict[str, int]:
    """In bytes."""
    if answer.ok and (answer.name in _READ or parts_of(answer.name)):
        return {"size": len(answer.text.encode())}
    size = found.get("size")
    return {"size": size} if isinstance(size, int) else {}


def _path(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    path = found.get("path")
    return {"path": path[:_LONGEST]} if name in _NAMED and name not in TOOLS and isinstance(path, str) else {}


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
