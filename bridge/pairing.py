"""Pairing: strangers and unknown groups get a code, and whoever may approves it."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from bridge.arrivals import dump_event, put_again
from bridge.people import meet
from bridge.places import visit
from channels.types import InboundEvent
from host.lanes import Lanes
from store import chats, people
from store.chats import Chat
from store.database import Database, Transaction
from store.errors import NotFound
from store.people import Person

ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Capitals and digits without those that look alike: 0 O 1 I L."""
LENGTH: Final = 8
CODE_LIVES: Final = timedelta(hours=24)
TELL_EVERY: Final = timedelta(hours=1)
MOST_PENDING: Final = 200
LONGEST_FIRST_MESSAGE: Final = 4096
"""In bytes of its text; a longer one is not kept for the time after the approval."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A code to be approved; `tell`: it was not told within the last hour, so it is to be told now."""

    code: str
    tell: bool


@dataclass(frozen=True, kw_only=True)
class Approved:
    """Who may speak from now on: a person, or everybody in a group."""

    channel_id: str
    name: str
    is_group: bool


def make_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


class Pairing:
    """Codes and approvals. A code lives 24 hours, each person and each group has one, 200 of each per channel."""

    def __init__(self, lanes: Lanes, *, new_id: Callable[[], str], make_code: Callable[[], str] = make_code) -> None:
        self._lanes = lanes
        self._new_id = new_id
        self._make_code = make_code

    async def ask_person(
        self, tx: Transaction, found: Person | None, channel_id: str, event: InboundEvent, *, keep: bool
    ) -> Asked | None:
        """The sender's code, made when there is none that lives; None (and no row) if too many are pending.

        `found` is the stored person; `keep` the event for the time after the approval.
        """
        is_pending = found is not None and found.state == "pending"
        if not is_pending and await self._is_full_of_people(tx, channel_id):
            return None
        person = await meet(tx, found, channel_id=channel_id, sender=event.sender, new_id=self._new_id)
        if not (is_pending and _lives(tx, person)):
            await people.give_person_code(tx, person, self._make_code(), _kept(event) if keep else None)
        tell = _is_untold(tx, person)
        if tell:
            await people.tell_person_code(tx, person)
        return Asked(code=str(person.pairing_code), tell=tell)

    async def ask_chat(
        self, tx: Transaction, found: Chat | None, channel_id: str, event: InboundEvent, *, keep: bool
    ) -> Asked | None:
        """The same for a group."""
        is_pending = found is not None and found.pairing_code is not None
        if not is_pending and await self._is_full_of_chats(tx, channel_id):
            return None
        chat = await visit(tx, found, channel_id=channel_id, chat=event.chat)
        if not (is_pending and _lives(tx, chat)):
            await chats.give_chat_code(tx, chat, self._make_code(), _kept(event) if keep else None)
        tell = _is_untold(tx, chat)
        if tell:
            await chats.tell_chat_code(tx, chat)
        return Asked(code=str(chat.pairing_code), tell=tell)

    async def approve_code(self, tx: Transaction, code: str, *, channel_id: str | None = None) -> Approved | None:
        """Approve whoever has this code (in that channel); None if nobody has it or it ran out."""
        wanted, since = code.strip().upper(), tx.now - CODE_LIVES
        person = await people.person_by_code(tx, wanted, made_after=since, app_id=channel_id)
        if person is not None:
            return await self._approve_person(tx, person)
        chat = await chats.chat_by_code(tx, wanted, made_after=since, channel_id=channel_id)
        return None if chat is None else await self._approve_chat(tx, chat)

    async def approve_person(self, tx: Transaction, person_id: str) -> Person:
        """Approve a person, whatever the state was. Raises NotFound."""
        person = await _held(tx, person_id)
        await self._approve_person(tx, person)
        return person

    async def block_person(self, tx: Transaction, person_id: str) -> Person:
        """Refuse a person everywhere in the channel from now on. Raises NotFound."""
        person = await _held(tx, person_id)
        await people.block(tx, person)
        return person

    async def approve_chat(self, tx: Transaction, channel_id: str, chat_id: str) -> Chat:
        """Serve a group. Raises NotFound."""
        chat = await chats.hold_chat(tx, channel_id, chat_id)
        if chat is None:
            raise NotFound(chat_id)
        await self._approve_chat(tx, chat)
        return chat

    async def _approve_person(self, tx: Transaction, person: Person) -> Approved:
        await self._line_up(tx, person.app_id, await people.approve(tx, person))
        return Approved(channel_id=person.app_id, name=person.name or person.external_id, is_group=False)

    async def _approve_chat(self, tx: Transaction, chat: Chat) -> Approved:
        await self._line_up(tx, chat.channel_id, await chats.serve_chat(tx, chat))
        return Approved(channel_id=chat.channel_id, name=chat.title or chat.id, is_group=True)

    async def _line_up(self, tx: Transaction, channel_id: str, waiting: dict[str, Any] | None) -> None:
        if waiting is not None:
            await put_again(tx, self._lanes, channel_id, waiting)

    async def _is_full_of_people(self, tx: Transaction, app_id: str) -> bool:
        if await people.count_pending_people(tx, app_id) < MOST_PENDING:
            return False
        await people.release_expired_people(tx, app_id, made_before=tx.now - CODE_LIVES)
        return await people.count_pending_people(tx, app_id) >= MOST_PENDING

    async def _is_full_of_chats(self, tx: Transaction, channel_id: str) -> bool:
        if await chats.count_pending_chats(tx, channel_id) < MOST_PENDING:
            return False
        await chats.release_expired_chats(tx, channel_id, made_before=tx.now - CODE_LIVES)
        return await chats.count_pending_chats(tx, channel_id) >= MOST_PENDING


class Approvals:
    """The same decisions, each in a transaction of its own, for the API and the command line."""

    def __init__(self, database: Database, pairing: Pairing) -> None:
        self._database = database
        self._pairing = pairing

    async def approve(self, person_id: str) -> Person:
        """Raises NotFound."""
        return await self._database.write(partial(self._pairing.approve_person, person_id=person_id))

    async def block(self, person_id: str) -> Person:
        """Raises NotFound."""
        return await self._database.write(partial(self._pairing.block_person, person_id=person_id))

    async def approve_code(self, code: str, channel_ids: Sequence[str] | None = None) -> Approved | None:
        """A person or a group (of these channels); None if nobody there has this code or it ran out."""

        async def decide(tx: Transaction) -> Approved | None:
            for channel_id in [None] if channel_ids is None else channel_ids:
                approved = await self._pairing.approve_code(tx, code, channel_id=channel_id)
                if approved is not None:
                    return approved
            return None

        return await self._database.write(decide)


def _lives(tx: Transaction, asked: Person | Chat) -> bool:
    return asked.code_made_at is not None and tx.now - asked.code_made_at < CODE_LIVES


def _is_untold(tx: Transaction, asked: Person | Chat) -> bool:
    return asked.code_told_at is None or tx.now - asked.code_told_at >= TELL_EVERY


def _kept(event: InboundEvent) -> dict[str, Any] | None:
    return dump_event(event) if len(event.text.encode()) <= LONGEST_FIRST_MESSAGE else None


async def _held(tx: Transaction, person_id: str) -> Person:
    person = await people.hold_person(tx, person_id)
    if person is None:
        raise NotFound(person_id)
    return person
