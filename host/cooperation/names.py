"""The tools of cooperation by name."""

from typing import Final

READING: Final = ("list_sessions", "get_result")
"""What a member at work has too."""

TOOLS: Final = (
    "list_agents",
    "create_session",
    "submit_input",
    "send_message",
    "cancel_turn",
    "wait_inputs",
    "wait_sessions",
    *READING,
)
