"""From a place to the session that answers there, opened and bound when there is none."""

from bridge.places import Place
from host.runtime import Host
from host.values import Opening
from store.agents import find_agent
from store.chats import bind, find_binding, latest_session
from store.database import Transaction
from store.errors import NotFound
from store.sessions import Session, lock_session


class Routing:
    """Bindings of (channel, chat, thread) to sessions."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def session(self, tx: Transaction, place: Place) -> Session:
        """The place's session, held by this transaction: the bound one if it still fits, else another.

        Raises host.errors.AgentUnavailable.
        """
        bound = await self._bound(tx, place)
        if bound is not None and bound.principal != place.principal:
            bound = await self._return(tx, place)
        if bound is not None and fits(bound, place):
            return bound
        return await self.fresh(tx, place)

    async def fresh(self, tx: Transaction, place: Place) -> Session:
        """A new session for the place; the old one gets no new input, and goes on publishing what is under way."""
        agent = await find_agent(tx, place.rules.agent_id)
        opening = Opening(
            agent_id=place.rules.agent_id,
            owner_id=place.rules.owner_id,
            principal=place.principal,
            app_id=place.rules.id,
            project_id=place.rules.id,
            session_key=place.session_key(is_team=agent is not None and agent.kind == "team"),
            title=place.chat.title,
        )
        session = await self._host.open_session(tx, opening)
        await self._bind(tx, place, session)
        return session

    async def _bound(self, tx: Transaction, place: Place) -> Session | None:
        binding = await find_binding(tx, place.rules.id, place.chat.id, place.thread)
        return None if binding is None else await _held(tx, binding.session_id)

    async def _return(self, tx: Transaction, place: Place) -> Session | None:
        """Where several people write in one private chat, each goes back to a session of their own (T36)."""
        keys = [place.session_key(is_team=is_team) for is_team in (True, False)]
        found = await latest_session(tx, principal=place.principal, session_keys=keys)
        if found is None:
            return None
        await self._bind(tx, place, found)
        return await _held(tx, found.id)

    async def _bind(self, tx: Transaction, place: Place, session: Session) -> None:
        await bind(tx, place.rules.id, place.chat.id, place.thread, session.id)


def fits(session: Session, place: Place) -> bool:
    """Whether a session of this principal still answers here: alive, and opened for the channel's agent.

    Who has switched it since is another matter: the session's agent wins over the channel's (S6).
    """
    is_alive = session.status == "ACTIVE" and session.deleted_at is None
    return is_alive and (session.opened_with or session.agent_id) == place.rules.agent_id


async def _held(tx: Transaction, session_id: str) -> Session | None:
    try:
        return await lock_session(tx, session_id)
    except NotFound:
        return None
