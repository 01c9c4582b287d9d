"""The session that cooperates in this run: for whom, with what, and how its transactions begin."""

from collections.abc import Iterable
from dataclasses import dataclass

from host.cooperation.configuration import Configuration
from store.agents import Agent
from store.base import Speaker
from store.database import Transaction
from store.sessions import Session, lock_session
from store.trees import GROWING
from store.turns import Turn, hold_turn


@dataclass(frozen=True, kw_only=True)
class Partaker:
    """One run of an expert in a session of a tree, as it was when the run began."""

    session: Session
    turn_id: str
    run: str
    agent: Agent
    config: Configuration

    @property
    def root_id(self) -> str:
        return root_of(self.session)

    @property
    def voice(self) -> Speaker:
        """Who speaks to another session: there it is an input like a person's."""
        return Speaker(id=self.agent.id, name=self.agent.name, role="user", icon=self.agent.icon)

    async def hold(self, tx: Transaction, *others: Session) -> Turn:
        """Lock the own session and `others` in the one order; the turn, if this run still owns it. Raises Lost."""
        await lock_sessions(tx, (self.session, *others))
        return await hold_turn(tx, self.turn_id, self.run)


def root_of(session: Session) -> str:
    """The id of the session's root; of a root its own."""
    return session.root_id or session.id


def grows(session: Session) -> bool:
    """Whether the session is part of a tree of cooperation: an expert's own chat, or a child."""
    return session.kind in GROWING


async def lock_sessions(tx: Transaction, sessions: Iterable[Session]) -> None:
    """Roots before the sessions below them, each by id: every transaction that takes several takes them so."""
    ids = {(root_of(each) != each.id, each.id) for each in sessions} | {(False, root_of(each)) for each in sessions}
    for _, session_id in sorted(ids):
        await lock_session(tx, session_id)
