"""How growing text is cut into the appends of a stream, and a stream into several messages. Pure.

Facts about Slack's streams: an append adds at the end and nothing else; white space at its beginning may be lost; a
message takes about 10,600 bytes; it dies about five minutes after its start, whatever was appended.
"""

from dataclasses import dataclass, field
from typing import Final

from channels.slack.defuse import defuse, settled
from channels.units import is_joint, measure

MOST_BYTES: Final = 9000
"""Of one message while it grows."""

_SPARE: Final = 1000
"""Bytes that the last words may have beyond that."""

LONGEST_LIFE: Final = 240.0
"""Seconds after which a message is closed and the next one begun."""


@dataclass
class Piece:
    """One message of a stream: where it is, since when, what it says, and whether it is still open."""

    ts: str
    opened_at: float = 0.0
    text: str = ""
    is_open: bool = True

    def room(self) -> int:
        """Bytes that may still be appended."""
        return MOST_BYTES - measure(self.text, "bytes")

    def takes(self, rest: str) -> bool:
        """Whether the last words of a text fit in."""
        return measure(rest, "bytes") <= self.room() + _SPARE


@dataclass
class Shown:
    """What readers of a growing text have seen, whichever messages it is in.

    `head` is the label as it stands there, `told` the text behind it. `doubtful`: an append may have arrived or not, so
    nobody knows what the message says.
    """

    head: str = ""
    told: str = ""
    doubtful: bool = False
    pieces: list[Piece] = field(default_factory=list)

    @property
    def last(self) -> Piece:
        return self.pieces[-1]

    @property
    def gap(self) -> str:
        """What stands behind the label."""
        return self.head[len(self.head.rstrip()) :]


def ready(text: str) -> str:
    """How much of a growing text can be shown for good: harmless, and ending where no white space follows."""
    end = len(text.rstrip()) - 1
    while end > 0:
        if (safe := settled(text, end)) < end:
            end = safe
        elif text[end].isspace() or is_joint(text, end):
            end -= 1
        else:
            break
    return defuse(text[:end]) if end > 0 else ""


def fits(text: str, room: int) -> int:
    """How many characters fit into so many bytes: up to a line's end if one is near, and never before white space."""
    if measure(text, "bytes") <= room:
        return len(text)
    end = len(text.encode("utf-8", "surrogatepass")[: max(room, 0)].decode("utf-8", "ignore"))
    line = text.rfind("\n", end // 2, end) + 1
    end = line or end
    while end > 0 and (text[end].isspace() or is_joint(text, end)):
        end -= 1
    return end
