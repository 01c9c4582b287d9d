"""Whether a tool server answers, and with which tools."""

from collections.abc import Iterator
from typing import Final

from bridge.cli.findings import Finding, failed, ok, warning
from bridge.config import McpConfig
from bridge.config.words import nearest
from bridge.mapping import server_spec
from bridge.secrecy import Redactor
from host.errors import ServerDown
from host.mcp.offer import Offers
from host.mcp.server import Server
from host.mcp.spec import EVERY, Patience
from store.clock import SystemClock

_PATIENCE: Final = Patience(run=60.0)
"""A first start may have to fetch the server."""

_NAMED: Final = 10
"""Tools whose names are told."""


async def probe_tools(name: str, server: McpConfig) -> list[Finding]:
    """Starts the server, or asks it, and ends it again. Never raises for what a server does."""
    place = f"mcp.{name}"
    tried = Server(server_spec(name, server), SystemClock(), _PATIENCE)
    try:
        offers = await tried.offers()
    except ServerDown as down:
        return [failed(place, f"{_clean(down.reason, server)}: {_advice(server)}")]
    finally:
        await tried.stop()
    return list(_found(place, server, offers))


def _clean(words: str, server: McpConfig) -> str:
    """A server's last words may repeat what it was given."""
    given = (*server.env.values(), *server.headers.values())
    return str(Redactor(value.get_secret_value() for value in given).clean(words))


def _found(place: str, server: McpConfig, offers: Offers) -> Iterator[Finding]:
    names = [offer.name for offer in offers.fit]
    yield ok(place, f"has {_listed(names)}") if names else warning(place, "has no tools")
    for unfit in offers.unfit:
        yield warning(place, f"the tool {unfit.name or 'without a name'} is left out: it {unfit.why}")
    for index, wanted in enumerate(server.approval):
        if wanted != EVERY and wanted not in names:
            yield warning(f"{place}.approval[{index}]", f'the server has no tool "{wanted}"{nearest(wanted, names)}')


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} tool{'s'[: len(names) - 1]}: {', '.join(names[:_NAMED])}{more}"


def _advice(server: McpConfig) -> str:
    if server.command:
        return "check command and env; run the command in a terminal to see what it says"
    return "check url, headers and the network"
