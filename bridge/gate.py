"""Who may speak where: one pure decision for every event, closed by default."""

from dataclasses import dataclass
from typing import Final, Literal

from channels.types import InboundEvent

Access = Literal["pairing", "allowlist", "open"]
Groups = Literal["off", "mention", "all"]
EVERY_CHAT: Final = "*"

_FOR_ADMINS_ANYWHERE: Final = frozenset({"pair", "whoami"})
"""What an admin may say in a group that is not served yet: how else would it become one from within?"""


@dataclass(frozen=True, kw_only=True)
class ChannelRules:
    """What the owner decided about one channel. Ids are the platform's, as text.

    `answers_inline`: the platform's own answer tells the sender what became of the event (the webhook platform).
    `rate_limit` is messages a minute from one sender.
    """

    id: str
    agent_id: str
    access: Access = "pairing"
    allow: frozenset[str] = frozenset()
    admins: frozenset[str] = frozenset()
    groups: Groups = "mention"
    allow_chats: frozenset[str] = frozenset()
    rate_limit: int = 120
    answers_inline: bool = False
    owner_id: str = "owner"

    def is_admin(self, sender_id: str) -> bool:
        return sender_id in self.admins

    def is_listed(self, sender_id: str) -> bool:
        """Approved by the file, whatever the access mode is."""
        return sender_id in self.allow or sender_id in self.admins

    def lists_chat(self, chat_id: str) -> bool:
        return chat_id in self.allow_chats or EVERY_CHAT in self.allow_chats


@dataclass(frozen=True)
class Serve:
    """The event is for the agent, or a command."""


@dataclass(frozen=True)
class Ignore:
    """Not for the bot: it stays silent."""

    reason: Literal["not_mentioned", "chat_not_served"]


@dataclass(frozen=True)
class AskToPair:
    """Nobody has approved this sender (in a private chat) or this group yet."""


@dataclass(frozen=True)
class Refuse:
    """The sender may not speak here."""


Decision = Serve | Ignore | AskToPair | Refuse


def decide(
    event: InboundEvent,
    rules: ChannelRules,
    *,
    person_state: str | None,
    chat_served: bool,
    command: str | None = None,
) -> Decision:
    """What to do with an event (contract 2 and 8).

    `person_state` is the sender's (None: never seen), `chat_served` an approval of the group in the store, `command`
    the known command that the text is. A blocked person is refused everywhere.
    """
    if person_state == "blocked":
        return Refuse()
    if event.chat.type == "private":
        return _in_private(event, rules, person_state)
    if rules.groups == "off":
        return Ignore("chat_not_served")
    if chat_served or rules.lists_chat(event.chat.id):
        return _in_served_group(event, rules, command)
    return _in_unknown_group(event, rules, command)


def _in_private(event: InboundEvent, rules: ChannelRules, person_state: str | None) -> Decision:
    if person_state == "approved" or rules.is_listed(event.sender.id) or rules.access == "open":
        return Serve()
    return AskToPair() if rules.access == "pairing" else Refuse()


def _in_served_group(event: InboundEvent, rules: ChannelRules, command: str | None) -> Decision:
    if rules.groups == "all" or event.mentioned or command is not None:
        return Serve()
    return Ignore("not_mentioned")


def _in_unknown_group(event: InboundEvent, rules: ChannelRules, command: str | None) -> Decision:
    if command in _FOR_ADMINS_ANYWHERE and rules.is_admin(event.sender.id):
        return Serve()
    return AskToPair() if event.mentioned else Ignore("chat_not_served")
