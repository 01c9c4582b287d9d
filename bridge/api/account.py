"""The account of whoever is asking: who they are, coming in and going out."""

from functools import partial
from typing import Final

from aiohttp import web
from pydantic import Field

from bridge.api.attempts import Attempts
from bridge.api.auth import (
    COOKIE_LIFE,
    cookie_name,
    hashed,
    is_own_origin,
    issue,
    user_of_bearer,
    user_of_cookie,
)
from bridge.api.call import Body, Call, Words
from bridge.api.errors import ApiError
from bridge.api.pages import page
from bridge.api.routes import Routes
from bridge.shape import Shape
from store.accounts import User, revoke_hash, spend_token

routes: Final = Routes("account")

ATTEMPTS: Final = web.AppKey("attempts", Attempts)


class Me(Shape):
    """The account that asks. `role`: admin or member."""

    id: str
    name: str
    role: str


class Visitor(Shape):
    """What the console's page needs to begin: `user` is null for somebody who must sign in first."""

    locale: str
    user: Me | None


class Login(Body):
    """An API token, to be exchanged for a cookie."""

    token: Words = Field(min_length=1, max_length=1000)


@routes.add("GET", "/api/me")
async def me(call: Call) -> Me:
    """Who I am."""
    return _shape(call.user)


@routes.add("GET", "/api/console", auth="open")
async def visitor(call: Call) -> Visitor:
    """Who looks at the console, by its cookie."""
    user = await user_of_cookie(call.request)
    return Visitor(locale=call.parts.settings.locale, user=None if user is None else _shape(user))


@routes.add("GET", "/login", auth="open", status=303, errors=("UNAUTHENTICATED", "RATE_LIMITED"), media="text/html")
async def follow_link(call: Call) -> web.StreamResponse:
    """The one-time link: a code becomes a cookie, and leaves the address bar."""
    attempts = call.request.app[ATTEMPTS]
    if not attempts.may_try(call.request.remote):
        return page(429, {"Retry-After": str(attempts.window)})
    code = call.request.query.get("code", "")
    user = await call.write(partial(spend_token, hashed=hashed(code), use="login")) if code else None
    response = web.Response(status=303, headers={"Location": "/"})
    if user is None:
        if await user_of_cookie(call.request) is not None:
            return response
        if code:
            attempts.failed(call.request.remote)
        return page(401, {})
    await _let_in(call, user, response)
    return response


@routes.add("POST", "/api/login", auth="open", status=204, errors=("UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED"))
async def login(call: Call, body: Login) -> web.StreamResponse:
    """Exchange an API token for the console's cookie."""
    attempts = call.request.app[ATTEMPTS]
    if not is_own_origin(call.request, call.parts.settings):
        raise ApiError("FORBIDDEN")
    if not attempts.may_try(call.request.remote):
        raise ApiError("RATE_LIMITED", headers={"Retry-After": str(attempts.window)})
    user = await user_of_bearer(call.request, body.token.strip())
    if user is None:
        attempts.failed(call.request.remote)
        raise ApiError("UNAUTHENTICATED")
    response = web.Response(status=204)
    await _let_in(call, user, response)
    return response


@routes.add("POST", "/api/logout", status=204)
async def logout(call: Call) -> web.StreamResponse:
    """End this console session."""
    name = cookie_name(call.parts.settings)
    await call.write(partial(revoke_hash, hashed=hashed(call.request.cookies.get(name, ""))))
    call.parts.hub.doubt()
    response = web.Response(status=204)
    response.del_cookie(name, path="/")
    return response


def _shape(user: User) -> Me:
    return Me(id=user.id, name=user.name, role=user.role)


async def _let_in(call: Call, user: User, response: web.Response) -> None:
    make = partial(issue, user_id=user.id, use="console", new_id=call.parts.new_id, life=COOKIE_LIFE)
    issued = await call.write(make)
    call.request.app[ATTEMPTS].succeeded(call.request.remote)
    response.set_cookie(
        cookie_name(call.parts.settings),
        issued.secret,
        max_age=int(COOKIE_LIFE.total_seconds()),
        path="/",
        httponly=True,
        samesite="Strict",
        secure=call.parts.settings.public_url.startswith("https:") and not _is_plain(call.request),
    )


def _is_plain(request: web.Request) -> bool:
    """A browser that came over http (on this machine, say) would not send a Secure cookie back."""
    return request.headers.get("X-Forwarded-Proto", request.scheme) != "https"
