"""A session that keeps what it loaded until the transaction ends: asking for the same row again costs no query."""

from sqlalchemy import event
from sqlalchemy.orm import Session


class KeepingSession(Session):
    """SQLAlchemy's own forgets a row as soon as nobody holds it."""


def _keep(session: Session, row: object) -> None:
    session.info.setdefault("kept", []).append(row)


event.listen(KeepingSession, "loaded_as_persistent", _keep)
event.listen(KeepingSession, "pending_to_persistent", _keep)
