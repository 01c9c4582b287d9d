"""What a model is shown of a long session: its newest turns whole, and a digest of what was before.

History is cut between turns only, so every tool call keeps its answer. Nothing here knows an agent or a
configuration: a digest replaces messages, never what the session works with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Final

from host.conversation import Answer, Entry, Prompt, Result, Text, read_conversation
from host.deps import Deps
from host.messages import remark
from host.scenes import COMPACTION
from host.wording import words_in
from host.writer import Request, write
from store.sessions import Session, keep_digest
from store.turns import Said

ABOVE: Final = 400_000
"""Bytes of stored messages from which on a history is cut."""
KEPT: Final = 150_000
"""Bytes of the newest turns that stay whole; the newest one always does."""
ENTRY: Final = 1_000
DIGESTED: Final = 60_000
"""Characters of one message, and of all, that a digest is written from."""


@dataclass(frozen=True, kw_only=True)
class PastTurn:
    """The messages of one turn that is over."""

    id: str
    messages: tuple[bytes, ...]

    @property
    def size(self) -> int:
        return sum(map(len, self.messages))


def turns_of(said: Sequence[Said]) -> list[PastTurn]:
    """Stored steps by turn."""
    return [
        PastTurn(id=turn_id, messages=tuple(each.messages for each in steps))
        for turn_id, steps in groupby(said, key=lambda each: each.turn_id)
    ]


def since(turns: Sequence[PastTurn], until: str) -> Sequence[PastTurn]:
    """The turns behind the one that a digest ends with; all, if that one is not among them any more."""
    ids = [each.id for each in turns]
    return turns[ids.index(until) + 1 :] if until in ids else turns


def first_kept(turns: Sequence[PastTurn], *, above: int = ABOVE, kept: int = KEPT) -> int:
    """Where the history begins: 0 while it is short, else as many of the newest turns as fit, at least one."""
    if sum(each.size for each in turns) <= above:
        return 0
    room, first = kept, len(turns)
    while first and (room := room - turns[first - 1].size) >= 0:
        first -= 1
    return min(first, len(turns) - 1)


async def remembered(deps: Deps, session: Session, agent_id: str, said: Sequence[Said]) -> list[bytes]:
    """The history for the session's next request. The digest is written when it becomes too long, and kept.

    If no model can write one, the old turns are left out all the same.
    """
    turns = since(turns_of(said), session.digested)
    digest = session.digest
    if (first := first_kept(turns)) > 0:
        digest = await _written(deps, session, agent_id, turns[:first]) or digest
        turns, until = turns[first:], turns[first - 1].id
        await deps.database.write(partial(keep_digest, session_id=session.id, until=until, text=digest))
    recalled = [remark(f"{words_in(deps.locale).recalled}\n\n{digest}")] if digest else []
    return [*recalled, *(step for turn in turns for step in turn.messages)]


async def _written(deps: Deps, session: Session, agent_id: str, old: Sequence[PastTurn]) -> str | None:
    request = Request(
        scene=COMPACTION,
        model=deps.small_model or deps.default_model,
        instructions=words_in(deps.locale).digest,
        prompt="\n\n".join(([session.digest] if session.digest else []) + _lines(old)),
        owner_id=session.owner_id,
        agent_id=agent_id,
        session_id=session.id,
    )
    return await write(deps, request)


def _lines(old: Sequence[PastTurn]) -> list[str]:
    """What was said, shortened; of very much the newest."""
    room, lines = DIGESTED, list[str]()
    entries = read_conversation(step for turn in old for step in turn.messages)
    for line in (line for entry in reversed(entries) for line in _line(entry)):
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return lines[::-1]


def _line(entry: Entry) -> Iterator[str]:
    match entry:
        case Prompt():
            yield f"> {entry.text[:ENTRY]}"
        case Result():
            yield f"[{entry.text[:ENTRY]}]"
        case Answer():
            text = "\n".join(part.text for part in entry.parts if isinstance(part, Text))
            if text:
                yield text[:ENTRY]
