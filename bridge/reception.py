"""What becomes of one event, in two steps inside one transaction: may it come in, and then what it asks for."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from bridge.arrivals import Outcome
from bridge.commands.desk import Desk
from bridge.commands.parse import Command, parse_command
from bridge.gate import AskToPair, ChannelRules, Ignore, Refuse, Serve, decide
from bridge.notices import Notices
from bridge.pairing import Pairing
from bridge.people import meet, speaker_of
from bridge.places import Place, visit
from bridge.rate import RateLimits
from bridge.routing import Routing
from channels.errors import Forbidden, PairingRequired, RateLimited, Refused
from channels.types import Action, InboundEvent
from host.errors import AgentUnavailable
from host.runtime import Host
from host.values import Attached, Submission
from store.base import Origin
from store.chats import Chat, find_binding, find_chat
from store.database import Transaction
from store.people import Person, find_person


class AddReply(Protocol):
    """Answers in a chat as the system: puts a message of kind `reply` into the outbox."""

    async def __call__(
        self,
        tx: Transaction,
        *,
        channel_id: str,
        chat_id: str,
        thread: str,
        session_id: str,
        text: str,
        reply_to: str | None,
        actions: tuple[Action, ...] = (),
        fresh: bool = False,
    ) -> object: ...


@dataclass(frozen=True, kw_only=True)
class Admitted:
    """An event that is to be served, with what was read about it on the way in."""

    rules: ChannelRules
    event: InboundEvent
    command: Command | None
    person: Person | None
    chat: Chat | None


class Reception:
    """The way in for the events of all channels.

    Where the platform answers inline, a refusal is a value for the caller to raise (only a pending person was
    stored by then); elsewhere it becomes a polite message in the chat, or silence, and an Outcome.
    """

    def __init__(
        self,
        *,
        host: Host,
        routing: Routing,
        desk: Desk,
        pairing: Pairing,
        rates: RateLimits,
        notices: Notices,
        add_reply: AddReply,
        new_id: Callable[[], str],
    ) -> None:
        self._host = host
        self._routing = routing
        self._desk = desk
        self._pairing = pairing
        self._rates = rates
        self._notices = notices
        self._add_reply = add_reply
        self._new_id = new_id

    async def admit(
        self, tx: Transaction, rules: ChannelRules, event: InboundEvent, at: datetime
    ) -> Admitted | Outcome | Refused:
        """Gate, then rate limit. `at` is when the event came in."""
        if event.kind != "message":
            return Outcome(ignored=event.kind)
        if await _takes_part(tx, rules.id, event):
            event = replace(event, mentioned=True)
        command = parse_command(event.text)
        person = await find_person(tx, rules.id, event.sender.id)
        chat = await find_chat(tx, rules.id, event.chat.id)
        decision = decide(
            event,
            rules,
            person_state=None if person is None else person.state,
            chat_served=chat is not None and chat.served,
            command=None if command is None else command.name,
        )
        match decision:
            case Serve():
                admitted = Admitted(rules=rules, event=event, command=command, person=person, chat=chat)
                return await self._limit(tx, admitted, at)
            case Ignore(reason=reason):
                return Outcome(ignored=reason)
            case AskToPair() if event.chat.type == "private":
                return await self._ask_person(tx, rules, event, person)
            case AskToPair():
                return await self._ask_group(tx, rules, event, chat)
            case Refuse():
                return _forbidden(rules)

    async def serve(self, tx: Transaction, admitted: Admitted) -> Outcome:
        """Run the command, or give the message to the place's session.

        Raises Forbidden if no agent can answer and the platform answers inline.
        """
        rules, event = admitted.rules, admitted.event
        person = await meet(tx, admitted.person, channel_id=rules.id, sender=event.sender, new_id=self._new_id)
        place = Place(rules=rules, chat=event.chat, thread=event.thread, person=person)
        try:
            outcome = await self._answer(tx, place, admitted)
        except AgentUnavailable as fault:
            if rules.answers_inline:
                raise Forbidden("the agent behind this channel is switched off") from fault
            outcome = await self._tell(tx, rules, event, "agent.unavailable", ignored="agent_unavailable")
        return outcome

    async def _answer(self, tx: Transaction, place: Place, admitted: Admitted) -> Outcome:
        """The session is locked before the chat's record is touched: every transaction takes them in this order."""
        event, command = admitted.event, admitted.command
        if command is not None:
            answer = await self._desk.answer(tx, place, event, command)
            await visit(tx, admitted.chat, channel_id=place.rules.id, chat=event.chat)
            await self._reply(tx, place.rules, event, answer.text, session_id=answer.session_id, fresh=answer.fresh)
            return Outcome(session_id=answer.session_id, command=command.name)
        context = await _unheard(tx, place, event)
        session = await self._routing.session(tx, place)
        submitted = await self._host.submit(tx, _submission(place, event, session.id, context))
        await visit(tx, admitted.chat, channel_id=place.rules.id, chat=event.chat)
        return Outcome(session_id=submitted.session_id, input_id=submitted.input_id)

    async def _limit(self, tx: Transaction, admitted: Admitted, at: datetime) -> Admitted | Outcome | Refused:
        rules, event = admitted.rules, admitted.event
        seconds = self._rates.wait(rules.id, event.sender.id, rules.rate_limit, at)
        if seconds is None:
            tx.after_commit(partial(self._rates.count, rules.id, event.sender.id, rules.rate_limit, at))
            return admitted
        if rules.answers_inline:
            return RateLimited(seconds)
        if not self._rates.may_tell(rules.id, event.chat.id, at):
            return Outcome(ignored="rate_limited")
        tx.after_commit(partial(self._rates.tell, rules.id, event.chat.id, at))
        return await self._tell(tx, rules, event, "rate.limited", ignored="rate_limited", seconds=math.ceil(seconds))

    async def _ask_person(
        self, tx: Transaction, rules: ChannelRules, event: InboundEvent, person: Person | None
    ) -> Outcome | Refused:
        asked = await self._pairing.ask_person(tx, person, rules.id, event, keep=not rules.answers_inline)
        if asked is None:
            return _forbidden(rules)
        if rules.answers_inline:
            return PairingRequired(asked.code)
        if not asked.tell:
            return Outcome(ignored="pairing_required")
        return await self._tell(tx, rules, event, "pairing.person", ignored="pairing_required", code=asked.code)

    async def _ask_group(self, tx: Transaction, rules: ChannelRules, event: InboundEvent, chat: Chat | None) -> Outcome:
        """A group gets its line in the chat, whatever the platform: the code is for those who read there."""
        asked = await self._pairing.ask_chat(tx, chat, rules.id, event, keep=not rules.answers_inline)
        if asked is None or not asked.tell:
            return Outcome(ignored="chat_not_served")
        approve = Action(label=self._notices.say("button.approve"), command=f"/pair {asked.code}")
        text = self._notices.say("pairing.group", code=asked.code)
        await self._reply(tx, rules, event, text, session_id="", actions=(approve,))
        return Outcome(ignored="chat_not_served")

    async def _tell(
        self, tx: Transaction, rules: ChannelRules, event: InboundEvent, key: str, *, ignored: str, **fields: object
    ) -> Outcome:
        await self._reply(tx, rules, event, self._notices.say(key, **fields), session_id="")
        return Outcome(ignored=ignored)

    async def _reply(
        self,
        tx: Transaction,
        rules: ChannelRules,
        event: InboundEvent,
        text: str,
        *,
        session_id: str,
        actions: tuple[Action, ...] = (),
        fresh: bool = False,
    ) -> None:
        await self._add_reply(
            tx,
            channel_id=rules.id,
            chat_id=event.chat.id,
            thread=event.thread,
            session_id=session_id,
            text=text,
            reply_to=event.message_id or None,
            actions=actions,
            fresh=fresh,
        )


async def _takes_part(tx: Transaction, channel_id: str, event: InboundEvent) -> bool:
    """Whether the event goes on with a thread in which the bot answers: then it needs no mention."""
    if not event.continues or event.mentioned or not event.thread:
        return False
    return await find_binding(tx, channel_id, event.chat.id, event.thread) is not None


async def _unheard(tx: Transaction, place: Place, event: InboundEvent) -> tuple[str, ...]:
    """What was said before the bot was called in. Where two call it at the same instant, the first one has said it."""
    if event.context and await find_binding(tx, place.rules.id, place.chat.id, place.thread) is not None:
        return ()
    return event.context


def _forbidden(rules: ChannelRules) -> Outcome | Refused:
    """Where nobody waits for an answer, a refusal is silence."""
    return Forbidden("this sender may not speak here") if rules.answers_inline else Outcome(ignored="forbidden")


def _submission(place: Place, event: InboundEvent, session_id: str, context: tuple[str, ...]) -> Submission:
    return Submission(
        session_id=session_id,
        text=event.text,
        sender=speaker_of(place.person),
        origin=Origin(
            channel_id=place.rules.id, chat_id=event.chat.id, thread=event.thread, message_id=event.message_id
        ),
        attachments=tuple(
            Attached(name=each.name, url=each.url, ref=each.ref, mime=each.mime, size=each.size)
            for each in event.attachments
        ),
        context=context,
    )
