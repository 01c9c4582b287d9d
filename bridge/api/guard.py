"""What stands before every route: the Host check, the error envelope, the security headers."""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import structlog
from aiohttp import web

from bridge.api.call import error_response
from bridge.api.errors import ApiError, api_error, param_invalid
from bridge.api.language import choose_locale
from bridge.api.parts import PARTS, Settings
from bridge.notices import Notices

log = structlog.get_logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_WILDCARDS: Final = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
_BY_STATUS: Final = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "PAYLOAD_TOO_LARGE"}
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}


@web.middleware
async def envelope(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every failure leaves as the error envelope, in the language of the request."""
    try:
        return await handler(request)
    except web.HTTPException as answer:
        error = ApiError(_BY_STATUS.get(answer.status, "PARAM_INVALID"), status=answer.status, details=_allowed(answer))
    except Exception as fault:
        # One request is where a task begins: a bug ends this request only.
        error = fault if isinstance(fault, ApiError) else api_error(fault) or _unforeseen(request, fault)
    return error_response(error, spoken(request), in_camel=request.path.startswith("/v1/"))


@web.middleware
async def own_host(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse a Host that is not ours: a foreign page may have pointed its name at this address."""
    if not is_own_host(request.headers.get("Host", ""), request.app[PARTS].settings):
        raise ApiError("MISDIRECTED")
    return await handler(request)


def is_own_host(header: str, settings: Settings) -> bool:
    """The bound address, localhost or `public_url`'s host; with a wildcard bound, any address (never a name)."""
    try:
        name = urlsplit(f"//{header}").hostname or ""
        public = urlsplit(settings.public_url).hostname
    except ValueError:
        return False
    if name and name in ("localhost", settings.host.lower(), public):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or settings.host in _WILDCARDS


async def secure(_request: web.Request, response: web.StreamResponse) -> None:
    """Headers of every answer (signal `on_response_prepare`)."""
    response.headers["Server"] = "teambridge"
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")


def spoken(request: web.Request) -> Notices:
    """The catalogue in the language of the request."""
    parts = request.app[PARTS]
    return parts.notices[choose_locale(request.headers.get("Accept-Language", ""), parts.settings.locale)]


def _unforeseen(request: web.Request, fault: Exception) -> ApiError:
    """A bug; or a body that nobody can unpack, or whose sender went away, which anybody may send us."""
    if isinstance(fault, web.RequestPayloadError) or (isinstance(fault, ConnectionError) and request.transport is None):
        log.debug("A body could not be read", route=_route(request), reason=str(fault))
        error = param_invalid("body")
        error.headers["Connection"] = "close"  # the rest of it is still in the way
        return error
    log.error("A request failed", method=request.method, route=_route(request), exc_info=fault)
    return ApiError("INTERNAL")


def _route(request: web.Request) -> str:
    """The route's pattern: paths may hold what logs should not."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else ""


def _allowed(answer: web.HTTPException) -> dict[str, object]:
    if isinstance(answer, web.HTTPMethodNotAllowed):
        return {"allowed": sorted(answer.allowed_methods)}
    return {} if answer.status in _BY_STATUS else {"path": "body"}
