"""The door to agents: what a run is given, what it tells, and `run_agent` itself."""

from host.assignment import Assignment, Observer
from host.messages import Response, ToolCall, closing, last_response, tool_returns
from host.model import Tool
from host.models.loop import run_agent

__all__ = [
    "Assignment",
    "Observer",
    "Response",
    "Tool",
    "ToolCall",
    "closing",
    "last_response",
    "run_agent",
    "tool_returns",
]
