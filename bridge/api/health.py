"""Health: whether the process lives, whether it can serve, and its numbers."""

import asyncio
from functools import partial
from typing import Final

from aiohttp import web

from bridge.api.call import Call
from bridge.api.routes import Routes
from bridge.metrics import CONTENT_TYPE
from bridge.pulse import PATIENCE
from bridge.shape import Shape
from store.accounts import find_user
from store.errors import StoreUnavailable

routes: Final = Routes("health")


class Alive(Shape):
    """The process answers."""

    status: str


class ChannelReadiness(Shape):
    """`state`: connected, connecting or error; `reason` says why it is not connected."""

    state: str
    reason: str


class Readiness(Shape):
    """Whether everything that is configured works; `store`: it can be read and written."""

    ready: bool
    store: bool
    channels: dict[str, ChannelReadiness]


@routes.add("GET", "/healthz", auth="open")
async def healthz(_call: Call) -> Alive:
    """The process is alive."""
    return Alive(status="ok")


@routes.add("GET", "/readyz", auth="open", described_answer=Readiness)
async def readyz(call: Call) -> web.StreamResponse:
    """200 if the store can be read and written and every channel is connected, else 503; says what is missing."""
    health = call.parts.channels.health()
    store = await _is_store_well(call)
    answer = Readiness(
        ready=store and all(each.state == "connected" for each in health.values()),
        store=store,
        channels={name: ChannelReadiness(state=each.state, reason=each.reason) for name, each in health.items()},
    )
    return call.rendered(answer, 200 if answer.ready else 503)


@routes.add("GET", "/metrics", auth="metrics", media="text/plain")
async def metrics(call: Call) -> web.StreamResponse:
    """Prometheus: with a token, or from this machine without a forwarding header."""
    return web.Response(body=await call.parts.metrics(), headers={"Content-Type": CONTENT_TYPE})


async def _is_store_well(call: Call) -> bool:
    """Whether it can be read and written now."""
    try:
        async with asyncio.timeout(PATIENCE):
            await call.read(partial(find_user, user_id=call.parts.settings.owner_id))
    except (StoreUnavailable, TimeoutError):
        return False
    return await call.parts.pulse.is_felt()
