"""Whether an expert may go on working for somebody: one decision, asked before each run and at each step of it (C9)."""

from collections.abc import Collection

from host.permissions import Account, Guest, Person, can_use
from store.sessions import Session
from store.standing import Standing

PERSON = "person:"


def may_run(session: Session, standing: Standing) -> str:
    """The notice key of why not; "" if the run may go on. `session` is the expert's own, `standing` as it is now."""
    user, agent = standing.user, standing.agent
    if user is None or user.disabled_at is not None or _is_shut_out(session, standing):
        return "reason.person_gone"
    if agent is None or agent.deleted_at is not None:
        return "reason.agent_gone"
    if not agent.enabled:
        return "reason.disabled"
    if not can_use(person_of(session, lent=[agent.id] if standing.lent else ()), agent, "talk"):
        return "reason.withdrawn"
    return ""


def person_of(session: Session, lent: Collection[str] = ()) -> Person:
    """For whom the session's expert works: its user, or the people of a channel.

    They came for the agent that the session was opened with; whom it was switched to must be shared with them.
    """
    if session.principal == f"user:{session.owner_id}":
        return Account(id=session.owner_id, borrowed=frozenset(lent))
    return Guest(host_id=session.owner_id, agent_id=session.opened_with or session.agent_id)


def person_id_of(session: Session) -> str:
    """The channel's person whose session it is; "" if it is a user's or a group's."""
    return session.principal.removeprefix(PERSON) if session.principal.startswith(PERSON) else ""


def _is_shut_out(session: Session, standing: Standing) -> bool:
    """A channel's person who was blocked; the groups they speak in are the gate's business."""
    return bool(person_id_of(session)) and (standing.person is None or standing.person.state == "blocked")
