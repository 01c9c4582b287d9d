"""The permission matrix: who may do what with an agent, as a table of every combination."""

from itertools import product
from typing import Final, get_args

import pytest

from host.permissions import Account, Guest, Person, Purpose, can_use
from store.agents import Agent
from tests.support.clock import FakeClock

OWNER: Final = Account(id="owner")
ADMIN: Final = Account(id="admin")
"""Of another account: the role is no argument of the decision, so that an admin is a stranger here (C1)."""
STRANGER: Final = Account(id="stranger", borrowed=frozenset({"something-else"}))
BORROWER: Final = Account(id="borrower", borrowed=frozenset({"agent"}))
VISITOR: Final = Guest(host_id="owner", agent_id="agent")
"""Came to this very agent through a channel of its owner."""
PASSER_BY: Final = Guest(host_id="owner", agent_id="another")
OUTSIDER: Final = Guest(host_id="stranger", agent_id="another")
"""Of a channel that somebody else owns."""

PEOPLE: Final[dict[str, Person]] = {
    "owner": OWNER,
    "admin": ADMIN,
    "stranger": STRANGER,
    "borrower": BORROWER,
    "visitor": VISITOR,
    "passer-by": PASSER_BY,
    "outsider": OUTSIDER,
}
PURPOSES: Final = get_args(Purpose)
BORROWING: Final = "see talk enlist bind"

MATRIX: Final = {
    # (who, kind, visibility): what is allowed; everything that is not named here is not
    ("owner", "expert", "private"): "see talk enlist bind edit share",
    ("owner", "expert", "shared"): "see talk enlist bind edit share",
    ("owner", "team", "private"): "see talk bind edit",
    ("owner", "team", "shared"): "see talk bind edit",
    ("admin", "expert", "shared"): BORROWING,
    ("stranger", "expert", "shared"): BORROWING,
    ("borrower", "expert", "shared"): BORROWING,
    ("borrower", "expert", "private"): BORROWING,
    ("visitor", "expert", "private"): "see talk enlist",
    ("visitor", "expert", "shared"): "see talk enlist",
    ("visitor", "team", "private"): "see talk",
    ("visitor", "team", "shared"): "see talk",
    ("passer-by", "expert", "shared"): "see talk enlist",
}
CASES: Final = list(product(PEOPLE, ("expert", "team"), ("private", "shared"), PURPOSES))


@pytest.mark.parametrize(("who", "kind", "visibility", "purpose"), CASES)
def test_the_matrix(clock: FakeClock, who: str, kind: str, visibility: str, purpose: Purpose) -> None:
    """T4, T6, C1, S1, X2. A team is never shared, whatever its row says: a broken row opens nothing."""
    now = clock.now()
    agent = Agent(
        id="agent",
        kind=kind,
        name="Agent",
        owner_id="owner",
        origin="api",
        visibility=visibility,
        created_at=now,
        updated_at=now,
    )
    allowed = purpose in MATRIX.get((who, kind, visibility), "").split()
    assert can_use(PEOPLE[who], agent, purpose) is allowed
