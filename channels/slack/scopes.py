"""What the app asks its workspace for, and what each right is good for."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Scope:
    """`is_needed`: without it the app cannot work; else `purpose` says what is lost."""

    name: str
    purpose: str
    is_needed: bool = True


SCOPES: Final = (
    Scope(name="app_mentions:read", purpose="to hear mentions in channels"),
    Scope(name="channels:history", purpose="to hear messages in public channels and to find its own again"),
    Scope(name="groups:history", purpose="to hear messages in private channels and to find its own again"),
    Scope(name="im:history", purpose="to hear direct messages and to find its own again"),
    Scope(name="chat:write", purpose="to answer"),
    Scope(name="mpim:history", purpose="to hear messages in group direct messages", is_needed=False),
    Scope(
        name="chat:write.customize",
        purpose="members' own names and icons; without it their messages have a bold label",
        is_needed=False,
    ),
    Scope(name="users:read", purpose="people's names; without it the team knows only their ids", is_needed=False),
    Scope(name="channels:read", purpose="the names of public channels", is_needed=False),
    Scope(name="groups:read", purpose="the names of private channels", is_needed=False),
    Scope(name="files:read", purpose="files that people send", is_needed=False),
    Scope(name="files:write", purpose="files that agents send, and very long answers as a file", is_needed=False),
    Scope(name="reactions:write", purpose="the 👀 under a question that is being worked on", is_needed=False),
    Scope(name="commands", purpose="the slash command /team", is_needed=False),
    Scope(name="assistant:write", purpose="Slack's agent view: its threads and its suggested prompts", is_needed=False),
)


def missing(granted: frozenset[str]) -> tuple[Scope, ...]:
    """What was not granted, the necessary first."""
    return tuple(scope for scope in SCOPES if scope.name not in granted)
