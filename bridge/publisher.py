"""The publisher: a session's events become the deliveries of their chats, once and in order."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from bridge.notices import Notices
from bridge.outgoing import Draft, enqueue
from bridge.presenter import Rules, Shown, present
from bridge.rounds import Rounds
from channels.types import OutboundMessage
from host.lanes import Lanes
from store.agents import find_agent
from store.base import Origin, Speaker
from store.chats import moved_chats
from store.database import Database, Transaction
from store.errors import NotFound
from store.events import Event, events_after
from store.sessions import Session, lock_session, move_cursor

RulesOf = Callable[[str], Rules | None]
"""The rules of a channel by its id; None if the configuration does not know it (any more)."""

BATCH: Final = 200
"""Events in one transaction."""

_PUBLIC: Final = ("room", "direct")
_NAMESPACE: Final = uuid.UUID("5a0f7f2c-3f0e-4e43-9c1c-6f2a2a7d5b11")


class Publisher:
    """Drains the lanes `publish:<session>`.

    Reading the events, writing their deliveries and moving the session's cursor is one transaction, so an event is
    published once whatever happens between.
    """

    def __init__(
        self, *, database: Database, lanes: Lanes, rules_of: RulesOf, notices: Notices, rounds: Rounds
    ) -> None:
        self._database = database
        self._lanes = lanes
        self._rules_of = rules_of
        self._notices = notices
        self._rounds = rounds

    async def drain(self, session_id: str) -> None:
        """Publish until nothing is left; then whoever waits for a round of the session looks again."""
        while await self._database.write(partial(self._publish, session_id)):
            pass
        self._rounds.published(session_id)

    async def _publish(self, session_id: str, tx: Transaction) -> bool:
        """One batch; whether there may be more."""
        try:
            session = await lock_session(tx, session_id)
        except NotFound:
            return False
        events = await events_after(tx, session_id, session.published, BATCH)
        if not events:
            return False
        await enqueue(tx, await self._drafts(tx, session, events), self._lanes)
        await move_cursor(session, events[-1].seq)
        return len(events) == BATCH

    async def _drafts(self, tx: Transaction, session: Session, events: list[Event]) -> list[Draft]:
        """Side and peer sessions are workshops: what the chat may see of them stands in the room's events."""
        posted = [event for event in events if event.origin is not None]
        if session.kind not in _PUBLIC or not posted:
            return []
        host = await _host_of(tx, session)
        moved = await moved_chats(tx, {(each.channel_id, each.chat_id) for each in _origins(posted)})
        return [draft for event in posted for draft in self._drafts_of(event, host, moved)]

    def _drafts_of(self, event: Event, host: Speaker, moved: Mapping[tuple[str, str], str]) -> Iterator[Draft]:
        """A chat that goes on under another id is addressed there."""
        assert event.origin is not None
        where = event.origin.channel_id, event.origin.chat_id
        origin = replace(event.origin, chat_id=moved.get(where, event.origin.chat_id))
        rules = self._rules_of(origin.channel_id)
        dead = "" if rules else self._notices.say("delivery.no_channel", channel=origin.channel_id)
        for shown in present(event, host, rules or Rules(), self._notices):
            message = _message(event, origin, shown)
            yield Draft(message=message, rounds=tuple(dict.fromkeys(event.rounds)), dead=dead)


def _origins(events: Iterable[Event]) -> Iterator[Origin]:
    return (event.origin for event in events if event.origin is not None)


async def _host_of(tx: Transaction, session: Session) -> Speaker:
    """Who speaks for the session: a team's host, or the expert who is talked to alone."""
    role = "host" if session.kind == "room" else "member"
    agent = await find_agent(tx, session.agent_id)
    if agent is None:
        return Speaker(id=session.agent_id, name=session.agent_id, role=role)
    return Speaker(id=agent.id, name=agent.name, role=role, icon=agent.icon)


def delivery_id(event_id: str, part: int) -> str:
    """The same for the same part of the same event, for ever: what a receiver recognises a repetition by."""
    return str(uuid.uuid5(_NAMESPACE, f"{event_id}:{part}"))


def _message(event: Event, origin: Origin, shown: Shown) -> OutboundMessage:
    """The message as it will be delivered, but for its number."""
    return OutboundMessage(
        delivery_id=delivery_id(event.id, shown.part),
        channel_id=origin.channel_id,
        chat_id=origin.chat_id,
        thread=origin.thread,
        session_id=event.session_id,
        seq=0,
        kind=shown.kind,
        speaker=shown.speaker,
        text=shown.text,
        display_text=shown.display_text,
        created_at=event.at,
        label=shown.label,
        job_id=event.job_id,
        reply_to=origin.message_id or None,
        event_id=event.id,
        turn_id=event.turn_id,
        part=shown.part,
        parts=shown.parts,
        actions=shown.actions,
        file=shown.file,
    )
