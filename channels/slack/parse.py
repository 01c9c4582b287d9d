"""A verified payload → what was heard, a sign that concerns the app only, or why it is not for us. Pure.

Rules that stand behind it: `app_mention` and `message` of one post share `channel` and `ts` and differ in `event_id`; a
post with a changed name comes back with subtype bot_message and without a user; edits, joins, other bots and everything
hidden never start a turn; a thread is named by its first message.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from channels.keeping import is_keepable
from channels.slack.content import files_of, quotes_of, read_text, words_of
from channels.slack.defuse import storable
from channels.slack.me import Me
from channels.slack.render import BUTTON
from channels.types import Chat, ChatType, InboundEvent, Sender

Payload = Mapping[str, Any]
Kind = Literal["events_api", "slash_commands", "interactive"]

_SPOKEN: Final = ("", "file_share", "thread_broadcast", "me_message")
"""Subtypes that people's own words have."""

_AGENT_SIGNS: Final = frozenset(
    {"app_context_changed", "agent_session_stopped", "agent_session_title_changed", "assistant_thread_started"}
)
_SLACKBOT: Final = "USLACKBOT"


@dataclass(frozen=True, kw_only=True)
class Skip:
    """Not for us, and why."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Sign:
    """Something that people do with the app without speaking to it."""

    kind: Literal["home_opened", "messages_opened", "agent", "gone"]
    user_id: str = ""
    chat_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Heard:
    """An event, with placeholders where `people` are named.

    `calls_in`: the app is mentioned inside a thread, which it may not know yet. `is_root`: it stands at the top of a
    private chat. `by_agent_view`: only the agent view of Slack sends such an event. `is_stop`: its stop button was
    pressed. `is_command`: a slash command, which Slack does not let people give in a thread. `response_url` answers it
    in private.
    """

    event: InboundEvent
    people: tuple[str, ...] = ()
    calls_in: bool = False
    is_root: bool = False
    by_agent_view: bool = False
    is_stop: bool = False
    is_command: bool = False
    response_url: str = ""


Read = Heard | Sign | Skip


def parse(kind: str, payload: Payload, me: Me, commands: Sequence[str] = ()) -> Read:
    """Raises what a payload that is not shaped as Slack says leads to (LookupError, TypeError, AttributeError)."""
    read = _read(kind, payload, me, commands)
    return Skip(reason="unusable_ids") if isinstance(read, Heard) and not is_keepable(read.event) else read


def _read(kind: str, payload: Payload, me: Me, commands: Sequence[str]) -> Read:
    if kind == "events_api":
        return _callback(payload, me)
    if kind == "slash_commands":
        return _slash(payload, me, commands)
    if kind == "interactive":
        return _press(payload)
    return Skip(reason=f"envelope:{kind}")


def _callback(payload: Payload, me: Me) -> Read:
    if payload.get("type") != "event_callback":
        return Skip(reason=str(payload.get("type")))
    if _is_elsewhere(payload, me):
        return Skip(reason="another_workspace")
    event, key = payload["event"], str(payload["event_id"])
    match event["type"]:
        case "message" | "app_mention":
            return _message(event, key, me)
        case "agent_session_stopped":
            return _stopped(event, key)
        case "member_joined_channel":
            return _joined(event, key, me)
        case "app_home_opened":
            return _opened(event)
        case "tokens_revoked" | "app_uninstalled":
            return Sign(kind="gone")
        case name if name in _AGENT_SIGNS:
            return Sign(kind="agent")
        case name:
            return Skip(reason=f"event:{name}")


def _is_elsewhere(payload: Payload, me: Me) -> bool:
    """One connection brings the events of every workspace that has the app; this channel is one of them."""
    installed = payload.get("authorizations") or ()
    team = str((installed[0].get("team_id") if installed else "") or "")
    return bool(team and me.team_id) and not me.is_org_install and team != me.team_id


def _message(event: Payload, key: str, me: Me) -> Read:
    subtype = str(event.get("subtype") or "")
    if subtype == "message_deleted":
        return _recalled(event, key, me)
    if me.wrote(event) or (subtype == "message_changed" and me.wrote(event.get("message"))):
        return Skip(reason="own")
    if event.get("bot_id") or subtype == "bot_message" or event.get("user") == _SLACKBOT:
        return Skip(reason="bot")
    if subtype not in _SPOKEN or event.get("hidden"):
        return Skip(reason=f"subtype:{subtype}")
    if "edited" in event:
        return Skip(reason="edit")
    return _spoken(event, key, me)


def _spoken(event: Payload, key: str, me: Me) -> Heard | Skip:
    raw = words_of(event)
    said, files = read_text(raw, me.user_id), files_of(event)
    quotes = quotes_of(event, me.user_id)
    if not raw.strip() and not files and not quotes:
        return Skip(reason="empty")
    chat, ts = _chat(event), str(event["ts"])
    root = str(event.get("thread_ts") or "")
    is_inside = bool(root) and root != ts
    mentioned = said.mentioned or event["type"] == "app_mention" or event.get("parent_user_id") == me.user_id
    is_private = chat.type == "private"
    words = said.text or (f"@{me.name}" if said.mentioned and not files else "")
    return Heard(
        event=InboundEvent(
            event_key=key,
            chat=chat,
            sender=Sender(id=str(event["user"])),
            text=words if words.startswith("/") else quotes + words,
            message_id=ts,
            thread=root or ("" if is_private else ts),
            mentioned=mentioned,
            attachments=files,
            continues=is_inside and not is_private,
        ),
        people=said.people,
        calls_in=is_inside and mentioned and not is_private,
        is_root=is_private and not root,
        by_agent_view="assistant_thread" in event,
    )


def _recalled(event: Payload, key: str, me: Me) -> Heard | Skip:
    before = event.get("previous_message") or {}
    if me.wrote(before) or before.get("bot_id"):
        return Skip(reason="own" if me.wrote(before) else "bot")
    return Heard(
        event=InboundEvent(
            event_key=key,
            chat=_chat(event),
            sender=Sender(id=str(before.get("user") or "")),
            text="",
            kind="recalled",
            target=str(event["deleted_ts"]),
        )
    )


def _stopped(event: Payload, key: str) -> Heard:
    """The stop button of Slack's agent view."""
    return Heard(
        event=InboundEvent(
            event_key=key,
            chat=_chat(event),
            sender=Sender(id=str(event["user"])),
            text="/stop",
            thread=str(event.get("thread_ts") or ""),
            mentioned=True,
        ),
        by_agent_view=True,
        is_stop=True,
    )


def _joined(event: Payload, key: str, me: Me) -> Heard | Skip:
    if event.get("user") != me.user_id:
        return Skip(reason="somebody_joined")
    sender = Sender(id=str(event.get("inviter") or ""))
    return Heard(event=InboundEvent(event_key=key, chat=_chat(event), sender=sender, text="", kind="joined"))


def _opened(event: Payload) -> Sign | Skip:
    user, chat = str(event["user"]), str(event.get("channel") or "")
    if event.get("tab") == "home":
        return Sign(kind="home_opened", user_id=user, chat_id=chat)
    if event.get("tab") == "messages":
        return Sign(kind="agent" if "context" in event else "messages_opened", user_id=user, chat_id=chat)
    return Skip(reason="tab")


def _slash(payload: Payload, me: Me, commands: Sequence[str]) -> Heard | Skip:
    """`/team NAME …` is the command `/NAME …`, `/team` alone shows the team, anything else is a question."""
    if me.team_id and not me.is_org_install and str(payload.get("team_id") or me.team_id) != me.team_id:
        return Skip(reason="another_workspace")
    said = read_text(str(payload.get("text") or ""), me.user_id)
    name = said.text.partition(" ")[0].lower().removeprefix("/")
    text = "/team" if not said.text else f"/{said.text.removeprefix('/')}" if name in commands else said.text
    asked = str(payload["trigger_id"])
    return Heard(
        event=InboundEvent(
            event_key=f"slash:{asked}",
            chat=_chat({"channel": payload["channel_id"]}),
            sender=Sender(id=str(payload["user_id"]), name=storable(str(payload.get("user_name") or ""))),
            text=text,
            message_id=f"slash:{asked}",
            mentioned=True,
        ),
        people=said.people,
        is_command=text.startswith("/"),
        response_url=str(payload.get("response_url") or ""),
    )


def _press(payload: Payload) -> Heard | Skip:
    """A button says what the person would have written."""
    if payload.get("type") != "block_actions":
        return Skip(reason=f"interactive:{payload.get('type')}")
    pressed, container = payload["actions"][0], payload.get("container") or {}
    command = str(pressed.get("value") or "")
    if not str(pressed.get("action_id", "")).startswith(BUTTON) or not command.startswith("/"):
        return Skip(reason="unknown_button")
    below = payload.get("message") or {}
    chat = _chat({"channel": container.get("channel_id") or payload["channel"]["id"]})
    shown = str(container.get("message_ts") or below.get("ts") or "")
    root = str(container.get("thread_ts") or below.get("thread_ts") or "")
    user = payload["user"]
    return Heard(
        event=InboundEvent(
            event_key=f"press:{shown}:{pressed['action_ts']}:{user['id']}",
            chat=chat,
            sender=Sender(id=str(user["id"]), name=storable(str(user.get("name") or user.get("username") or ""))),
            text=command,
            thread=root or ("" if chat.type == "private" else shown),
            mentioned=True,
        )
    )


def _chat(event: Payload) -> Chat:
    """Ids of direct messages begin with D; only `message` tells a channel's type."""
    chat_id = str(event["channel"])
    is_private = event.get("channel_type") == "im" or chat_id.startswith("D")
    kind: ChatType = "private" if is_private else "group"
    return Chat(id=chat_id, type=kind)
