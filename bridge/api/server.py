"""The HTTP server: all routes, the document that describes them, and what stands before them."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from aiohttp import web

from bridge.api import (
    account,
    agents,
    approvals,
    audit,
    channels,
    choices,
    cooperation,
    deliveries,
    documents,
    events,
    experts,
    files,
    health,
    hooks,
    inputs,
    jobs,
    live,
    pages,
    people,
    reopening,
    sessions,
    teams,
    tokens,
    usage,
    users,
)
from bridge.api.attempts import Attempts
from bridge.api.auth import identify
from bridge.api.call import Call
from bridge.api.guard import envelope, own_host, secure, spoken
from bridge.api.openapi import DOCUMENTATION, Documentation
from bridge.api.parts import PARTS, Parts
from bridge.api.routes import Route, mounted

MAX_BODY: Final = 1_048_576

_NOUNS = (
    account,
    users,
    tokens,
    audit,
    agents,
    choices,
    experts,
    teams,
    sessions,
    reopening,
    cooperation,
    inputs,
    files,
    events,
    live,
    jobs,
    approvals,
    channels,
    people,
    deliveries,
    usage,
    hooks,
    health,
    documents,
    pages,
)


def all_routes() -> list[Route]:
    """Every route, the sessions twice: below `/api` and, in camelCase, below `/v1`."""
    own = [route for noun in _NOUNS for route in noun.routes.all]
    return own + mounted(own, "/api/sessions", "/v1/sessions")


def build_app(parts: Parts) -> web.Application:
    """The application, ready for a runner."""
    app = web.Application(middlewares=[envelope, own_host], client_max_size=MAX_BODY)
    routes = all_routes()
    app[PARTS] = parts
    app[account.ATTEMPTS] = Attempts(parts.clock)
    app[DOCUMENTATION] = Documentation(routes)
    app.add_routes([_definition(route) for route in _in_order(routes)])
    app.on_response_prepare.append(secure)
    app.on_shutdown.append(_end_live)
    return app


def runner(app: web.Application) -> web.AppRunner:
    """How the application is served: without access log (paths of hooks and logins are nobody's business)."""
    return web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=3.0)


async def answer(route: Route, request: web.Request) -> web.StreamResponse:
    """One request: who asks, what they ask, what the handler says to it."""
    user = await identify(request, route.auth)
    call = Call(request=request, parts=request.app[PARTS], known=user, notices=spoken(request), camel=route.camel)
    arguments: dict[str, object] = {}
    if route.query is not None:
        arguments["query"] = call.query(route.query)
    if route.body is not None:
        arguments["body"] = await call.body(route.body)
    return call.rendered(await route.handler(call, **arguments), route.status)


async def _end_live(app: web.Application) -> None:
    app[PARTS].hub.close()


def _definition(route: Route) -> web.RouteDef:
    """Without the HEAD that aiohttp adds to every GET: one would spend a login code."""
    options = {"allow_head": False} if route.method == "GET" else {}
    return web.RouteDef(route.method, route.path, partial(answer, route), options)


def _in_order(routes: Sequence[Route]) -> list[Route]:
    """Fixed paths before those with a name in them."""
    return sorted(routes, key=lambda route: "{" in route.path)
