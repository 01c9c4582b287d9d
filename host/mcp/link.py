"""What an open connection to a tool server can do. `host.mcp.connection` makes them; it alone imports the SDK."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol


class Forgotten(Exception):
    """The server has forgotten this connection and done nothing: open a new one and say it again."""


class Link(Protocol):
    """Requests may come from any task; `lost` is set when nothing comes any more, `changed` when the tools are others.

    `why` tells in words why it was lost.
    """

    lost: asyncio.Event
    changed: bool

    @property
    def why(self) -> str: ...

    async def listed(self) -> list[object]:
        """The entries of `tools/list`. Raises ServerDown."""

    async def ping(self) -> None:
        """Raises ServerDown if there is no sign of life."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of `tools/call` as it came. Raises ToolFault, Interrupted, Forgotten."""
