"""The store of a program, read from outside: what it kept, and what it still has to do."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from tests.campaign.record import Kept

_UNFINISHED: Mapping[str, str] = {
    "event in the inbox": "SELECT count(*) FROM inbox WHERE state != 'done'",
    "input that waits": "SELECT count(*) FROM inputs WHERE state IN ('pending', 'claimed')",
    "live turn": "SELECT count(*) FROM turns WHERE state = 'live'",
    "open job": "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')",
    "result that nobody took": "SELECT count(*) FROM jobs WHERE taken_by IS NULL",
    "event that is not published": "SELECT count(*) FROM sessions WHERE seq > published AND app_id != 'console'",
    "delivery that waits": "SELECT count(*) FROM outbox WHERE state = 'pending'",
    "open live message": "SELECT count(*) FROM live_posts WHERE state = 'open'",
}
_FAILED: Mapping[str, str] = {
    "dead letter": "SELECT count(*) FROM outbox WHERE state = 'dead'",
    "failed turn": "SELECT count(*) FROM turns WHERE state = 'failed'",
    "failed job": "SELECT count(*) FROM jobs WHERE state NOT IN ('queued', 'running', 'done')",
}
_EVENTS = """SELECT e.session_id, e.seq, e.kind, e.text, e.rounds FROM events e JOIN sessions s ON s.id = e.session_id
WHERE s.kind = 'room' ORDER BY e.session_id, e.seq"""
_UNCERTAIN = "SELECT message FROM outbox WHERE state = 'uncertain'"


class Store:
    """The SQLite file in a program's data folder; it may be read while the program runs."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "data" / "teambridge.db"

    def unfinished(self) -> dict[str, int]:
        """What a program that goes on would still do."""
        return self._counts(_UNFINISHED)

    def failed(self) -> dict[str, int]:
        """What ended otherwise than it should."""
        return self._counts(_FAILED)

    def events(self) -> list[Kept]:
        """The events of all rooms."""
        return [
            Kept(session_id=room, seq=seq, kind=kind, text=text, rounds=tuple(json.loads(rounds)))
            for room, seq, kind, text, rounds in self._ask(_EVENTS)
        ]

    def uncertain(self) -> list[str]:
        return [str(json.loads(message)["text"]) for (message,) in self._ask(_UNCERTAIN)]

    def _counts(self, queries: Mapping[str, str]) -> dict[str, int]:
        return {name: int(self._ask(query)[0][0]) for name, query in queries.items()}

    def _ask(self, query: str) -> list[tuple]:  # type: ignore[type-arg]
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True, timeout=5)) as store:
            return store.execute(query).fetchall()
