"""What operators do: through the API of a running server, else directly on the store."""

import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, Protocol
from urllib.parse import quote

from bridge.cli.errors import CommandError
from bridge.cli.remote import Json, Refusal, Remote, connected
from bridge.config import Config
from bridge.datadir import make_data_dir
from bridge.outgoing import load_message
from bridge.pairing import Approvals, Pairing
from bridge.runfile import find_running
from host.lanes import Drain
from store.clock import SystemClock
from store.database import Database, Transaction
from store.errors import NotFound
from store.outbox import Delivery, find_delivery, list_deliveries, retry_delivery
from store.people import Person, list_people
from store.upgrade import upgrade

MOST: Final = 1000
"""Rows of a list that are shown when no server runs."""


@dataclass(frozen=True, kw_only=True)
class PersonRow:
    """A person as a list shows it; `code` is "" unless the person is pending."""

    id: str
    channel_id: str
    external_id: str
    name: str
    state: str
    code: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class DeliveryRow:
    """A delivery as a list shows it."""

    id: str
    channel_id: str
    chat_id: str
    state: str
    attempts: int
    reason: str
    text: str
    created_at: datetime


class Operations(Protocol):
    """Raises CommandError for ids and codes that nobody has."""

    async def people(self, state: str) -> list[PersonRow]: ...
    async def approve(self, code: str) -> str: ...
    async def block(self, person_id: str) -> str: ...
    async def deliveries(self, state: str) -> list[DeliveryRow]: ...
    async def retry(self, delivery_id: str) -> None: ...


class RemoteOperations:
    """Through the API of a running server."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote

    async def people(self, state: str) -> list[PersonRow]:
        found = await self._remote.all_items("/api/people", **({"state": state} if state else {}))
        return [_person_said(item) for item in found]

    async def approve(self, code: str) -> str:
        with _known(unknown_code(code)):
            return str((await self._remote.post("/api/people/approve", {"code": code.strip()}))["name"])

    async def block(self, person_id: str) -> str:
        with _known(unknown_person(person_id)):
            return _name_said(await self._remote.post(f"/api/people/{quote(person_id, safe='')}/block"))

    async def deliveries(self, state: str) -> list[DeliveryRow]:
        found = await self._remote.all_items("/api/deliveries", **({"state": state} if state else {}))
        return [_delivery_said(item) for item in found]

    async def retry(self, delivery_id: str) -> None:
        with _known(unknown_delivery(delivery_id)):
            await self._remote.post(f"/api/deliveries/{quote(delivery_id, safe='')}/retry")


class StoreOperations:
    """On the store, while no server runs: whatever becomes due is done by the next one when it starts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._approvals = Approvals(database, Pairing(_Asleep(), new_id=lambda: str(uuid.uuid4())))

    async def people(self, state: str) -> list[PersonRow]:
        found = await self._database.read(partial(list_people, state=state or None, limit=MOST))
        return [_person_stored(person) for person in found]

    async def approve(self, code: str) -> str:
        approved = await self._approvals.approve_code(code)
        if approved is None:
            raise unknown_code(code)
        return approved.name

    async def block(self, person_id: str) -> str:
        try:
            person = await self._approvals.block(person_id)
        except NotFound:
            raise unknown_person(person_id) from None
        return person.name or person.external_id

    async def deliveries(self, state: str) -> list[DeliveryRow]:
        found = await self._database.read(partial(list_deliveries, state=state or None, limit=MOST))
        return [_delivery_stored(delivery) for delivery in found]

    async def retry(self, delivery_id: str) -> None:
        if not await self._database.write(partial(_retry, delivery_id=delivery_id)):
            raise unknown_delivery(delivery_id)


class _Asleep:
    """Lanes of a program that does not run: the store itself says what is pending."""

    async def wake(self, tx: Transaction, lane: str) -> None:
        pass

    async def wake_at(self, tx: Transaction, lane: str, when: datetime) -> None:
        pass

    async def run(self, drain: Drain) -> None:
        pass


@asynccontextmanager
async def operations(config: Config) -> AsyncIterator[Operations]:
    """Through the running server of this configuration if there is one, else on its store."""
    server = find_running(config.data_dir)
    if server is not None:
        async with connected(server.url, server.token) as remote:
            if await remote.answers():
                yield RemoteOperations(remote)
                return
    async with opened_store(config) as database:
        yield StoreOperations(database)


@asynccontextmanager
async def opened_store(config: Config) -> AsyncIterator[Database]:
    """The configured store with the newest schema."""
    make_data_dir(config.data_dir)
    async with Database(config.database_url, SystemClock()) as database:
        await upgrade(database)
        yield database


def unknown_code(code: str) -> CommandError:
    return CommandError(f'nobody has the pairing code "{code}", or it is older than a day')


def unknown_person(person_id: str) -> CommandError:
    return CommandError(f'nobody has the id "{person_id}"')


def unknown_delivery(delivery_id: str) -> CommandError:
    return CommandError(f'no delivery has the id "{delivery_id}"')


@contextmanager
def _known(otherwise: CommandError) -> Iterator[None]:
    """What the server calls not found is `otherwise`: it knows only that something is."""
    try:
        yield
    except Refusal as refused:
        raise otherwise if refused.status == 404 else refused from None


async def _retry(tx: Transaction, delivery_id: str) -> bool:
    """Whether there is such a delivery; one that is not given up stays as it is."""
    retried = await retry_delivery(tx, delivery_id)
    return retried is not None or await find_delivery(tx, delivery_id) is not None


def _name_said(said: Json) -> str:
    return str(said["name"] or said["external_id"])


def _person_said(said: Json) -> PersonRow:
    return PersonRow(
        id=said["id"],
        channel_id=said["channel_id"],
        external_id=said["external_id"],
        name=said["name"],
        state=said["state"],
        code=said["pairing_code"] or "",
        created_at=datetime.fromisoformat(said["created_at"]),
    )


def _person_stored(person: Person) -> PersonRow:
    return PersonRow(
        id=person.id,
        channel_id=person.app_id,
        external_id=person.external_id,
        name=person.name,
        state=person.state,
        code=person.pairing_code or "",
        created_at=person.created_at,
    )


def _delivery_said(said: Json) -> DeliveryRow:
    return DeliveryRow(
        id=said["id"],
        channel_id=said["channel_id"],
        chat_id=said["chat_id"],
        state=said["state"],
        attempts=said["attempts"],
        reason=said["reason"],
        text=said["text"],
        created_at=datetime.fromisoformat(said["created_at"]),
    )


def _delivery_stored(delivery: Delivery) -> DeliveryRow:
    return DeliveryRow(
        id=delivery.id,
        channel_id=delivery.channel_id,
        chat_id=delivery.chat_id,
        state=delivery.state,
        attempts=delivery.attempts,
        reason=delivery.reason,
        text=load_message(delivery.message).display_text,
        created_at=delivery.created_at,
    )
