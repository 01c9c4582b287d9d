"""What people are asked in a house, and their answers."""

from functools import partial

from host.approvals.deciding import Decided
from host.approvals.policy import Decision
from store.approvals import Approval, open_of_session
from tests.support.house import House


async def waiting(house: House, session_id: str) -> list[Approval]:
    """What waits to be decided in the session, or for it."""
    return await house.database.read(partial(open_of_session, session_id=session_id))


async def decide(house: House, approval: Approval, decision: Decision, by: str = "user:owner") -> Decided:
    work = partial(house.host.decide, approval_id=approval.id, decision=decision, by=by)
    return await house.database.write(work)


async def states(house: House, session_id: str) -> list[str]:
    """The states that the session's notices told, in order."""
    events = await house.events(session_id)
    return [event.data["approval"]["state"] for event in events if "approval" in event.data]
