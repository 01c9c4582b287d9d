"""`teambridge check`: is the file right, and do the platforms and models take the credentials?"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import structlog
import typer
from aiohttp import ClientSession, ClientTimeout
from sqlalchemy import text

from bridge.cli.errors import FAILED
from bridge.cli.findings import Finding, failed, ok, warning
from bridge.cli.options import ConfigFile
from bridge.cli.probe_channels import inspect_channel, probe_channel
from bridge.cli.probe_models import probe_model
from bridge.cli.probe_tools import probe_tools
from bridge.cli.tables import show_table
from bridge.config import Config, find_config, load_config
from bridge.config.errors import shown
from bridge.config.rules import warnings_of
from bridge.datadir import make_data_dir
from store.clock import SystemClock
from store.database import Database, Transaction
from store.errors import StoreUnavailable

_TIMEOUT: Final = ClientTimeout(total=15, connect=5)
_SIGNS: Final = {"ok": "✓ ok", "warning": "! warning", "failed": "✗ failed"}


def check(
    config: ConfigFile = None,
    offline: Annotated[bool, typer.Option("--offline", help="Only look at the file; ask nobody.")] = False,
) -> int:
    """Check the configuration, and ask every platform, model and tool server whether the credentials suffice."""
    path = find_config(config)
    loaded = load_config(path)
    found = [ok(str(path or "built-in demo"), "is valid"), *_inspect(loaded)]
    if not offline:
        with _quietly():
            found += asyncio.run(_probe(loaded))
    show_table(("", "WHAT", "RESULT"), ((_SIGNS[one.status], one.place, one.words) for one in found), "")
    return FAILED if any(one.status == "failed" for one in found) else 0


@contextmanager
def _quietly() -> Iterator[None]:
    """The table says it all: what the parts would log meanwhile is the same again."""
    usual = structlog.get_config()
    structlog.configure(**usual | {"wrapper_class": structlog.make_filtering_bound_logger(logging.CRITICAL)})
    try:
        yield
    finally:
        structlog.configure(**usual)


def _inspect(config: Config) -> Iterator[Finding]:
    for fault in warnings_of(config):
        yield warning(shown(fault.path), fault.problem)
    for index, channel in enumerate(config.channels):
        yield from inspect_channel(f"channels[{index}]", channel)


async def _probe(config: Config) -> list[Finding]:
    """All at once; the answers in the order of the file."""
    async with ClientSession(timeout=_TIMEOUT) as session:
        models = [probe_model(session, f"models.{name}", model) for name, model in config.models.items()]
        channels = [probe_channel(session, f"channels[{i}]", channel) for i, channel in enumerate(config.channels)]
        servers = [probe_tools(name, server) for name, server in config.mcp.items()]
        store, answered, asked = await asyncio.gather(
            _probe_store(config), asyncio.gather(*models), asyncio.gather(*servers, *channels)
        )
    return [store, *answered, *(finding for findings in asked for finding in findings)]


async def _probe_store(config: Config) -> Finding:
    """Whether the store answers. A SQLite file that does not exist yet is made."""
    try:
        make_data_dir(config.data_dir)
        async with Database(config.database_url, SystemClock()) as database:
            await database.read(_nothing)
    except (StoreUnavailable, OSError) as fault:
        return failed("store", f"cannot be opened ({fault}): check store.url and data_dir")
    return ok("store", "answers")


async def _nothing(tx: Transaction) -> None:
    await tx.orm.execute(text("SELECT 1"))


def register(application: typer.Typer) -> None:
    application.command()(check)
