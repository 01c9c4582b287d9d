"""What the model calls a server's tool: `<server>__<tool>`.

The server's name stands in front always, not only where two servers would collide: a name must mean the same in every
turn of a session, whatever servers are added later. No tool of ours has two underscores in its name, and no server's
name has (`bridge.config`), so the parts can be told apart.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 64
"""Characters that every provider takes, and only letters, digits, `_` and `-`."""

_BETWEEN: Final = "__"
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]")
_DIGEST: Final = 8


def names_of(server: str, tools: Iterable[str]) -> list[str]:
    """Names for these different tools, in their order: unique, and the same in whatever order they are listed.

    What people allowed one tool is kept by its name: it must never become another's.
    """
    plain = {tool: f"{server}{_BETWEEN}{_FOREIGN.sub('_', tool)}" for tool in tools}
    count = Counter(plain.values())
    return [name if len(name) <= LONGEST and count[name] == 1 else _marked(name, tool) for tool, name in plain.items()]


def parts_of(name: str) -> tuple[str, str] | None:
    """Server and tool of a name; None if it is none of a server's."""
    server, between, tool = name.partition(_BETWEEN)
    return (server, tool) if server and between and tool else None


def _marked(plain: str, tool: str) -> str:
    digest = hashlib.sha256(tool.encode()).hexdigest()[:_DIGEST]
    return f"{plain[: LONGEST - _DIGEST - 1]}_{digest}"
