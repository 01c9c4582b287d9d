"""Intake: events are taken in durably, once each, and then worked through chat by chat."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

import structlog
from sqlalchemy.exc import IntegrityError

from bridge.albums import begins_album, gather
from bridge.arrivals import (
    Outcome,
    dump_outcome,
    find_copy,
    inbox_lane,
    load_event,
    load_outcome,
    place_of,
    put,
)
from bridge.changes import Changes
from bridge.gate import ChannelRules
from bridge.reception import Admitted, Reception
from channels.base import Receipt
from channels.errors import Conflict, Forbidden, NotRunning, PairingRequired, RateLimited, Refused
from channels.types import InboundEvent, OutboundMessage
from host.lanes import Lanes
from store.clock import Clock
from store.database import Database, Transaction
from store.errors import StoreUnavailable
from store.inbox import find_pending, finish_event, next_pending, places_with_pending, poison_event

T = TypeVar("T")
RoundWatch = Callable[[str, str, float], Awaitable[tuple[OutboundMessage, ...] | None]]
"""`rounds(session_id, input_id, seconds)`: the round's messages once it is over, None if the time was up first."""
Count = Callable[[str, str], None]
"""`count(channel_id, outcome)`: one more event of this channel ended so."""

CLASHES: Final = 4
"""How often a transaction is tried that meets another one making the same row (a copy, a first message) at once."""
PAUSES: Final = (1.0, 5.0)
"""Seconds before an event whose handling failed is tried again; after the last try it is poison."""

_REFUSALS: Final[dict[type[Refused], str]] = {
    PairingRequired: "pairing_required",
    Forbidden: "forbidden",
    RateLimited: "rate_limited",
    Conflict: "conflict",
}
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Taken:
    """An event is durable: what came of it (so far)."""

    outcome: Outcome
    duplicate: bool = False


class Intake:
    """Where channels deliver. `accept` is a channel's `emit`, `drain` works through a lane `inbox:<channel>:<chat>`.

    `rules` may be changed while it runs; events of a channel that is not in it wait.
    """

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        lanes: Lanes,
        reception: Reception,
        changes: Changes,
        rules: Mapping[str, ChannelRules],
        rounds: RoundWatch,
        count: Count,
    ) -> None:
        self._database = database
        self._clock = clock
        self._lanes = lanes
        self._reception = reception
        self._changes = changes
        self._rules = rules
        self._rounds = rounds
        self._count = count

    async def accept(self, channel_id: str, event: InboundEvent) -> Receipt:
        """Take an event in; returns after the commit.

        Where the platform answers inline, everything happens within this one transaction. Raises Refused, and store
        faults as they are: then nothing was stored.
        """
        rules = self._rules.get(channel_id)
        if rules is None:
            raise NotRunning(f"channel {channel_id} is not there any more")
        take = self._take_now if rules.answers_inline else self._store
        try:
            taken = await self._commit(partial(take, rules, event), yields=True)
            if isinstance(taken, Refused):
                raise taken
        except Refused as refused:
            self._count(channel_id, _REFUSALS[type(refused)])
            raise
        if taken.duplicate or rules.answers_inline:
            self._count(channel_id, "duplicate" if taken.duplicate else _label(taken.outcome))
        return self._receipt(taken)

    async def drain(self, lane: str) -> None:
        """Handle the chat's pending events in order. Raises StoreUnavailable; nothing else stops it."""
        channel_id, chat_id = place_of(lane)
        while (rules := self._rules.get(channel_id)) is not None:
            row = await self._database.read(partial(next_pending, channel_id=channel_id, chat_id=chat_id))
            if row is None or (begins_album(row) and await self._is_incomplete(lane, row.number)):
                return
            await self._handle(rules, row.number)

    async def _is_incomplete(self, lane: str, number: int) -> bool:
        """Whether the event begins an album that may have more pieces; then the lane looks again later."""

        async def look(tx: Transaction) -> bool:
            again = await gather(tx, number)
            if again is not None:
                await self._lanes.wake_at(tx, lane, again)
            return again is not None

        return await self._database.write(look)

    async def recover(self) -> None:
        """Wake every lane with pending events: called once, at start."""
        await self._database.write(self._wake_all)

    async def _wake_all(self, tx: Transaction) -> None:
        for channel_id, chat_id in await places_with_pending(tx):
            await self._lanes.wake(tx, inbox_lane(channel_id, chat_id))

    async def _commit(self, work: Callable[[Transaction], Awaitable[T]], *, yields: bool = False) -> T:
        """Commit, looking a second time where two copies (or two first messages of a chat) met at the same instant."""
        for _ in range(CLASHES - 1):
            with suppress(IntegrityError):
                return await self._database.write(work, yields=yields)
        return await self._database.write(work, yields=yields)

    async def _take_now(self, rules: ChannelRules, event: InboundEvent, tx: Transaction) -> Taken | Refused:
        copy = await find_copy(tx, rules.id, event)
        if copy is not None:
            return Taken(outcome=load_outcome(copy.outcome), duplicate=True)
        admitted = await self._reception.admit(tx, rules, event, tx.now)
        if isinstance(admitted, Refused):
            return admitted
        outcome = await self._reception.serve(tx, admitted) if isinstance(admitted, Admitted) else admitted
        await put(tx, rules.id, event, outcome)
        return Taken(outcome=outcome)

    async def _store(self, rules: ChannelRules, event: InboundEvent, tx: Transaction) -> Taken | Refused:
        copy = await find_copy(tx, rules.id, event)
        if copy is not None:
            return Taken(outcome=load_outcome(copy.outcome), duplicate=True)
        await put(tx, rules.id, event)
        await self._lanes.wake(tx, inbox_lane(rules.id, event.chat.id))
        return Taken(outcome=Outcome())

    async def _handle(self, rules: ChannelRules, number: int) -> None:
        """An event that cannot be handled must not hold up the next ones (R4); a store that is away holds up all."""
        for pause in (*PAUSES, None):
            try:
                outcome = await self._commit(partial(self._take_pending, rules, number))
            except StoreUnavailable:
                raise
            except Exception as fault:
                _log.exception("an event could not be handled", channel=rules.id, number=number, again_in=pause)
                reason = f"{type(fault).__name__}: {fault}"
            else:
                self._count(rules.id, _label(outcome))
                return
            if pause is None:
                await self._database.write(partial(poison_event, number=number, reason=reason))
                self._count(rules.id, "poison")
            else:
                await self._clock.sleep(pause)

    async def _take_pending(self, rules: ChannelRules, number: int, tx: Transaction) -> Outcome:
        row = await find_pending(tx, number)
        if row is None:
            return Outcome()
        outcome = await self._outcome(tx, rules, load_event(row.event), row.received_at)
        await finish_event(tx, row, dump_outcome(outcome))
        return outcome

    async def _outcome(self, tx: Transaction, rules: ChannelRules, event: InboundEvent, at: datetime) -> Outcome:
        if event.kind != "message":
            return await self._changes.apply(tx, rules, event)
        admitted = await self._reception.admit(tx, rules, event, at)
        assert not isinstance(admitted, Refused), "only inline platforms are refused by value"
        return await self._reception.serve(tx, admitted) if isinstance(admitted, Admitted) else admitted

    def _receipt(self, taken: Taken) -> Receipt:
        outcome = taken.outcome
        watch = None
        if outcome.session_id is not None and outcome.input_id is not None:
            watch = partial(self._rounds, outcome.session_id, outcome.input_id)
        return Receipt(
            session_id=outcome.session_id,
            input_id=outcome.input_id,
            duplicate=taken.duplicate,
            command=outcome.command,
            ignored=outcome.ignored,
            messages=watch,
        )


def _label(outcome: Outcome) -> str:
    return outcome.ignored or ("command" if outcome.command else "accepted")
