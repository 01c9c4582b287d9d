"""What makes a text a command."""

import re
from dataclasses import dataclass
from typing import Final

from bridge.commands.rights import RIGHTS

_COMMAND: Final = re.compile(r"/([a-z]+)(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Command:
    """A known command; `argument` is what stands behind its name, trimmed."""

    name: str
    argument: str = ""


def parse_command(text: str) -> Command | None:
    """The command that the whole text is; None for ordinary text, which an unknown command is too."""
    found = _COMMAND.fullmatch(text.strip())
    if found is None or found[1].lower() not in RIGHTS:
        return None
    return Command(name=found[1].lower(), argument=(found[2] or "").strip())
