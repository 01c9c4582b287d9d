"""Accounts: tokens are good until they end, and a login code is spent once."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest

from store.accounts import (
    Token,
    add_token,
    ensure_owner,
    has_token,
    list_tokens,
    prune_tokens,
    revoke_hash,
    revoke_token,
    spend_token,
    user_of_token,
)
from store.database import Database, Transaction
from tests.support.clock import FakeClock

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def store(database: Database) -> Database:
    await database.write(ensure_owner)
    return database


async def make(store: Database, token_id: str, use: str = "api", life: timedelta | None = None) -> None:
    async def work(tx: Transaction) -> None:
        expires = None if life is None else tx.now + life
        row = Token(id=token_id, user_id="owner", use=use, hash=f"h-{token_id}", created_at=tx.now, expires_at=expires)
        await add_token(tx, row)

    await store.write(work)


async def holder(store: Database, token_id: str, use: str = "api") -> str | None:
    user = await store.read(partial(user_of_token, hashed=f"h-{token_id}", use=use))
    return None if user is None else user.id


async def test_the_owner_is_made_once_and_is_an_admin(store: Database) -> None:
    again = await store.write(ensure_owner)
    assert (again.id, again.role) == ("owner", "admin")


async def test_a_token_is_good_for_its_own_use(store: Database) -> None:
    await make(store, "a")
    assert await holder(store, "a") == "owner"
    assert await holder(store, "a", use="console") is None
    assert await holder(store, "b") is None
    assert await store.read(partial(has_token, use="api"))
    assert not await store.read(partial(has_token, use="login"))


async def test_a_token_ends(store: Database, clock: FakeClock) -> None:
    await make(store, "a", life=timedelta(hours=1))
    await clock.advance(3599)
    assert await holder(store, "a") == "owner"
    await clock.advance(1)
    assert await holder(store, "a") is None
    assert not await store.read(partial(has_token, use="api"))
    await store.write(partial(prune_tokens, before=clock.now() + timedelta(seconds=1)))
    await make(store, "a")
    assert await holder(store, "a") == "owner"


async def test_a_revoked_token_is_worth_nothing(store: Database) -> None:
    await make(store, "a")
    await make(store, "b")
    assert await store.write(partial(revoke_token, token_id="a"))
    assert not await store.write(partial(revoke_token, token_id="a"))
    assert await store.write(partial(revoke_hash, hashed="h-b"))
    assert await holder(store, "a") is None
    assert await store.read(partial(list_tokens, use="api")) == []


async def test_a_disabled_user_holds_nothing(store: Database) -> None:
    await make(store, "a")

    async def disable(tx: Transaction) -> None:
        owner = await ensure_owner(tx)
        owner.disabled_at = tx.now

    await store.write(disable)
    assert await holder(store, "a") is None


async def test_a_login_code_is_spent_once(store: Database) -> None:
    """Two who spend it at the same instant: one comes in."""
    await make(store, "a", use="login")
    spend = partial(spend_token, hashed="h-a", use="login")
    spent = await asyncio.gather(store.write(spend), store.write(spend))
    assert sorted(user.id for user in spent if user is not None) == ["owner"]
    assert await store.write(spend) is None
