"""A copy of a SQLite store, made while others go on writing to it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from store.errors import StoreUnavailable


def copy_file(source: Path, target: Path) -> str:
    """Write the store as it is at this moment to the new file `target`; its schema's revision.

    All pages are copied in one step, from one snapshot: in WAL mode this neither waits for a writer nor holds one up.
    Raises StoreUnavailable.
    """
    try:
        with closing(sqlite3.connect(source)) as store, closing(sqlite3.connect(target)) as copy:
            store.backup(copy)
            (revision,) = copy.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
    except sqlite3.Error as fault:
        raise StoreUnavailable(str(fault)) from fault
    return str(revision)
