"""The installation that the benches measure: the usual one, with a channel that takes any number of messages."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.bench.process import cpu_seconds
from tests.support.callback import Receiver
from tests.support.model_server import ModelServer
from tests.support.settings import settings, webhook
from tests.support.world import World

AFTERWORK = 0.3
"""Seconds in which the program surely has finished what it does behind its last answer."""


def busy(model: ModelServer, callback: Receiver, port: int) -> dict[str, Any]:
    """A configuration without a limit worth the name."""
    channel = webhook("hook", "studio", callback.url("hook"), groups="all", rate_limit=1_000_000)
    return settings(model_url=model.base_url, port=port, channels=[channel])


async def cpu_of(installation: World, work: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds that the program spends on this, what it does right afterwards included."""
    began = cpu_seconds(installation.program.pid)
    await work()
    await asyncio.sleep(AFTERWORK)
    return cpu_seconds(installation.program.pid) - began
