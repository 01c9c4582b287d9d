"""A raw update → an inbound event, or why it is not for us. Pure.

Rules of the Bot API that stand behind it: a thread is a topic only with `is_topic_message` (elsewhere it is a row of
replies, and General has none); edits, channel posts and service messages never start a turn; people who speak for a
group or a channel share one pseudo user and are known by `sender_chat`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import telegram
from telegram import CallbackQuery, ChatMemberUpdated, Message, Update

from channels.keeping import is_keepable
from channels.telegram.address import read_address, replies_to
from channels.telegram.content import files_of, quote_of, words_of
from channels.telegram.me import Me
from channels.telegram.start import opening_command
from channels.telegram.utf16 import storable
from channels.types import Chat, InboundEvent, Sender

WANTED: Final = ("message", "callback_query", "my_chat_member")
"""The kinds of updates that Telegram is asked for."""

GROUP_ADMIN: Final = 1087968824
CHANNEL_SPEAKER: Final = 136817688
"""Pseudo users that everybody shares who speaks as a group or as a channel."""

_GROUPS: Final = ("group", "supergroup")
_AWAY: Final = ("left", "kicked")


@dataclass(frozen=True, kw_only=True)
class Skip:
    """Not for us, and why."""

    reason: str


def parse(raw: Mapping[str, Any], me: Me) -> InboundEvent | Skip:
    """The event in an update. Raises whatever the types raise for an update that is not shaped as Telegram says."""
    read = _read(Update.de_json(dict(raw), None), me)
    return Skip(reason="unusable_ids") if isinstance(read, InboundEvent) and not is_keepable(read) else read


def _read(update: Update, me: Me) -> InboundEvent | Skip:
    key = f"{me.id}:{update.update_id}"
    if update.message is not None:
        return _message(key, update.message, me)
    if update.callback_query is not None:
        return _press(key, update.callback_query)
    if update.my_chat_member is not None:
        return _membership(key, update.my_chat_member)
    return Skip(reason="not_asked_for")


def _message(key: str, message: Message, me: Me) -> InboundEvent | Skip:
    if message.migrate_to_chat_id is not None:
        return InboundEvent(
            event_key=key,
            chat=_chat(message.chat),
            sender=Sender(id=""),
            text="",
            kind="moved",
            target=str(message.migrate_to_chat_id),
        )
    sender = _sender(message)
    if isinstance(sender, Skip):
        return sender
    if message.chat.type not in ("private", *_GROUPS):
        return Skip(reason="channel_post")
    return _spoken(key, message, sender, me)


def _spoken(key: str, message: Message, sender: Sender, me: Me) -> InboundEvent | Skip:
    words, files = words_of(message), files_of(message)
    if not words.text.strip() and not files:
        return Skip(reason="service_message")
    address = read_address(words.text, words.entities, me)
    if address.to_other:
        return Skip(reason="for_another_bot")
    text = opening_command(address.text)
    return InboundEvent(
        event_key=key,
        chat=_chat(message.chat),
        sender=sender,
        text=storable(text if text.startswith("/") else quote_of(message, me.id) + text),
        message_id=str(message.message_id or ""),
        thread=_thread(message),
        mentioned=address.mentioned or replies_to(message, me) or _is_ephemeral(message, me),
        attachments=files,
        album=message.media_group_id or "",
    )


def _sender(message: Message) -> Sender | Skip:
    user, spokesman = message.from_user, message.sender_chat
    if message.is_automatic_forward or user is None:
        return Skip(reason="channel_post")
    if user.id in (GROUP_ADMIN, CHANNEL_SPEAKER) and spokesman is not None:
        return Sender(id=str(spokesman.id), name=storable(spokesman.title or ""))
    if user.is_bot:
        return Skip(reason="bot")
    return _person(user)


def _press(key: str, press: CallbackQuery) -> InboundEvent | Skip:
    """A button says what the person would have typed; old messages come without their text, but with their chat."""
    command = press.data or ""
    if press.message is None or not command.startswith("/") or press.from_user.is_bot:
        return Skip(reason="unknown_button")
    below = press.message
    return InboundEvent(
        event_key=key,
        chat=_chat(below.chat),
        sender=_person(press.from_user),
        text=storable(command),
        thread=_thread(below) if isinstance(below, Message) else "",
        mentioned=True,
    )


def _membership(key: str, change: ChatMemberUpdated) -> InboundEvent | Skip:
    """The bot came into a chat, or was let speak again by somebody who had blocked it."""
    before, after = change.old_chat_member.status, change.new_chat_member.status
    if after in _AWAY:
        return Skip(reason="left")
    if before not in _AWAY or change.chat.type not in ("private", *_GROUPS):
        return Skip(reason="rights_changed")
    return InboundEvent(
        event_key=key, chat=_chat(change.chat), sender=_person(change.from_user), text="", kind="joined"
    )


def _chat(chat: telegram.Chat) -> Chat:
    if chat.type == "private":
        return Chat(id=str(chat.id), type="private", title=storable(chat.full_name or ""))
    return Chat(id=str(chat.id), type="group", title=storable(chat.title or ""))


def _person(user: telegram.User) -> Sender:
    return Sender(id=str(user.id), name=storable(user.full_name))


def _thread(message: Message) -> str:
    return str(message.message_thread_id) if message.is_topic_message and message.message_thread_id else ""


def _is_ephemeral(message: Message, me: Me) -> bool:
    """A message that only the bot can see (Bot API 10.2)."""
    receiver = message.api_kwargs.get("receiver_user")
    return isinstance(receiver, Mapping) and receiver.get("id") == me.id
