"""`teambridge backup`: everything that cannot be written again, in one file, while the server runs or not."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from sqlalchemy.engine import make_url

from bridge.backup.pack import pack
from bridge.cli.errors import FAILED, CommandError
from bridge.cli.options import ConfigFile, load

_POSTGRESQL: Final = "The store is on PostgreSQL and is not in it: back it up with pg_dump, right before this."


def backup(
    file: Annotated[Path | None, typer.Argument(help="The file to write; else one named after the time, here.")] = None,
    config: ConfigFile = None,
) -> None:
    """Write the store, the workspaces, the files and the key of the secrets to one file; the server may be running."""
    loaded = load(config)
    url = make_url(loaded.database_url)
    store = Path(url.database or "") if url.get_backend_name() == "sqlite" else None
    target = (file or Path(f"teambridge-{datetime.now(UTC):%Y%m%d-%H%M%S}.tar.gz")).absolute()
    _check(loaded.data_dir, store, target)
    try:
        packed = pack(loaded.data_dir, target, store=store)
    except OSError as fault:
        raise CommandError(f"{fault.filename or target}: {fault.strerror}", FAILED) from None
    typer.echo(f"{target}: {packed.files} files. It holds secrets: keep it as safe as config.toml, which is not in it.")
    if packed.skipped:
        typer.echo(f"Left out: {packed.skipped} links or other things that are no plain files.")
    if store is None:
        typer.echo(_POSTGRESQL)


def _check(data_dir: Path, store: Path | None, target: Path) -> None:
    """Raises CommandError."""
    if target.exists():
        raise CommandError(f"{target} exists already: name another file")
    if not target.parent.is_dir():
        raise CommandError(f"{target.parent} is no directory")
    if not (store or data_dir).exists():
        raise CommandError(f"there is nothing to back up yet in {data_dir}")


def register(application: typer.Typer) -> None:
    application.command()(backup)
