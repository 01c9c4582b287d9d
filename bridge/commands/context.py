"""What a command may know and ask."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from bridge.notices import Notices
from bridge.pairing import Pairing
from bridge.places import Place
from channels.types import InboundEvent
from host.runtime import Host, Reopened
from store.database import Transaction
from store.sessions import Session


def no_follow_up(_reopened: Reopened, _place: Place, _thread: str, _reply_to: str | None) -> None:
    """Nobody waits for a note."""


class Rosters(Protocol):
    """Who is in a team."""

    def members(self, team_id: str) -> Sequence[str]:
        """The members' ids in roster order. Raises host.errors.DamagedManifest."""


@dataclass(frozen=True, kw_only=True)
class Tools:
    """What every command is given by the composition root."""

    host: Host
    rosters: Rosters
    pairing: Pairing
    notices: Notices
    follow_up: Callable[[Reopened, Place, str, str | None], None] = no_follow_up
    """Writes the hand-over note of a session that was reopened, and says it in the chat: (what, where, thread,
    reply to)."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """One use of a command: everything it does happens in `tx`. `session` is the place's (for /new the fresh one)."""

    tx: Transaction
    tools: Tools
    place: Place
    event: InboundEvent
    session: Session
    argument: str

    @property
    def is_private(self) -> bool:
        return self.place.chat.type == "private"

    @property
    def is_admin(self) -> bool:
        return self.place.rules.is_admin(self.event.sender.id)

    @property
    def is_room(self) -> bool:
        return self.session.kind == "room"

    def say(self, key: str, **fields: object) -> str:
        """A sentence of the catalogue."""
        return self.tools.notices.say(key, **fields)

    def since(self, elapsed: timedelta) -> str:
        """A duration as people say it."""
        minutes, seconds = divmod(max(int(elapsed.total_seconds()), 0), 60)
        if minutes < 1:
            return self.say("duration.seconds", seconds=seconds)
        hours, minutes_left = divmod(minutes, 60)
        if hours < 1:
            return self.say("duration.minutes", minutes=minutes, seconds=seconds)
        return self.say("duration.hours", hours=hours, minutes=minutes_left)


Run = Callable[[Context], Awaitable[str]]
"""A command: does its work in the context's transaction and answers with the text of the reply."""
