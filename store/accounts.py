"""Accounts: the users of our own API and their tokens, kept as hashes."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, CursorResult, ForeignKey, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.adding import add_with_id
from store.base import Row
from store.database import Transaction


class User(Row):
    """One user. `role`: admin or member. The first one is "owner"."""

    __tablename__ = "users"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    role: Mapped[str]
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None] = mapped_column(default=None)


class Token(Row):
    """A bearer token or a console cookie, as the SHA-256 of 256 random bits. `use`: api, console, login."""

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    use: Mapped[str]
    hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]
    name: Mapped[str] = mapped_column(default="")
    expires_at: Mapped[datetime | None] = mapped_column(default=None)
    revoked_at: Mapped[datetime | None] = mapped_column(default=None)


async def find_user(tx: Transaction, user_id: str) -> User | None:
    return await tx.get(User, user_id)


async def list_users(tx: Transaction) -> list[User]:
    """All users, disabled ones too, oldest first."""
    return list(await tx.orm.scalars(select(User).order_by(User.created_at, User.id)))


async def find_users(tx: Transaction, ids: Collection[str]) -> dict[str, User]:
    """The users of `ids` that exist and may come in, by id."""
    query = select(User).where(User.id.in_(ids), User.disabled_at.is_(None))
    return {row.id: row for row in await tx.orm.scalars(query)}


async def hold_user(tx: Transaction, user_id: str) -> User | None:
    """The user, held by this transaction until it ends."""
    return await tx.orm.get(User, user_id, with_for_update=True, populate_existing=True)


async def touch_user(tx: Transaction, user_id: str) -> None:
    """Write the user as it is: nothing changes, but the store has to take it."""
    await tx.orm.execute(update(User).where(User.id == user_id).values(name=User.name))


async def add_user(tx: Transaction, user: User) -> User:
    """Raises Taken."""
    return await add_with_id(tx, user)


async def change_user(
    tx: Transaction, user: User, *, name: str | None = None, role: str | None = None, enabled: bool | None = None
) -> None:
    """Change what is given of a held user; None leaves it as it is."""
    user.name, user.role = name or user.name, role or user.role
    if enabled is not None:
        user.disabled_at = None if enabled else user.disabled_at or tx.now


async def ensure_owner(tx: Transaction, owner_id: str = "owner") -> User:
    """The first user, an admin; made if the store is new."""
    found = await find_user(tx, owner_id)
    if found is not None:
        return found
    owner = User(id=owner_id, name=owner_id, role="admin", created_at=tx.now)
    return await tx.add(owner)


async def add_token(tx: Transaction, token: Token) -> Token:
    return await tx.add(token)


async def user_of_token(tx: Transaction, hashed: str, use: str) -> User | None:
    """Who holds this token now: not revoked, not expired, and its user not disabled."""
    query = select(User).join(Token, Token.user_id == User.id)
    query = query.where(Token.hash == hashed, Token.use == use, *_valid(tx.now), User.disabled_at.is_(None))
    return (await tx.orm.scalars(query)).one_or_none()


async def has_token(tx: Transaction, use: str) -> bool:
    """Whether a token of this use is still good."""
    query = select(Token.id).where(Token.use == use, *_valid(tx.now)).limit(1)
    return (await tx.orm.scalars(query)).first() is not None


async def list_tokens(tx: Transaction, use: str, user_id: str | None = None) -> list[Token]:
    """The tokens of this use (and user) that are still good, oldest first."""
    query = select(Token).where(Token.use == use, *_valid(tx.now)).order_by(Token.created_at, Token.id)
    if user_id is not None:
        query = query.where(Token.user_id == user_id)
    return list(await tx.orm.scalars(query))


async def find_token(tx: Transaction, token_id: str) -> Token | None:
    return await tx.orm.get(Token, token_id)


async def spend_token(tx: Transaction, hashed: str, use: str) -> User | None:
    """Who holds this token; from now on it is worth nothing. Of two who spend it at once, one gets None."""
    user = await user_of_token(tx, hashed, use)
    spent = await _revoke(tx, Token.hash == hashed, Token.use == use)
    return user if spent else None


async def revoke_token(tx: Transaction, token_id: str) -> bool:
    """Whether it was still good until now."""
    return await _revoke(tx, Token.id == token_id)


async def revoke_all(tx: Transaction, user_id: str) -> bool:
    """The same for everything a user has: tokens, cookies, login links."""
    return await _revoke(tx, Token.user_id == user_id)


async def revoke_hash(tx: Transaction, hashed: str) -> bool:
    """The same by its hash: the holder gives it back."""
    return await _revoke(tx, Token.hash == hashed)


async def prune_tokens(tx: Transaction, before: datetime) -> None:
    """Forget tokens that ended before that moment."""
    await tx.orm.execute(delete(Token).where((Token.expires_at < before) | (Token.revoked_at < before)))


async def _revoke(tx: Transaction, *which: ColumnElement[bool]) -> bool:
    query = update(Token).where(*which, *_valid(tx.now)).values(revoked_at=tx.now)
    result = await tx.orm.execute(query)
    return isinstance(result, CursorResult) and result.rowcount > 0


def _valid(now: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return Token.revoked_at.is_(None), Token.expires_at.is_(None) | (Token.expires_at > now)
