"""alembic without its command line: revisions run on a connection that the caller holds in a transaction."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from store.errors import StoreTooNew


def run_missing(connection: Connection) -> None:
    """Bring the store behind `connection` to the newest revision. Raises StoreTooNew."""
    config = configured(connection=connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    present = MigrationContext.configure(connection).get_current_heads()
    if unknown := set(present) - known:
        raise StoreTooNew(", ".join(sorted(unknown)))
    command.upgrade(config, "head")


def configured(**attributes: object) -> Config:
    """alembic's configuration, made here instead of in an alembic.ini; `attributes` reach `context.configure`."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes.update(attributes)
    return config
