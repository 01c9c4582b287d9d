"""The hand-over note: what the next agent must know of a session that is reopened with it (S7)."""

from functools import partial
from typing import Final

from host.deps import Deps
from host.scenes import HANDOVER
from host.wording import words_in
from host.writer import Request, write
from store.database import Transaction
from store.events import transcript
from store.sessions import Session, keep_note

MESSAGES: Final = 40
LONGEST: Final = 2_000
"""Characters of one message that the note is written from."""

REAL: Final = ("user_message", "host_message", "member_message", "wrapup")


async def write_note(deps: Deps, old: Session, fresh: Session) -> str | None:
    """The note from the old session's last messages, kept beside the new one; None if it could not be written."""
    lines = await deps.database.read(partial(_lines, old.id))
    if not lines:
        return None
    request = Request(
        scene=HANDOVER,
        model=deps.small_model or deps.default_model,
        instructions=words_in(deps.locale).handover,
        prompt="\n\n".join(lines),
        owner_id=fresh.owner_id,
        agent_id=fresh.agent_id,
        session_id=fresh.id,
    )
    note = await write(deps, request)
    if note is not None:
        await deps.database.write(partial(keep_note, session_id=fresh.id, note=note))
    return note


async def _lines(session_id: str, tx: Transaction) -> list[str]:
    said = await transcript(tx, session_id, REAL, MESSAGES)
    return [f"{each.speaker.name}: {each.text[:LONGEST]}" for each in said if each.text.strip()]
