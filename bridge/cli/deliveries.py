"""`teambridge deliveries`: what was sent to the platforms, and what could not be."""

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from bridge.cli.operations import DeliveryRow, operations
from bridge.cli.options import ConfigFile, load
from bridge.cli.tables import show_table

State = Literal["pending", "sent", "dead", "uncertain"]
_SHOWN = 40
application = typer.Typer(help="Messages to the platforms.")


@application.callback(invoke_without_command=True)
def deliveries(context: typer.Context) -> None:
    """List deliveries, try one again."""
    if context.invoked_subcommand is None:
        list_deliveries()


@application.command("list")
def list_deliveries(
    state: Annotated[State | None, typer.Option(help="Only deliveries in this state.")] = None,
    config: ConfigFile = None,
) -> None:
    """List deliveries, newest first."""
    rows = asyncio.run(_list(state or "", config))
    columns = ("ID", "CHANNEL", "CHAT", "STATE", "TRIES", "REASON", "TEXT", "SINCE")
    show_table(columns, (_cells(row) for row in rows), "There are no deliveries.")


@application.command()
def retry(
    delivery_id: Annotated[str, typer.Argument(metavar="ID", help="The id that the list shows.")],
    config: ConfigFile = None,
) -> None:
    """Try a dead or uncertain delivery again."""
    asyncio.run(_retry(delivery_id, config))
    typer.echo(f"{delivery_id} will be tried again.")


async def _list(state: str, config: Path | None) -> list[DeliveryRow]:
    async with operations(load(config)) as opened:
        return await opened.deliveries(state)


async def _retry(delivery_id: str, config: Path | None) -> None:
    async with operations(load(config)) as opened:
        await opened.retry(delivery_id)


def _cells(row: DeliveryRow) -> tuple[str, ...]:
    text = row.text if len(row.text) <= _SHOWN else f"{row.text[:_SHOWN]}…"
    since = f"{row.created_at:%Y-%m-%d %H:%M}"
    return row.id, row.channel_id, row.chat_id, row.state, str(row.attempts), row.reason, text, since


def register(program: typer.Typer) -> None:
    program.add_typer(application, name="deliveries")
