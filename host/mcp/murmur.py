"""What a tool server says beside the protocol, line by line in our log, but not more than anybody would read."""

from typing import Final

import structlog

from host.mcp.process import Line
from store.clock import Clock

LONGEST: Final = 1_000
"""Bytes of a line that are kept."""

_WINDOW: Final = 60.0
_LINES: Final = 60
"""Lines that are logged in a window of so many seconds."""

log = structlog.get_logger(__name__)


class Murmur:
    """One server's. `last` is its last line: most servers say there why they give up."""

    def __init__(self, server: str, clock: Clock) -> None:
        self._server = server
        self._clock = clock
        self._until = 0.0
        self._count = 0
        self.last = ""

    def hear(self, line: Line) -> None:
        text = line.text.decode(errors="replace").strip()
        if not text:
            return
        self.last = text
        self._turn_page()
        self._count += 1
        if self._count <= _LINES:
            log.info("A tool server said", server=self._server, line=text)

    def _turn_page(self) -> None:
        now = self._clock.monotonic()
        if now < self._until:
            return
        if self._count > _LINES:
            log.warning("A tool server said too much", server=self._server, lines=self._count - _LINES)
        self._until, self._count = now + _WINDOW, 0
