"""A bell for whoever waits for turns of sessions: rung after the commit, never asked in a loop."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager


class Bell:
    """Rings for the listeners of a session. Whoever listens looks at the store first, then waits for the ring."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def ring(self, session_id: str) -> None:
        """A turn of this session is over."""
        for each in self._listeners.get(session_id, ()):
            each.set()

    @contextmanager
    def listening(self, session_ids: Collection[str]) -> Iterator[asyncio.Event]:
        """An event that is set whenever one of these sessions rings; clear it before looking again."""
        rung = asyncio.Event()
        for each in session_ids:
            self._listeners[each].add(rung)
        try:
            yield rung
        finally:
            for each in session_ids:
                self._listeners[each].discard(rung)
                if not self._listeners[each]:
                    del self._listeners[each]
