"""`teambridge serve`: the server."""

import asyncio

import typer

from bridge.app import serve as run_server
from bridge.cli.errors import CommandError
from bridge.cli.options import ConfigFile
from bridge.cli.probe_channels import check_channel
from bridge.config import find_config, load_config
from host.errors import AlreadyServing


def serve(config: ConfigFile = None) -> int:
    """Start the server."""
    path = find_config(config)
    loaded = load_config(path)
    try:
        return asyncio.run(run_server(loaded, path, check_channel))
    except AlreadyServing as refused:
        raise CommandError(str(refused)) from None


def register(application: typer.Typer) -> None:
    application.command()(serve)
