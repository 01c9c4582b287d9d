"""The values that cross the border between a platform and the rest of the program. All frozen, all platform-neutral."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ChatType = Literal["private", "group"]
MessageKind = Literal["notice", "host", "member", "wrapup", "failure", "reply"]


@dataclass(frozen=True, kw_only=True)
class Chat:
    """A place on the platform; `id` is the platform's own."""

    id: str
    type: ChatType = "private"
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Sender:
    """Who wrote; `id` is the platform's own."""

    id: str
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A file that came along: at `url`, or behind the platform's own `ref`. `size` in bytes, 0 if unknown."""

    name: str
    url: str = ""
    ref: str = ""
    mime: str = ""
    size: int = 0


@dataclass(frozen=True, kw_only=True)
class InboundEvent:
    """One message that a person sent, or one change of a chat (`kind`), verified and parsed.

    `kind` "moved": the chat has the id `target` from now on; "recalled": the message `target` was taken back;
    "joined": the bot was added to the chat. The other fields of such an event say where and, if known, who.

    `event_key` identifies the delivery of the event, `message_id` the message itself ("" if the platform has none):
    the same value of either in the same channel (for `message_id`: and chat) is the same message. `thread` is ""
    outside sub-conversations. `digest` is the SHA-256 of the raw body where a sender can reuse `event_key` for other
    content. Messages of one chat with the same `album` are one message that was sent in pieces. `continues`: it goes on
    with its thread, so that it is for the bot if the bot takes part there. `context` are the lines that were said in
    the thread before the bot was called into it, oldest first.
    """

    event_key: str
    chat: Chat
    sender: Sender
    text: str
    message_id: str = ""
    thread: str = ""
    mentioned: bool = False
    attachments: tuple[Attachment, ...] = ()
    digest: str = ""
    kind: Literal["message", "moved", "recalled", "joined"] = "message"
    target: str = ""
    album: str = ""
    continues: bool = False
    context: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Action:
    """A button under a message: pressing it is the person's saying `command` (`/stop`, `/pair CODE`)."""

    label: str
    command: str


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Whose words a message carries; `role` is host, member or system; `icon` a URL or an emoji such as ":mag:"."""

    id: str
    name: str
    role: Literal["host", "member", "system"]
    icon: str = ""


@dataclass(frozen=True, kw_only=True)
class OutFile:
    """A file to show. `id` is ours; its bytes lie at `path` on this machine; `size` in bytes."""

    id: str
    name: str
    path: str
    mime: str = ""
    size: int = 0


@dataclass(frozen=True, kw_only=True)
class OutboundMessage:
    """One message to show. `text` is Markdown without a label, `display_text` the plain line with the label.

    `label` is the bare label that stands before the text ("" if there is none). Parts of one text share `event_id`
    and count `part` from 1 to `parts`; a file that comes along has a `part` behind theirs and `parts` 1. `seq` numbers
    the messages of the chat, rising, never reused. `again`: it was sent before and nobody knows whether it arrived; a
    platform that can look it up does so, another one marks it.
    `attempt` counts from 1; above it the message was tried before, maybe by a process that was killed meanwhile.
    `fresh`: a new session begins here; a platform that can draw a line across a chat draws one. `file`: the message is
    this file; its `text` is the line that stands for it where a platform cannot show it.
    """

    delivery_id: str
    channel_id: str
    chat_id: str
    thread: str
    session_id: str
    seq: int
    kind: MessageKind
    speaker: Speaker
    text: str
    display_text: str
    created_at: datetime
    label: str = ""
    job_id: str | None = None
    reply_to: str | None = None
    event_id: str | None = None
    turn_id: str | None = None
    part: int = 1
    parts: int = 1
    actions: tuple[Action, ...] = ()
    again: bool = False
    attempt: int = 1
    fresh: bool = False
    file: OutFile | None = None


@dataclass(frozen=True, kw_only=True)
class LivePost:
    """A message that grows while its speaker writes; the final delivery of the same turn and speaker closes it.

    `id` is ours and stable (what a platform can carry to recognise it after a crash), `handle` the platform's name of
    the open message or card, "" while it is not known. `label` is bare and stands before the text from the start.
    `reply_to` is the question's message id, `asker_id` the platform id of who asked it.
    """

    id: str
    turn_id: str
    channel_id: str
    chat_id: str
    chat_type: ChatType
    thread: str
    speaker: Speaker
    created_at: datetime
    label: str = ""
    reply_to: str | None = None
    asker_id: str = ""
    handle: str = ""


@dataclass(frozen=True, kw_only=True)
class Sent:
    """The platform has it; `platform_id` is its message id, if it told one."""

    platform_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Retryable:
    """Surely not delivered, or delivering twice is harmless: try again, not before `retry_after` seconds."""

    reason: str
    retry_after: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """The platform will never take this as it is."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Uncertain:
    """It was written and got no usable answer: it may have been delivered.

    `answered`: the platform itself said that it failed (a 5xx), so that it was hardly delivered.
    """

    reason: str
    answered: bool = False


Outcome = Sent | Retryable | Rejected | Uncertain


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the platform takes in one message; `text` counts `unit`, None means no limit of its own.

    A text above `whole_above` units comes in one piece all the same: the platform shows it as a file.
    """

    text: int | None = None
    unit: Literal["characters", "utf16", "bytes"] = "characters"
    whole_above: int | None = None


@dataclass(frozen=True, kw_only=True)
class ChannelState:
    """Whether events can arrive now; `reason` says in one sentence why not."""

    connected: bool
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class HookRequest:
    """An HTTP request to `/hooks/{channel_id}`, not verified yet; header names in lower case."""

    headers: Mapping[str, str]
    body: bytes
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class HookResponse:
    """The answer to a hook request; `body` is sent as JSON."""

    status: int
    body: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
