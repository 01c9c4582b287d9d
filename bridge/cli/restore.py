"""`teambridge restore`: a backup into an empty data directory, while no server runs."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bridge.backup.errors import BackupDamaged, NotRestorable
from bridge.backup.restore import Restored
from bridge.backup.restore import restore as put_back
from bridge.cli.errors import FAILED, CommandError
from bridge.cli.options import ConfigFile
from bridge.config import Config, find_config, load_config
from bridge.datadir import make_data_dir
from host.errors import AlreadyServing
from host.exclusive import exclusive
from store.clock import SystemClock
from store.database import Database


def restore(
    file: Annotated[Path, typer.Argument(help="What `teambridge backup` wrote.")],
    force: Annotated[bool, typer.Option("--force", help="Put aside what the data directory holds.")] = False,
    config: ConfigFile = None,
) -> None:
    """Fill an empty data directory from a backup; no server may be running."""
    if not file.is_file():
        raise CommandError(f"{file}: there is no such file")
    try:
        done = asyncio.run(_restore(_config(config), file, force=force))
    except BackupDamaged as damaged:
        raise CommandError(f"{file} cannot be restored: {damaged}") from None
    except (NotRestorable, AlreadyServing) as refused:
        raise CommandError(str(refused)) from None
    except OSError as fault:
        raise CommandError(f"{fault.filename or file}: {fault.strerror}", FAILED) from None
    typer.echo(f"Restored {done.files} files as of {done.made_at:%Y-%m-%d %H:%M} UTC.")
    if done.aside is not None:
        typer.echo(f"What was there before is in {done.aside}.")


def _config(given: Path | None) -> Config:
    """The configuration that says where. The demo's is not loaded: it would begin to fill the data directory."""
    path = find_config(given)
    return load_config(path) if path is not None else Config(data_dir=Path.cwd() / "data")


async def _restore(config: Config, file: Path, *, force: bool) -> Restored:
    make_data_dir(config.data_dir)
    clock = SystemClock()
    async with (
        Database(config.database_url, clock) as database,
        exclusive(database, config.data_dir, clock, patience=0),
    ):
        return put_back(file, config.data_dir, is_sqlite=database.is_sqlite, force=force)


def register(application: typer.Typer) -> None:
    application.command()(restore)
