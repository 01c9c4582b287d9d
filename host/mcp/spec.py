"""A tool server as it is configured, and how long it is waited for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

EVERY: Final = "*"


@dataclass(frozen=True, kw_only=True)
class ServerSpec:
    """One `[mcp.NAME]` table: a `command` that is started with `env`, or a `url` that is asked with `headers`.

    `approval` names tools as the server names them, or is "*" for all. What may be secret never shows in a repr.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = field(default="", repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    approval: tuple[str, ...] = ()

    def asks(self, tool: str) -> bool:
        """Whether this tool needs an approval."""
        return tool in self.approval or EVERY in self.approval


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds. A run waits `run` for a server that opens; the opening itself goes on for `opening`, since a first start
    may have to fetch the server. One that was idle for `idle` is asked for a sign of life before it is relied on.

    `writing` is what it may take to get a question out: it counts beside the time for the answer.
    """

    run: float = 10.0
    opening: float = 60.0
    listing: float = 10.0
    call: float = 120.0
    idle: float = 60.0
    ping: float = 5.0
    writing: float = 5.0
    stop: float = 3.0
