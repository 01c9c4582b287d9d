"""Draft a revision from the difference between the tables in the code and those that the revisions make.

    python -m store.migrations.draft 0002 "People get a language" && ruff format store/migrations/versions

A file of the same number is replaced: right before its release, never after. Read what it wrote: it is frozen text.
"""

import sys

from alembic import command
from sqlalchemy import create_engine

from store.migrations.run import configured, run_missing
from store.schema import tell_postgresql
from store.upgrade import revision_files


def draft(number: str, message: str) -> None:
    for replaced in revision_files(number):
        replaced.unlink()
    tell_postgresql()
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        run_missing(connection)
        command.revision(configured(connection=connection), message, autogenerate=True, rev_id=number)
    engine.dispose()
    for drafted in revision_files(number):
        lines = drafted.read_text().splitlines(keepends=True)
        drafted.write_text("".join(line for line in lines if not line.strip().startswith("# ###")))


if __name__ == "__main__":
    draft(*sys.argv[1:])
