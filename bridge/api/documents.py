"""What the API says about itself."""

from typing import Final

from aiohttp import web

from bridge.api.call import Call
from bridge.api.openapi import DOCUMENTATION
from bridge.api.pages import page
from bridge.api.routes import Routes

routes: Final = Routes("documents")


@routes.add("GET", "/api/openapi.json", auth="open")
async def openapi(call: Call) -> web.StreamResponse:
    """This document."""
    text = call.request.app[DOCUMENTATION].text
    return web.Response(text=text, content_type="application/json")


@routes.add("GET", "/api/docs", auth="open", media="text/html")
async def viewer(_call: Call) -> web.StreamResponse:
    """This document, to read."""
    return page(200, {}, "docs.html")
