"""`server.json` in the data directory: how commands on this machine find and reach the running server."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

NAME = "server.json"


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that answers at `url`; `token` is a bearer of its owner, good for this run."""

    url: str
    pid: int
    token: str = field(repr=False)


@contextmanager
def announced(data_dir: Path, *, url: str, token: str) -> Iterator[None]:
    """While it lasts, `server.json` (0600) tells url, pid and a token that is good for this run only."""
    path = data_dir / NAME
    fresh = path.with_suffix(".tmp")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        json.dump({"url": url, "pid": os.getpid(), "token": token}, opened)
    fresh.replace(path)
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            path.unlink()


def find_running(data_dir: Path) -> Running | None:
    """The server that works on this data directory; None if there is none, or the file is left over from a kill."""
    try:
        said = json.loads((data_dir / NAME).read_text(encoding="utf-8"))
        server = Running(url=str(said["url"]), pid=int(said["pid"]), token=str(said["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return server if _is_alive(server.pid) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:  # of another account, but there
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return pid > 0
