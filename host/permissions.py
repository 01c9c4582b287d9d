"""Who may do what with an agent: one pure decision over loaded values, for the API, the chats and the host alike.

Roles do not matter here: an admin looks after accounts, channels and people, and has no more right to somebody's
private agent than any stranger (C1, T6).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from store.agents import Agent
from store.database import Transaction
from store.shares import shared_with

Purpose = Literal["see", "talk", "enlist", "bind", "edit", "share"]
"""Know that it is there; open a session with it; have it work for one's team or one's expert; put it behind a channel;
change, delete or switch it; lend or publish it."""

Standing = Literal["owner", "borrower", "guest", "stranger"]


@dataclass(frozen=True, kw_only=True)
class Account:
    """A user of this instance; `borrowed` are the ids of experts that others lend to this user by name."""

    id: str
    borrowed: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Guest:
    """The people of a channel, all alike: they came for `agent_id`, by invitation of the channel's owner."""

    host_id: str
    agent_id: str


Person = Account | Guest

_NOTHING: Final[frozenset[Purpose]] = frozenset()
RIGHTS: Final[Mapping[tuple[Standing, str], frozenset[Purpose]]] = {
    ("owner", "expert"): frozenset({"see", "talk", "enlist", "bind", "edit", "share"}),
    ("owner", "team"): frozenset({"see", "talk", "bind", "edit"}),
    ("borrower", "expert"): frozenset({"see", "talk", "enlist", "bind"}),
    ("guest", "expert"): frozenset({"see", "talk", "enlist"}),
    ("guest", "team"): frozenset({"see", "talk"}),
}
"""By standing and the agent's kind. Teams are never members (T3) and never shared (T6)."""


def can_use(person: Person, agent: Agent, purpose: Purpose) -> bool:
    """Whether this person may use this agent so; whether it can work now (enabled, visible) is another matter."""
    return purpose in RIGHTS.get((standing(person, agent), agent.kind), _NOTHING)


def standing(person: Person, agent: Agent) -> Standing:
    """What the person is to the agent. Guests know what their host shares with everybody, and whom they came for."""
    is_lent = agent.kind == "expert" and agent.visibility == "shared"
    if isinstance(person, Guest):
        is_known = agent.id == person.agent_id or (is_lent and agent.owner_id == person.host_id)
        return "guest" if is_known else "stranger"
    if agent.owner_id == person.id:
        return "owner"
    return "borrower" if is_lent or agent.id in person.borrowed else "stranger"


async def account(tx: Transaction, user_id: str) -> Account:
    """The user with what others lend by name: all that `can_use` asks for."""
    return Account(id=user_id, borrowed=await shared_with(tx, user_id))
