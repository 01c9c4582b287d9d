"""Approvals as decisions: which calls must ask, who may answer, what an answer makes of the call. Pure."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from host.messages import ToolCall

Decision = Literal["once", "session", "deny"]

PATIENCE: Final = timedelta(hours=1)
"""How long a question waits; then it counts as denied."""

STATES: Final[Mapping[Decision, str]] = {"once": "once", "session": "session", "deny": "denied"}
"""What a decision makes of an open approval."""

ALLOWED: Final = ("once", "session")

ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Capitals and digits without those that look alike: people type codes."""

CODE: Final = 8
"""Letters of a code."""


@dataclass(frozen=True, kw_only=True)
class Trust:
    """What a session may do without asking: everything, or these tools."""

    total: bool = False
    tools: frozenset[str] = frozenset()

    def covers(self, tool: str) -> bool:
        return self.total or tool in self.tools


@dataclass(frozen=True, kw_only=True)
class Decider:
    """Who presses the button. `principal` is how sessions name them ("person:<id>", "user:<id>").

    `is_admin` of the channel that the session belongs to; `is_owner` of the session, at the console or through the API.
    """

    principal: str
    is_admin: bool = False
    is_owner: bool = False


def may_decide(principal: str, decider: Decider) -> bool:
    """Whether this person may decide in a session of that principal. A group's principal is the chat: only admins."""
    return decider.is_owner or decider.is_admin or decider.principal == principal


def must_ask(call: ToolCall, asking: Collection[str], trust: Trust) -> bool:
    """Whether a person decides before the call runs. One whose arguments cannot be read does not run anyway."""
    return call.name in asking and not call.fault and not trust.covers(call.name)


def code_of(turn_id: str, call_id: str) -> str:
    """The approval's id: short, and the same whenever the same call is asked about."""
    number = int.from_bytes(hashlib.sha256(f"{turn_id}/{call_id}".encode()).digest())
    letters = []
    for _ in range(CODE):
        number, place = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[place])
    return "".join(letters)
