"""Finding the sessions that a call names: those of the same person in the same app; whatever else there is, is not."""

from collections.abc import Sequence

from host.cooperation.partaker import Partaker, grows, root_of
from host.errors import ToolFault
from store.database import Transaction
from store.sessions import Session
from store.trees import reachable


async def find_targets(tx: Transaction, partaker: Partaker, targets: Sequence[str]) -> list[Session]:
    """The sessions in the order they were named, each once. Raises ToolFault for one that is not there (C10)."""
    session, root_id = partaker.session, partaker.root_id
    found = await reachable(tx, principal=session.principal, app_id=session.app_id, root_id=root_id, targets=targets)
    known = {each.path: each for each in found if grows(each) and root_of(each) == root_id}
    known |= {each.id: each for each in found}
    for target in targets:
        if target not in known:
            raise ToolFault(f"there is no session {target!r}")
    return list({known[target].id: known[target] for target in targets}.values())


async def find_target(tx: Transaction, partaker: Partaker, target: str) -> Session:
    return (await find_targets(tx, partaker, [target]))[0]
