"""One event of the platform → what the bridge is told, or why it is not for us. Pure.

Source: the event lists of im-v1, application-v6 and the callback card.action.trigger.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from channels.feishu.content import read_content
from channels.feishu.me import Me
from channels.feishu.mentions import names_bot, read_mentions, with_names
from channels.feishu.raw import fields, inner_json, text, within
from channels.feishu.wording import Wording
from channels.keeping import is_keepable
from channels.types import Chat, InboundEvent, Sender

LONGEST_NAME: Final = 120
_MENU: Final = re.compile(r"(?:menu_)?/?([a-z]{2,20})(?:_.*)?")
PRIVATE: Final = ("p2p", "private")


@dataclass(frozen=True, kw_only=True)
class Ignored:
    """Nothing for the bridge; the platform is told that all is well."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Heard:
    """An event for the bridge, before what only the platform can tell is looked up.

    `is_chat_known`: it said itself whether the chat is private. `parent` is the message that it quotes. A `pressed`
    button is answered. An `is_bundle` holds other messages. `needs_me`: whether it speaks to the bot depends on who the
    bot is, which was not known.
    """

    event: InboundEvent
    is_chat_known: bool = True
    parent: str = ""
    pressed: bool = False
    is_bundle: bool = False
    needs_me: bool = False


Parsed = Heard | Ignored

_INCOMPLETE: Final = Ignored(reason="incomplete")
"""Of an event that could not be known again, or not be answered."""


def type_of(payload: Mapping[str, Any]) -> str:
    """The type of an event, "" if the object is none."""
    return text(within(payload, "header").get("event_type")) or text(within(payload, "event").get("type"))


@dataclass(frozen=True, kw_only=True)
class _Raised:
    """An event as it came, and what is known besides."""

    id: str
    event: Mapping[str, Any]
    me: Me
    wording: Wording


def parse(payload: Mapping[str, Any], me: Me, wording: Wording) -> Parsed:
    """What an event says. Never raises for what is in it."""
    header = within(payload, "header")
    app_id = text(header.get("app_id"))
    if app_id and app_id != me.app_id:
        return Ignored(reason="for another app")
    reader = _READERS.get(type_of(payload))
    if reader is None:
        return Ignored(reason="unknown type")
    event = within(payload, "event")
    parsed = reader(_Raised(id=text(header.get("event_id")), event=event, me=me, wording=wording))
    return _INCOMPLETE if isinstance(parsed, Heard) and not is_keepable(parsed.event) else parsed


def _message(raised: _Raised) -> Parsed:
    """A message of a person; other bots come as `app` or `bot`, and never start anything."""
    message, sender = within(raised.event, "message"), within(raised.event, "sender")
    me, wording = raised.me, raised.wording
    open_id = text(within(sender, "sender_id").get("open_id"))
    message_id, chat_id = text(message.get("message_id")), text(message.get("chat_id"))
    if text(sender.get("sender_type")) not in ("user", "") or not open_id or open_id == me.open_id:
        return Ignored(reason="not a person")
    if not message_id or not chat_id:
        return _INCOMPLETE
    mentions = read_mentions(message.get("mentions"))
    content = read_content(message_id, text(message.get("message_type")), message.get("content"), wording)
    is_private = text(message.get("chat_type")) in PRIVATE
    thread = text(message.get("thread_id"))
    heard = InboundEvent(
        event_key=raised.id or message_id,
        chat=Chat(id=chat_id, type="private" if is_private else "group"),
        sender=Sender(id=open_id),
        text=with_names(content.text, mentions, me, wording.everyone),
        message_id=message_id,
        thread=thread,
        mentioned=names_bot(mentions, me),
        attachments=content.attachments,
    )
    parent = "" if thread else text(message.get("parent_id"))
    return Heard(
        event=heard,
        parent=parent,
        is_bundle=message.get("message_type") == "merge_forward",
        needs_me=bool(mentions) and not is_private and not me.open_id,
    )


def _recalled(raised: _Raised) -> Parsed:
    """A message was taken back, by its author or by whoever rules the group."""
    event = raised.event
    target, chat_id = text(event.get("message_id")), text(event.get("chat_id"))
    if not target or not chat_id:
        return _INCOMPLETE
    heard = InboundEvent(
        event_key=raised.id or f"recalled {target}",
        chat=Chat(id=chat_id, type="group"),
        sender=Sender(id=""),
        text="",
        kind="recalled",
        target=target,
    )
    return Heard(event=heard, is_chat_known=False)


def _joined(raised: _Raised) -> Parsed:
    """The bot was added to a group."""
    event = raised.event
    chat_id = text(event.get("chat_id"))
    if not chat_id:
        return _INCOMPLETE
    heard = InboundEvent(
        event_key=raised.id or f"joined {chat_id}",
        chat=Chat(id=chat_id, type="group", title=text(event.get("name"))[:LONGEST_NAME]),
        sender=Sender(id=_operator(event)),
        text="",
        kind="joined",
    )
    return Heard(event=heard)


def _entered(raised: _Raised) -> Parsed:
    """Somebody opened the private chat. It comes at every opening: only the first one is for the bridge."""
    chat_id, open_id = text(raised.event.get("chat_id")), _operator(raised.event)
    if not chat_id or not open_id:
        return _INCOMPLETE
    heard = InboundEvent(
        event_key=f"entered {chat_id}",
        chat=Chat(id=chat_id, type="private"),
        sender=Sender(id=open_id),
        text="",
        kind="joined",
    )
    if text(raised.event.get("last_message_id")):
        return Ignored(reason="entered again")
    return Heard(event=heard)


def _pressed(raised: _Raised) -> Parsed:
    """A button under one of our cards: what it carries is said by whoever pressed it."""
    event = raised.event
    value = inner_json(within(event, "action").get("value"))
    context = within(event, "context")
    command, operator = text(value.get("command")), text(within(event, "operator").get("open_id"))
    chat_id = text(context.get("open_chat_id")) or text(event.get("open_chat_id")) or text(value.get("chat"))
    if not command or not operator or not chat_id:
        return Ignored(reason="not a button of ours")
    heard = InboundEvent(
        event_key=raised.id or text(event.get("token")),
        chat=Chat(id=chat_id, type="group"),
        sender=Sender(id=operator),
        text=command,
        thread=text(value.get("thread")),
        mentioned=True,
    )
    return Heard(event=heard, is_chat_known=False, pressed=True)


def _menu(raised: _Raised) -> Parsed:
    """An entry of the bot's menu stands for a command: `new`, `/new` and `menu_new_chat` are all `/new`."""
    event = raised.event
    operator = _operator(event)
    found = _MENU.fullmatch(text(event.get("event_key")).lower())
    if not operator or found is None:
        return _INCOMPLETE
    heard = InboundEvent(
        event_key=raised.id or f"menu {operator} {text(event.get('timestamp'))}",
        chat=Chat(id=operator, type="private"),
        sender=Sender(id=operator, name=text(within(event, "operator").get("operator_name"))[:LONGEST_NAME]),
        text=f"/{found[1]}",
        mentioned=True,
    )
    return Heard(event=heard)


def _operator(event: Mapping[str, Any]) -> str:
    operator = within(event, "operator_id") or within(event, "operator", "operator_id")
    return text(operator.get("open_id"))


_Reader = Callable[[_Raised], Parsed]
_READERS: Final[dict[str, _Reader]] = {
    "im.message.receive_v1": _message,
    "im.message.recalled_v1": _recalled,
    "im.chat.member.bot.added_v1": _joined,
    "im.chat.access_event.bot_p2p_chat_entered_v1": _entered,
    "card.action.trigger": _pressed,
    "application.bot.menu_v6": _menu,
}


def quoted_text(item: object, wording: Wording) -> str:
    """The words of a message that was looked up."""
    message = fields(item)
    mentions = read_mentions(message.get("mentions"))
    kind, body = text(message.get("msg_type")), within(message, "body").get("content")
    content = read_content(text(message.get("message_id")), kind, body, wording)
    files = [each.name for each in content.attachments]
    return "\n".join([with_names(content.text, mentions, Me(app_id=""), wording.everyone), *files]).strip()


def forwarded_text(found: Sequence[object], wording: Wording) -> str:
    """The messages inside a bundle, as quoted lines; the bundle itself is among what was found."""
    inside = [item for item in found if text(fields(item).get("upper_message_id"))]
    lines = (line for item in inside for line in quoted_text(item, wording).splitlines())
    return "\n".join(f"> {line}" for line in lines)
