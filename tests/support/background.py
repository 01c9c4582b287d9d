"""The API in a thread of its own, for tools that ask over real sockets and know no event loop."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store.database import Database, sqlite_url
from store.schema import create_schema
from tests.support.api_server import Site, open_site
from tests.support.clock import FakeClock


@contextmanager
def site_in_background(folder: Path) -> Iterator[str]:
    """The URL of a running API (see `open_site`) on an empty SQLite store."""
    address: list[str] = []
    ready, over = threading.Event(), threading.Event()

    async def serve() -> None:
        clock = FakeClock()
        async with Database(sqlite_url(folder / "test.db"), clock) as database:
            await create_schema(database)
            async with open_site(database, clock, folder) as site:
                address.append(_url(site))
                ready.set()
                await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),), name="api")
    thread.start()
    try:
        ready.wait(timeout=30)
        yield address[0]
    finally:
        over.set()
        thread.join(timeout=30)


def _url(site: Site) -> str:
    return f"http://{site.client.host}:{site.client.port}"
