"""Which database the programs of a scenario get: SQLite in their own folder, or one each on a PostgreSQL server."""

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

NewStore = Callable[[str], Awaitable[str]]
"""Makes an empty database; a file gets the name that is given. Tells its URL."""

_servers: list[str] = []


@contextmanager
def programs_on(server: str) -> Iterator[None]:
    """Programs that are configured meanwhile work on databases of `server`; "" leaves them on SQLite."""
    _servers.append(server)
    try:
        yield
    finally:
        _servers.pop()


def with_store(config: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """The configuration with the store that holds now, unless it names its own. One folder keeps its database."""
    server = _servers[-1] if _servers else ""
    if not server or "store" in config:
        return config
    name = f"p{hashlib.sha256(str(folder).encode()).hexdigest()[:24]}"
    with psycopg.connect(server, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
            connection.execute(f"CREATE DATABASE {name}".encode())
    return {**config, "store": {"url": server.replace("/postgres?", f"/{name}?")}}
