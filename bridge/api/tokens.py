"""API tokens: everybody makes and revokes their own; an admin may revoke anybody's."""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from pydantic import Field

from bridge.api.auth import issue
from bridge.api.call import Body, Call, Page
from bridge.api.editing import written_down
from bridge.api.errors import ApiError
from bridge.api.fields import Known, Name
from bridge.api.routes import Routes
from bridge.shape import Shape
from store.accounts import Token, find_token, list_tokens, revoke_token
from store.database import Transaction

routes: Final = Routes("tokens")


class TokenShape(Shape):
    """A token that is still good. The token itself is kept as a hash only."""

    id: str
    user_id: str
    name: str
    created_at: datetime
    expires_at: datetime | None


class IssuedToken(TokenShape):
    """A token that was just made: `token` is shown only now."""

    token: str


class NewToken(Body):
    """A token to be made, named after what it is for. Without `expires_in_days` it is good until it is revoked."""

    name: Name
    expires_in_days: int | None = Field(default=None, ge=1, le=3660)


class Listing(Shape):
    """Whose tokens: an admin may name a user."""

    user_id: Known | None = None


@routes.add("GET", "/api/tokens", errors=("FORBIDDEN",))
async def index(call: Call, query: Listing) -> Page[TokenShape]:
    """My tokens that are still good, oldest first."""
    user_id = query.user_id or call.user.id
    if user_id != call.user.id and call.user.role != "admin":
        raise ApiError("FORBIDDEN")
    found = await call.read(partial(list_tokens, use="api", user_id=user_id))
    return Page(items=[_shape(each) for each in found], next=None)


@routes.add("POST", "/api/tokens", status=201, errors=("PARAM_INVALID",))
async def create(call: Call, body: NewToken) -> IssuedToken:
    """Make a token of mine."""

    async def work(tx: Transaction) -> IssuedToken:
        life = None if body.expires_in_days is None else timedelta(days=body.expires_in_days)
        issued = await issue(tx, call.user.id, "api", new_id=call.parts.new_id, name=body.name, life=life)
        await written_down(call, tx, "token.create", issued.id)
        return IssuedToken(
            id=issued.id,
            user_id=call.user.id,
            name=body.name,
            created_at=tx.now,
            expires_at=None if life is None else tx.now + life,
            token=issued.secret,
        )

    return await call.write(work)


@routes.add("DELETE", "/api/tokens/{id}", status=204, errors=("NOT_FOUND",))
async def revoke(call: Call) -> None:
    """Make a token worthless."""

    async def work(tx: Transaction) -> None:
        token = await find_token(tx, call.named("id"))
        if token is None or token.use != "api" or not (token.user_id == call.user.id or call.user.role == "admin"):
            raise ApiError("NOT_FOUND")
        if not await revoke_token(tx, token.id):
            raise ApiError("NOT_FOUND")
        await written_down(call, tx, "token.revoke", token.id)

    await call.write(work)
    call.parts.hub.doubt()


def _shape(token: Token) -> TokenShape:
    return TokenShape(
        id=token.id,
        user_id=token.user_id,
        name=token.name,
        created_at=token.created_at,
        expires_at=token.expires_at,
    )
