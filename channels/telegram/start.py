"""`/start`: what Telegram itself sends when somebody opens the bot, maybe through a link with a payload. Pure."""

import re
from typing import Final

_START: Final = re.compile(r"/start(?:\s+([A-Za-z0-9_-]{1,64}))?\s*", re.IGNORECASE)


def opening_command(text: str) -> str:
    """The command that `/start` stands for: with a pairing code `/pair CODE`, without one `/help`. Else the text."""
    found = _START.fullmatch(text)
    if found is None:
        return text
    return f"/pair {found[1]}" if found[1] else "/help"
