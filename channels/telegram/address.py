"""Whom a message speaks to: the bot's own mentions found, and taken out of what is read. Pure.

Entity offsets are UTF-16; usernames are compared in any case; `/cmd@other` is for another bot.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from telegram import Message, MessageEntity

from channels.telegram import utf16
from channels.telegram.me import Me

_SPACES: Final = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")


@dataclass(frozen=True, kw_only=True)
class Addressed:
    """`text` is without the bot's own name; `mentioned`: it speaks to the bot; `to_other`: a command for another."""

    text: str
    mentioned: bool = False
    to_other: bool = False


def read_address(text: str, entities: Sequence[MessageEntity], me: Me) -> Addressed:
    """What the entities of a text or a caption say."""
    names = list(_names(text, entities, me))
    bare = utf16.without(text, names)
    if names and text != bare:
        bare = _SPACES.sub(" ", bare).strip()
    return Addressed(
        text=bare or text.strip(),
        mentioned=bool(names),
        to_other=any(_commands_other(text, entity, me) for entity in entities),
    )


def _names(text: str, entities: Sequence[MessageEntity], me: Me) -> Iterator[tuple[int, int]]:
    """Where the bot is named, as (start, length)."""
    for entity in entities:
        shown = utf16.piece(text, entity.offset, entity.length)
        if _is_name(entity, shown, me):
            yield entity.offset, entity.length
        elif entity.type == MessageEntity.BOT_COMMAND and me.is_named(shown.partition("@")[2]):
            at = shown.index("@")
            yield entity.offset + at, entity.length - at


def _is_name(entity: MessageEntity, shown: str, me: Me) -> bool:
    if entity.type == MessageEntity.TEXT_MENTION:
        return entity.user is not None and entity.user.id == me.id
    return entity.type == MessageEntity.MENTION and me.is_named(shown[1:])


def _commands_other(text: str, entity: MessageEntity, me: Me) -> bool:
    if entity.type != MessageEntity.BOT_COMMAND or entity.offset != 0:
        return False
    other = utf16.piece(text, entity.offset, entity.length).partition("@")[2]
    return bool(other) and not me.is_named(other)


def replies_to(message: Message, me: Me) -> bool:
    """Whether it answers the bot. What opened a forum topic looks like a reply, and is none."""
    target = message.reply_to_message
    return (
        target is not None
        and target.from_user is not None
        and target.from_user.id == me.id
        and target.forum_topic_created is None
    )
