"""A session's title, given once: by the small model if it is one of its own, else the first words that were said."""

from functools import partial
from typing import Final

from host.deps import Deps
from host.scenes import TITLE
from host.wording import words_in
from host.writer import Request, write
from store.database import Transaction
from store.events import transcript
from store.sessions import Session, find_session, name_session

LONGEST: Final = 40
"""Characters of a title."""
EXCERPT: Final = 2_000
_MESSAGES: Final = ("user_message", "host_message", "member_message")


def first_words(text: str) -> str:
    """The beginning of a message, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"


def writes_titles(deps: Deps) -> bool:
    """Whether a model writes them: only a small one that was configured for such things."""
    return deps.small_model not in ("", deps.default_model)


async def give_title(deps: Deps, session_id: str) -> None:
    """Have the title written, if the session still has none."""
    session, said = await deps.database.read(partial(_beginning, session_id))
    if session is None or session.title or not said:
        return
    request = Request(
        scene=TITLE,
        model=deps.small_model,
        instructions=words_in(deps.locale).title,
        prompt="\n\n".join(text[:EXCERPT] for text in said),
        owner_id=session.owner_id,
        agent_id=session.agent_id,
        session_id=session.id,
    )
    title = first_words(await write(deps, request) or said[0])
    await deps.database.write(partial(name_session, session_id=session_id, title=title))


async def _beginning(session_id: str, tx: Transaction) -> tuple[Session | None, list[str]]:
    said = await transcript(tx, session_id, _MESSAGES, 3)
    return await find_session(tx, session_id), [each.text for each in said if each.text.strip()]
