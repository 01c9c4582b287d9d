"""`teambridge token`: bearer tokens for the API. They live in the store, where a running server looks them up."""

import asyncio
import uuid
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bridge.api.auth import Issued, issue
from bridge.cli.errors import CommandError
from bridge.cli.operations import opened_store
from bridge.cli.options import ConfigFile, load
from bridge.cli.tables import show_table
from store.accounts import Token, ensure_owner, list_tokens, revoke_token
from store.database import Transaction

application = typer.Typer(help="Tokens for the HTTP API.")


@application.command()
def create(
    name: Annotated[str, typer.Option(help="What it is for, to know it again in the list.")] = "",
    config: ConfigFile = None,
) -> None:
    """Make a token of the owner and print it: it is never shown again."""
    issued = asyncio.run(_create(name, config))
    typer.echo(issued.secret)


@application.command("list")
def list_all(config: ConfigFile = None) -> None:
    """List the tokens that are still good."""
    rows = asyncio.run(_list(config))
    cells = ((row.id, row.name, f"{row.created_at:%Y-%m-%d %H:%M}") for row in rows)
    show_table(("ID", "NAME", "SINCE"), cells, "There are no tokens.")


@application.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The id that the list shows.")],
    config: ConfigFile = None,
) -> None:
    """Make a token worthless."""
    if not asyncio.run(_revoke(token_id, config)):
        raise CommandError(f'no token that is still good has the id "{token_id}"')
    typer.echo(f"Revoked {token_id}.")


async def _create(name: str, config: Path | None) -> Issued:
    async with opened_store(load(config)) as database:
        return await database.write(partial(_issue, name=name))


async def _issue(tx: Transaction, name: str) -> Issued:
    owner = await ensure_owner(tx)
    return await issue(tx, owner.id, "api", new_id=lambda: str(uuid.uuid4()), name=name)


async def _list(config: Path | None) -> list[Token]:
    async with opened_store(load(config)) as database:
        return await database.read(partial(list_tokens, use="api"))


async def _revoke(token_id: str, config: Path | None) -> bool:
    async with opened_store(load(config)) as database:
        return await database.write(partial(revoke_token, token_id=token_id))


def register(program: typer.Typer) -> None:
    program.add_typer(application, name="token")
