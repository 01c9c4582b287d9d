"""D4: which sessions a line says were listed."""

import pytest

from host.agent import ToolCall, tool_returns
from host.errors import ToolFault
from host.traces import begun, settled

CALL = ToolCall(id="c00000001", number=1, position=0, name="list_sessions", arguments={})


def _say(key: str, **_: object) -> str:
    return key


@pytest.mark.parametrize(
    ("result", "title", "scope", "count"),
    [
        ({"scope": "project", "sessions": [1, 2]}, "tool.list_sessions.project", "project", 2),
        ({"scope": "all", "sessions": []}, "tool.list_sessions.all", "all", 0),
        ({"sessions": [1]}, "tool.list_sessions.all", "all", 1),
        ({}, "tool.list_sessions.project", None, None),
        (ToolFault("no"), "tool.list_sessions.project", None, None),
    ],
)
def test_a_list_without_a_scope_is_history(result: object, title: str, scope: str | None, count: int | None) -> None:
    """A list without a scope counts as history; neither a list nor a scope counts as this project's."""
    (line,) = settled(tool_returns([CALL], {CALL.id: result}), _say)
    assert (line["title"], line.get("scope"), line["count"]) == (title, scope, count)


def test_what_is_asked_for_is_said_at_once() -> None:
    call = ToolCall(id="c00000001", number=1, position=0, name="list_sessions", arguments={"scope": "all"})
    assert [each["title"] for each in begun([call, CALL], _say)] == [
        "tool.list_sessions.all",
        "tool.list_sessions.project",
    ]
