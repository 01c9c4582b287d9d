"""What an expert's right to work for somebody hangs on, in one look: it is asked again at every step of a run."""

from dataclasses import dataclass

from sqlalchemy import and_, bindparam, select

from store.accounts import User
from store.agents import Agent
from store.database import Transaction
from store.people import Person
from store.prepared import Prepared
from store.shares import Share


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Whose session it is, whether the agent is lent to that user by name, and the channel's person who speaks there.

    Rows of what was deleted or disabled are there all the same; None: there is no such row.
    """

    agent: Agent | None
    user: User | None
    lent: bool
    person: Person | None


_STANDING: Prepared[tuple[User | None, Agent | None, str | None, Person | None]] = Prepared(
    select(User, Agent, Share.user_id, Person)
    .select_from(User)
    .outerjoin(Agent, Agent.id == bindparam("agent_id"))
    .outerjoin(Share, and_(Share.agent_id == bindparam("agent_id"), Share.user_id == bindparam("user_id")))
    .outerjoin(Person, Person.id == bindparam("person_id"))
    .where(User.id == bindparam("user_id"))
)


async def read_standing(tx: Transaction, *, agent_id: str, user_id: str, person_id: str) -> Standing:
    """`person_id` is "" where nobody of a channel speaks."""
    row = await tx.row(_STANDING, agent_id=agent_id, user_id=user_id, person_id=person_id)
    if row is None:
        return Standing(agent=None, user=None, lent=False, person=None)
    user, agent, lent, person = row
    return Standing(agent=agent, user=user, lent=lent is not None, person=person)
