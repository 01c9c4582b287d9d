"""What the workspace holds: people, channels and their messages, as the Web API tells them."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

TEAM = "T111"
APP = "A111"
BOT_USER = "UBOT"
BOT = "BBOT"
APP_NAME = "Studio"

ALL_SCOPES = (
    *("app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write"),
    *("chat:write.customize", "commands", "files:read", "files:write", "groups:history", "groups:read"),
    *("im:history", "im:read", "im:write", "mpim:history", "mpim:read", "reactions:read", "reactions:write"),
    "users:read",
)


class Refused(Exception):
    """`ok: false` with this error."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.more = more


@dataclass(kw_only=True)
class Message:
    """One message. `author` is what readers see above it; `state` is set on what was streamed."""

    ts: str
    text: str = ""
    user: str = ""
    thread_ts: str = ""
    by_app: bool = False
    username: str = ""
    icons: Json = field(default_factory=dict)
    blocks: list[Json] = field(default_factory=list)
    metadata: Json = field(default_factory=dict)
    files: list[Json] = field(default_factory=list)
    state: str = ""
    mode: str = ""
    began: float = 0.0
    edits: int = 0
    reactions: set[str] = field(default_factory=set)

    @property
    def author(self) -> str:
        return self.username or (APP_NAME if self.by_app else self.user)

    @property
    def shown(self) -> str:
        """The words that readers see."""
        return "\n".join(filter(None, map(_words, self.blocks))) if self.blocks else self.text

    @property
    def card(self) -> str:
        """The status of a task card; "" without one."""
        return next((str(block["status"]) for block in self.blocks if block["type"] == "task_card"), "")

    @property
    def buttons(self) -> list[Json]:
        return [button for block in self.blocks if block["type"] == "actions" for button in block["elements"]]

    def public(self, *, with_metadata: bool = False) -> Json:
        """As conversations.replies tells it."""
        told: Json = {"type": "message", "ts": self.ts, "text": self.text}
        told |= {"thread_ts": self.thread_ts} if self.thread_ts else {}
        told |= {"blocks": self.blocks} if self.blocks else {}
        told |= {"files": self.files} if self.files else {}
        told |= {"streaming_state": self.state} if self.state else {}
        if with_metadata and self.metadata:
            told["metadata"] = self.metadata
        if not self.by_app:
            return told | {"user": self.user, "team": TEAM}
        told |= {"bot_id": BOT, "app_id": APP}
        if self.username:
            return told | {"subtype": "bot_message", "username": self.username, "icons": self.icons}
        return told | {"user": BOT_USER, "team": TEAM, "bot_profile": {"id": BOT, "app_id": APP, "name": APP_NAME}}


def _words(block: Json) -> str:
    match block["type"]:
        case "markdown":
            return str(block["text"])
        case "section":
            return str(block["text"]["text"])
        case "task_card":
            return str(block["title"])
    return ""


@dataclass(kw_only=True)
class Channel:
    """A conversation; `has_app`: the app is a member."""

    id: str
    name: str = ""
    kind: str = "channel"
    user: str = ""
    has_app: bool = True
    archived: bool = False
    messages: dict[str, Message] = field(default_factory=dict)

    def find(self, ts: str) -> Message:
        if ts not in self.messages:
            raise Refused("message_not_found")
        return self.messages[ts]

    def thread(self, ts: str) -> list[Message]:
        """The first message and its replies."""
        if ts not in self.messages:
            raise Refused("thread_not_found")
        return [one for one in self.messages.values() if one.ts == ts or one.thread_ts == ts]

    def top(self) -> list[Message]:
        return [one for one in self.messages.values() if not one.thread_ts or one.thread_ts == one.ts]
