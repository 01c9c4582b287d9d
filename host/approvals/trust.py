"""What a session may do without asking. Whoever works for another session has that one's trust too."""

from typing import Final

from host.approvals.policy import Trust
from store.approvals import granted_tools
from store.database import Transaction
from store.sessions import Session, find_session

ALWAYS: Final = "always_trust"

_FOR_OTHERS: Final = ("side", "peer")


async def read_trust(tx: Transaction, session_id: str) -> Trust:
    """As it is now: a member's side session stands in its room's trust, a colleague's in its asker's.

    Of permission levels only that of the session for which all of them work counts: it belongs to who is asked.
    """
    line = await _line(tx, session_id)
    return Trust(
        total=bool(line) and line[-1].permission_level == ALWAYS,
        tools=frozenset(await granted_tools(tx, [each.id for each in line])),
    )


async def _line(tx: Transaction, session_id: str) -> list[Session]:
    """The session, and upwards those that it works for."""
    line: list[Session] = []
    above: str | None = session_id
    while above is not None and (session := await find_session(tx, above)) is not None:
        line.append(session)
        above = session.parent_id if session.kind in _FOR_OTHERS else None
    return line
