"""What is known of a case when it is over: the material of the audit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.campaign.plan import Talk

MARK = "↻ "


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A message as its readers see it at the end. `is_open`: it looks as if it were still being written."""

    text: str
    is_notice: bool = False
    is_open: bool = False

    @property
    def is_marked(self) -> bool:
        """It says that it may have been shown before."""
        return self.text.startswith(MARK)


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One event of a room, as the store has it."""

    session_id: str
    seq: int
    kind: str
    text: str
    rounds: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a platform promises: whether what people sent arrives in order, and whether a message that may have arrived
    is shown a second time, with a mark."""

    keeps_order: bool = True
    marks_doubles: bool = False


@dataclass(frozen=True, kw_only=True)
class Record:
    """Everything about one case.

    `asked` are the texts of the model's requests, by who asked. `kept` are the rooms' events. `shown` are the
    messages of each place of the talk, top to bottom. `uncertain` are the texts of deliveries that the store lists as
    uncertain: nobody can tell whether they arrived. `unfinished` counts, by name, what is not at rest.
    """

    talk: Talk
    rules: Rules
    asked: Mapping[str, Sequence[str]]
    kept: Sequence[Kept]
    shown: Sequence[Sequence[Shown]]
    uncertain: Sequence[str] = ()
    unfinished: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that must not be. `kind`: lost, doubled, order, wrapup, open, stray, restless."""

    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"
