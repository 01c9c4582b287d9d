"""The console's files, as they lie in the package: no build step, no outside request."""

import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from aiohttp import web

from bridge.api.call import Call
from bridge.api.errors import ApiError
from bridge.api.routes import Routes

routes: Final = Routes("console")

_TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_FOLDER: Final = files("bridge") / "console"


def page(status: int, headers: Mapping[str, str], name: str = "index.html") -> web.Response:
    """A page of the console; the shell holds no secret, its script asks the API who is there."""
    return web.Response(status=status, body=_FILES[name].read_bytes(), headers={**headers, **_described(name)})


@routes.add("GET", "/", auth="open", media="text/html")
async def console(_call: Call) -> web.StreamResponse:
    """The console."""
    return page(200, {})


@routes.add("GET", "/console/{file}", auth="open", errors=("NOT_FOUND",), media="*/*")
async def static(call: Call) -> web.StreamResponse:
    """A file of the console."""
    return _file(call, call.named("file"))


@routes.add("GET", "/console/{folder}/{file}", auth="open", errors=("NOT_FOUND",), media="*/*")
async def static_below(call: Call) -> web.StreamResponse:
    """A file of the console, in one of its folders."""
    return _file(call, f"{call.named('folder')}/{call.named('file')}")


def _file(call: Call, name: str) -> web.Response:
    """The file; browsers that have it already are told so."""
    if name not in _FILES:
        raise ApiError("NOT_FOUND")
    body = _FILES[name].read_bytes()
    mark = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {**_described(name), "ETag": mark}
    if call.request.headers.get("If-None-Match") == mark:
        return web.Response(status=304, headers=headers)
    return web.Response(body=body, headers=headers)


def _described(name: str) -> dict[str, str]:
    kind = _TYPES[name[name.rindex(".") :]]
    return {"Content-Type": f"{kind}; charset=utf-8", "Cache-Control": "no-cache"}


def _found(folder: Traversable, below: str = "") -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _found(each, f"{below}{each.name}/")
        elif each.name.endswith(tuple(_TYPES)):
            yield f"{below}{each.name}", each


_FILES: Final = dict(_found(_FOLDER))
