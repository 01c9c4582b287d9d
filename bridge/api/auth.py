"""Who is asking: bearer tokens, console cookies, one-time login codes.

A secret is 256 random bits and only its SHA-256 is stored. A cookie is only believed together with our own Origin
where it could do harm: on unsafe requests and on WebSockets.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from bridge.api.errors import ApiError
from bridge.api.parts import PARTS, Settings
from bridge.api.routes import Auth
from store.accounts import Token, User, add_token, ensure_owner, find_user, has_token, prune_tokens, user_of_token
from store.database import Database, Transaction

COOKIE_LIFE: Final = timedelta(days=30)
CODE_LIFE: Final = timedelta(hours=24)
_SAFE = ("GET", "HEAD", "OPTIONS")
_FORWARDING = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
_LOOPBACK = ("127.", "::1", "::ffff:127.")


@dataclass(frozen=True, kw_only=True)
class Issued:
    """A secret that was just made: the only moment it can be read."""

    id: str
    secret: str


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


async def issue(
    tx: Transaction, user_id: str, use: str, *, new_id: Callable[[], str], name: str = "", life: timedelta | None = None
) -> Issued:
    """A new secret of this user. `use`: api (bearer), console (cookie), login (one-time code)."""
    secret = secrets.token_urlsafe(32)
    expires = None if life is None else tx.now + life
    row = Token(id=new_id(), user_id=user_id, use=use, hash=hashed(secret), created_at=tx.now)
    row.name, row.expires_at = name, expires
    await add_token(tx, row)
    return Issued(id=row.id, secret=secret)


async def prepare_accounts(database: Database, settings: Settings, new_id: Callable[[], str]) -> str | None:
    """Make sure that the owner exists and can come in; a token that was made for that is returned, once."""

    async def prepare(tx: Transaction) -> str | None:
        owner = await ensure_owner(tx, settings.owner_id)
        await prune_tokens(tx, tx.now - COOKIE_LIFE)
        if settings.admin_token or await has_token(tx, "api"):
            return None
        return (await issue(tx, owner.id, "api", new_id=new_id, name="first")).secret

    return await database.write(prepare)


async def new_login_code(database: Database, settings: Settings, new_id: Callable[[], str]) -> str:
    """A code for `/login?code=…`: good once, for a day."""
    make = partial(issue, user_id=settings.owner_id, use="login", new_id=new_id, life=CODE_LIFE)
    return (await database.write(make)).secret


def cookie_name(settings: Settings) -> str:
    """Browsers share cookies between the ports of a host: each of our servers has a name of its own."""
    return f"teambridge_{settings.port}"


async def identify(request: web.Request, auth: Auth) -> User | None:
    """The user who asks; None on open routes. Raises ApiError if this route is not for them."""
    if auth in ("open", "signature") or (auth == "metrics" and _is_from_here(request)):
        return None
    user = await _user(request)
    if user is None:
        raise ApiError("UNAUTHENTICATED", headers={"WWW-Authenticate": "Bearer"})
    if auth == "admin" and user.role != "admin":
        raise ApiError("FORBIDDEN")
    return user


async def user_of_cookie(request: web.Request) -> User | None:
    """The user of the console cookie, wherever the request comes from."""
    parts = request.app[PARTS]
    cookie = request.cookies.get(cookie_name(parts.settings), "")
    if not cookie:
        return None
    return await parts.database.read(partial(user_of_token, hashed=hashed(cookie), use="console"))


def is_own_origin(request: web.Request, settings: Settings) -> bool:
    """Whether a page of ours makes this request (the Host was checked before)."""
    origin = request.headers.get("Origin", "")
    if settings.public_url and origin == _origin(settings.public_url):
        return True
    return origin in (f"http://{request.headers.get('Host')}", f"https://{request.headers.get('Host')}")


async def _user(request: web.Request) -> User | None:
    scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return await user_of_bearer(request, bearer.strip())
    user = await user_of_cookie(request)
    is_socket = request.headers.get("Upgrade", "").lower() == "websocket"
    could_harm = user is not None and (is_socket or request.method not in _SAFE)
    if could_harm and not is_own_origin(request, request.app[PARTS].settings):
        raise ApiError("FORBIDDEN")
    return user


async def user_of_bearer(request: web.Request, bearer: str) -> User | None:
    """The user of an API token, or the owner if it is the configured one or that of this run."""
    parts = request.app[PARTS]
    owners = [token for token in (parts.settings.admin_token, parts.settings.run_token) if token]
    if any(hmac.compare_digest(hashed(token), hashed(bearer)) for token in owners):
        return await parts.database.read(partial(find_user, user_id=parts.settings.owner_id))
    return await parts.database.read(partial(user_of_token, hashed=hashed(bearer), use="api"))


def _is_from_here(request: web.Request) -> bool:
    """A request of this machine that no proxy passed on; one that brings a token is judged by it."""
    if any(header in request.headers for header in ("Authorization", *_FORWARDING)):
        return False
    return (request.remote or "").startswith(_LOOPBACK)


def _origin(url: str) -> str:
    parsed = urlsplit(url)
    return f"{parsed.scheme}://{parsed.netloc}"
