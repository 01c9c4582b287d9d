"""`/approve [CODE] [session]` and `/deny [CODE]`, read: the same words in chats and in the terminal. Pure."""

from dataclasses import dataclass
from typing import Final

from host.approvals.policy import Decision

SESSION: Final = ("session", "会话", "本会话")
"""What makes an approval hold for the whole session."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer to a question; without a `code` to the only one there is."""

    decision: Decision
    code: str = ""


def read_answer(command: str, argument: str) -> Answer:
    """What stands behind the command `approve` or `deny`."""
    words = argument.split()
    codes = [word.upper() for word in words if word.lower() not in SESSION]
    is_for_all = len(codes) < len(words)
    decision: Decision = "deny" if command == "deny" else "session" if is_for_all else "once"
    return Answer(decision=decision, code=codes[0] if codes else "")
