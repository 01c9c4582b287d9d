"""Upkeep: once a day the store forgets finished work that is old enough, and the shelf the bytes that nobody has."""

from functools import partial
from typing import Final

import structlog

from host.shelf import Shelf
from store.clock import Clock
from store.database import Database
from store.errors import StoreUnavailable
from store.files import known_digests
from store.pruning import KEPT, prune

log = structlog.get_logger(__name__)

DAY: Final = 86_400.0
"""Seconds between two rounds of upkeep."""


BATCH: Final = 500
"""Contents that the store is asked about at once."""


async def keep_tidy(database: Database, clock: Clock, shelf: Shelf) -> None:
    """Prune now and every day, until cancelled."""
    while True:
        try:
            pruned = await database.write(partial(prune, before=clock.now() - KEPT))
            if any(vars(pruned).values()):
                log.info("Forgot finished work", **vars(pruned))
            await clear(database, shelf)
        except (StoreUnavailable, OSError) as fault:
            log.warning("Could not forget finished work today", reason=str(fault))
        await clock.sleep(DAY)


async def clear(database: Database, shelf: Shelf, age: float = DAY) -> int:
    """Take down what no file has any more, also what a killed process put there in vain; how many contents went.

    What is younger than `age` seconds may belong to a file that is just being written down.
    """
    digests = await shelf.older(age)
    gone = 0
    for first in range(0, len(digests), BATCH):
        batch = digests[first : first + BATCH]
        known = await database.read(partial(known_digests, digests=batch))
        for digest in batch:
            gone += digest not in known and await shelf.take_down(digest, age)
    return gone
