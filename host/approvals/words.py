"""What people read of a call before they decide, and what the model reads afterwards. Pure."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from host.errors import ToolFault
from host.mcp.naming import parts_of
from host.messages import ToolCall
from host.values import Say

LONGEST: Final = 20_000
"""Characters of the arguments that are kept."""

SHOWN: Final = 1_000
"""Characters of them that a chat shows."""

MODEL_READS: Final[Mapping[str, str]] = {
    "denied": "A person refused this call; it did not run. Do not repeat it: go on without it, or say what you need.",
    "timed_out": "Nobody approved this call in time; it did not run. Go on without it, or say what you need.",
    "dropped": "Nobody decided about this call; it did not run.",
}
"""Instead of a result, by the approval's state."""

UNASKED: Final = "This tool needs a person's approval, which cannot be asked for here: it did not run."

_HIDING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Characters that nobody sees, or that change the order of what is seen."""


def in_words(arguments: Mapping[str, Any]) -> str:
    """One argument a line; the lines of a longer value are indented, so that none of them passes for an argument."""
    return _cut("\n".join(f"{_plain(name)}: {_value(value)}" for name, value in arguments.items()), LONGEST)


def excerpt(words: str) -> str:
    """As much of the arguments as a chat shows, in a block of code; "" if there are none."""
    if not words:
        return ""
    shown = _cut(words, SHOWN)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{shown}\n{fence}"


def tool_words(say: Say, tool: str) -> str:
    """A tool as people are told of it: one of a server by both names."""
    parts = parts_of(tool)
    return say("approval.tool", server=parts[0], tool=parts[1]) if parts else tool


def refusals(states: Mapping[str, str]) -> dict[str, object]:
    """The answers to refused calls by call id, from their approvals' states."""
    return {call_id: ToolFault(MODEL_READS[state]) for call_id, state in states.items()}


def unrun(calls: Iterable[ToolCall]) -> dict[str, object]:
    """The answers to the calls of a response whose turn ended while people were asked: none of them has run."""
    return {call.id: ToolFault(MODEL_READS["dropped"]) for call in calls}


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _plain(text).replace("\n", "\n  ")


def _plain(text: str) -> str:
    return _HIDING.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… (+{len(text) - most})"
