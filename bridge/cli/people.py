"""`teambridge people`: who asks to be let in, and the decision."""

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from bridge.cli.operations import PersonRow, operations
from bridge.cli.options import ConfigFile, load
from bridge.cli.tables import show_table

State = Literal["pending", "approved", "blocked", "known"]
application = typer.Typer(help="People who write to your channels.")


@application.callback(invoke_without_command=True)
def people(context: typer.Context) -> None:
    """List people, approve one who has a pairing code, block one."""
    if context.invoked_subcommand is None:
        list_people()


@application.command("list")
def list_people(
    state: Annotated[State | None, typer.Option(help="Only people in this state.")] = None, config: ConfigFile = None
) -> None:
    """List people, newest first."""
    rows = asyncio.run(_list(state or "", config))
    columns = ("ID", "CHANNEL", "NAME", "THERE", "STATE", "CODE", "SINCE")
    show_table(columns, (_cells(row) for row in rows), "Nobody has written yet.")


@application.command()
def approve(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The pairing code.")], config: ConfigFile = None
) -> None:
    """Let the person (or the group) with this pairing code speak."""
    typer.echo(f"Approved {asyncio.run(_approve(code, config))}.")


@application.command()
def block(
    person_id: Annotated[str, typer.Argument(metavar="ID", help="The id that the list shows.")],
    config: ConfigFile = None,
) -> None:
    """Never listen to a person again."""
    typer.echo(f"Blocked {asyncio.run(_block(person_id, config))}.")


async def _list(state: str, config: Path | None) -> list[PersonRow]:
    async with operations(load(config)) as opened:
        return await opened.people(state)


async def _approve(code: str, config: Path | None) -> str:
    async with operations(load(config)) as opened:
        return await opened.approve(code)


async def _block(person_id: str, config: Path | None) -> str:
    async with operations(load(config)) as opened:
        return await opened.block(person_id)


def _cells(row: PersonRow) -> tuple[str, ...]:
    return row.id, row.channel_id, row.name, row.external_id, row.state, row.code, f"{row.created_at:%Y-%m-%d %H:%M}"


def register(program: typer.Typer) -> None:
    program.add_typer(application, name="people")
