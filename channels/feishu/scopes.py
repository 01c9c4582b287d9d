"""The permissions, events and callbacks that the app needs in the developer console, and what each is good for."""

import json
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A permission; any of `others` serves as well. Without a necessary one the bot cannot do its work."""

    name: str
    purpose: str
    is_needed: bool = False
    others: tuple[str, ...] = ()

    def is_granted(self, granted: Set[str]) -> bool:
        return bool(granted & {self.name, *self.others})


SCOPES: Final = (
    Scope(name="im:message:send_as_bot", purpose="sending messages", is_needed=True, others=("im:message",)),
    Scope(
        name="im:message.p2p_msg:readonly",
        purpose="hearing private chats",
        is_needed=True,
        others=("im:message.p2p_msg", "im:message"),
    ),
    Scope(
        name="im:message.group_at_msg:readonly",
        purpose="hearing groups that mention the bot",
        is_needed=True,
        others=("im:message.group_at_msg", "im:message.group_msg", "im:message"),
    ),
    Scope(name="cardkit:card:write", purpose="answers that grow while they are written"),
    Scope(
        name="im:message.reactions:write_only",
        purpose="the mark on a question that is being worked on",
        others=("im:message",),
    ),
    Scope(name="im:message:readonly", purpose="reading what a message quotes", others=("im:message",)),
    Scope(name="im:resource", purpose="files, both ways"),
    Scope(name="im:chat:read", purpose="names of groups, and buttons after a restart", others=("im:chat:readonly",)),
    Scope(
        name="contact:user.basic_profile:readonly", purpose="names of people", others=("contact:user.base:readonly",)
    ),
    Scope(name="im:chat.members:bot_access", purpose="saying welcome in a group"),
    Scope(name="im:chat.access_event.bot_p2p_chat:read", purpose="saying welcome in a private chat"),
    Scope(name="im:message:send_sys_msg", purpose="the line above a new session"),
)

EVENTS: Final = (
    "im.message.receive_v1",
    "im.message.recalled_v1",
    "im.chat.member.bot.added_v1",
    "im.chat.access_event.bot_p2p_chat_entered_v1",
    "application.bot.menu_v6",
)
CALLBACKS: Final = ("card.action.trigger",)


def missing(granted: Set[str]) -> Iterator[Scope]:
    """What an app with these permissions lacks, the necessary ones first."""
    return (scope for scope in SCOPES if not scope.is_granted(granted))


def batch_import() -> str:
    """What the console's "batch import" of permissions takes."""
    return json.dumps({"scopes": {"tenant": [scope.name for scope in SCOPES], "user": []}}, indent=1)


def addons() -> dict[str, Any]:
    """The same for the page that makes an app by scanning a code."""
    return {
        "scopes": {"tenant": [scope.name for scope in SCOPES]},
        "events": {"items": {"tenant": list(EVENTS)}},
        "callbacks": {"items": list(CALLBACKS)},
    }
