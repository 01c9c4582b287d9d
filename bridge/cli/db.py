"""`teambridge db`: the store's schema."""

import asyncio
from pathlib import Path

import typer

from bridge.cli.operations import opened_store
from bridge.cli.options import ConfigFile, load
from store.upgrade import head

application = typer.Typer(help="The store.")


@application.callback()
def db() -> None:
    """The store."""


@application.command()
def upgrade(config: ConfigFile = None) -> None:
    """Bring the store to the newest schema; `serve` does it too when it starts."""
    asyncio.run(_upgrade(config))
    typer.echo(f"The store is at revision {head()}, the newest one.")


async def _upgrade(config: Path | None) -> None:
    async with opened_store(load(config)):
        pass


def register(program: typer.Typer) -> None:
    program.add_typer(application, name="db")
