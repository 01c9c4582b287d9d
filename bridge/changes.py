"""Changes of a chat that are no messages: it moved, a message was taken back, the bot was added."""

from dataclasses import dataclass

from bridge.arrivals import Outcome
from bridge.gate import ChannelRules
from bridge.outgoing import chat_lane
from bridge.reception import AddReply
from channels.types import InboundEvent
from host.lanes import Lanes
from host.runtime import Host
from store.agents import find_agent
from store.chats import bindings_of, find_chat, move_chat
from store.database import Transaction
from store.outbox import hurry, pending_in, readdress, take_seqs
from store.people import find_person


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Carries out what `InboundEvent.kind` says, in the transaction that finishes the inbox row."""

    host: Host
    lanes: Lanes
    add_reply: AddReply

    async def apply(self, tx: Transaction, rules: ChannelRules, event: InboundEvent) -> Outcome:
        """What became of it, in one word."""
        carry_out = {"moved": self._move, "recalled": self._recall, "joined": self._join}[event.kind]
        await carry_out(tx, rules, event)
        return Outcome(ignored=event.kind)

    async def _move(self, tx: Transaction, rules: ChannelRules, event: InboundEvent) -> None:
        """Sessions, approvals and what waits to be sent come along to the new id."""
        old, new = event.chat.id, event.target
        await move_chat(tx, rules.id, old, new, served=rules.lists_chat(old))
        waiting = await pending_in(tx, rules.id, old)
        first = await take_seqs(tx, rules.id, new, len(waiting)) if waiting else 0
        for place, delivery in enumerate(waiting):
            await readdress(tx, delivery, new, first + place)
        await self.lanes.wake(tx, chat_lane(rules.id, new))

    async def _recall(self, tx: Transaction, rules: ChannelRules, event: InboundEvent) -> None:
        for binding in await bindings_of(tx, rules.id, event.chat.id):
            if await self.host.recall(tx, binding.session_id, event.target):
                return

    async def _join(self, tx: Transaction, rules: ChannelRules, event: InboundEvent) -> None:
        """What waited because the bot might not speak there goes now, before the greeting."""
        if await hurry(tx, rules.id, event.chat.id):
            await self.lanes.wake(tx, chat_lane(rules.id, event.chat.id))
        else:
            await self._greet(tx, rules, event)

    async def _greet(self, tx: Transaction, rules: ChannelRules, event: InboundEvent) -> None:
        """The team's own welcome, where it may speak; strangers and unknown groups get silence (X1)."""
        agent = await find_agent(tx, rules.agent_id)
        if agent is None or not agent.welcome or not await _is_served(tx, rules, event):
            return
        await self.add_reply(
            tx,
            channel_id=rules.id,
            chat_id=event.chat.id,
            thread=event.thread,
            session_id="",
            text=agent.welcome,
            reply_to=None,
        )


async def _is_served(tx: Transaction, rules: ChannelRules, event: InboundEvent) -> bool:
    if event.chat.type == "group":
        chat = await find_chat(tx, rules.id, event.chat.id)
        return rules.lists_chat(event.chat.id) or (chat is not None and chat.served)
    person = await find_person(tx, rules.id, event.sender.id)
    state = None if person is None else person.state
    if state == "blocked":
        return False
    return state == "approved" or rules.access == "open" or rules.is_listed(event.sender.id)
