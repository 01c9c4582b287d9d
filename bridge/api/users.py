"""The accounts of this instance: made and changed by admins; every change is written down."""

from datetime import datetime
from functools import partial
from typing import Final, Literal

from bridge.api.auth import CODE_LIFE, issue
from bridge.api.call import Body, Call, Page
from bridge.api.editing import made_id, written_down
from bridge.api.errors import ApiError, param_invalid
from bridge.api.fields import Id, Name
from bridge.api.routes import Routes
from bridge.shape import Shape
from store.accounts import User, add_user, change_user, find_user, hold_user, list_users, revoke_all
from store.channels import stop_channels_of
from store.database import Transaction

routes: Final = Routes("users")

Role = Literal["admin", "member"]
_ONE: Final = ("NOT_FOUND",)


class UserShape(Shape):
    """An account. A disabled one cannot come in; what it owns stays."""

    id: str
    name: str
    role: Role
    enabled: bool
    created_at: datetime


class NewUser(Body):
    """An account to be made; its owner comes in with a login link."""

    id: Id | None = None
    name: Name
    role: Role = "member"


class UserChange(Body):
    """What to change; what is absent or null stays."""

    name: Name | None = None
    role: Role | None = None
    enabled: bool | None = None


class LoginLink(Shape):
    """A link that lets its holder in once, until `expires_at`. It is shown only now."""

    url: str
    expires_at: datetime


@routes.add("GET", "/api/users")
async def index(call: Call) -> Page[UserShape]:
    """The accounts of this instance, oldest first; disabled ones are shown to admins only."""
    found = await call.read(list_users)
    shown = [each for each in found if call.user.role == "admin" or each.disabled_at is None]
    return Page(items=[_shape(each) for each in shown], next=None)


@routes.add("POST", "/api/users", status=201, auth="admin", errors=("PARAM_INVALID",))
async def create(call: Call, body: NewUser) -> UserShape:
    """Make an account."""

    async def work(tx: Transaction) -> UserShape:
        user_id = body.id or made_id(body.name, "user")
        if await find_user(tx, user_id) is not None:
            raise param_invalid("id", "taken")
        user = await add_user(tx, User(id=user_id, name=body.name, role=body.role, created_at=tx.now))
        await written_down(call, tx, "user.create", user.id)
        return _shape(user)

    return await call.write(work)


@routes.add("GET", "/api/users/{id}", auth="admin", errors=_ONE)
async def show(call: Call) -> UserShape:
    """One account."""
    user = await call.read(partial(find_user, user_id=call.named("id")))
    if user is None:
        raise ApiError("NOT_FOUND")
    return _shape(user)


@routes.add("PATCH", "/api/users/{id}", auth="admin", errors=("PARAM_INVALID", *_ONE))
async def change(call: Call, body: UserChange) -> UserShape:
    """Rename an account, give it another role, or shut it out: then its channels are switched off.

    The owner of the instance stays an admin.
    """

    async def work(tx: Transaction) -> tuple[UserShape, list[str]]:
        user = await _held(call, tx)
        if body.role == "member" or body.enabled is False:
            _spare_owner(call, user)
        await change_user(tx, user, **body.model_dump(exclude_none=True))
        await written_down(call, tx, "user.change", user.id, list(body.model_dump(exclude_none=True)))
        return _shape(user), await stop_channels_of(tx, user.id) if body.enabled is False else []

    async with call.parts.plugboard.changing():
        shape, stopped = await call.write(work)
        await _shut_out(call, stopped)
    return shape


@routes.add("DELETE", "/api/users/{id}", status=204, auth="admin", errors=_ONE)
async def delete(call: Call) -> None:
    """Shut an account out and revoke all its tokens; what it owns stays, so that nobody loses a conversation."""

    async def work(tx: Transaction) -> list[str]:
        user = await _held(call, tx)
        _spare_owner(call, user)
        await change_user(tx, user, enabled=False)
        await revoke_all(tx, user.id)
        await written_down(call, tx, "user.delete", user.id)
        return await stop_channels_of(tx, user.id)

    async with call.parts.plugboard.changing():
        await _shut_out(call, await call.write(work))


@routes.add("POST", "/api/users/{id}/login-links", status=201, auth="admin", errors=_ONE)
async def invite(call: Call) -> LoginLink:
    """A one-time login link for an account, to be handed over in private."""

    async def work(tx: Transaction) -> LoginLink:
        user = await _held(call, tx)
        if user.disabled_at is not None:
            raise ApiError("FORBIDDEN")
        issued = await issue(tx, user.id, "login", new_id=call.parts.new_id, life=CODE_LIFE)
        await written_down(call, tx, "user.invite", user.id)
        return LoginLink(url=f"{call.parts.settings.address}/login?code={issued.secret}", expires_at=tx.now + CODE_LIFE)

    return await call.write(work)


async def _shut_out(call: Call, channel_ids: list[str]) -> None:
    """What the account has open ends too."""
    call.parts.hub.doubt()
    for channel_id in channel_ids:
        await call.parts.plugboard.switch_off(channel_id)


async def _held(call: Call, tx: Transaction) -> User:
    user = await hold_user(tx, call.named("id"))
    if user is None:
        raise ApiError("NOT_FOUND")
    return user


def _spare_owner(call: Call, user: User) -> None:
    """Somebody must be left who can let the others in."""
    if user.id == call.parts.settings.owner_id:
        raise ApiError("FORBIDDEN")


def _shape(user: User) -> UserShape:
    return UserShape(
        id=user.id,
        name=user.name,
        role="admin" if user.role == "admin" else "member",
        enabled=user.disabled_at is None,
        created_at=user.created_at,
    )
