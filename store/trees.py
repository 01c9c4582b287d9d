"""Trees of sessions: a root and the children that experts made below it. Reads what spans several tables of them."""

from collections.abc import Collection, Sequence

from sqlalchemy import select, update

from store.database import Transaction
from store.inputs import WORK, Input
from store.sessions import Session
from store.turns import Turn

GROWING = ("direct", "child")
"""The kinds of sessions that make up a tree of cooperation."""


async def find_child(tx: Transaction, parent_id: str, name: str) -> Session | None:
    """The child of this name, even if it was deleted: its name stays taken."""
    query = select(Session).where(Session.parent_id == parent_id, Session.name == name)
    return (await tx.orm.scalars(query)).one_or_none()


async def root_of_tree(tx: Transaction, root_id: str) -> Session | None:
    """The root, also one that was deleted: what is below it goes on."""
    return await tx.get(Session, root_id)


async def tree_of(tx: Transaction, root_id: str) -> list[Session]:
    """Every session below this root and the root itself, deleted ones left out, by path."""
    query = select(Session).where((Session.root_id == root_id) | (Session.id == root_id), Session.deleted_at.is_(None))
    return list(await tx.orm.scalars(query.order_by(Session.path, Session.created_at, Session.id)))


async def hold_tree(tx: Transaction, root_id: str) -> list[Session]:
    """The sessions of a tree of cooperation, held by this transaction; its root must be locked before."""
    query = select(Session).where(Session.root_id == root_id, Session.kind.in_(GROWING)).order_by(Session.id)
    query = query.with_for_update().execution_options(populate_existing=True)
    found = list(await tx.orm.scalars(query))
    tx.locked.update({each.id: each for each in found})
    return found


async def pause_tree(tx: Transaction, root_id: str, *, paused: bool) -> None:
    """Hold back the queues of a locked root's tree, or let them go on."""
    await tx.orm.execute(update(Session).where(Session.id == root_id).values(paused=paused))


async def queue_of(tx: Transaction, session_ids: Sequence[str]) -> list[Input]:
    """What waits in these sessions, in the order of each queue."""
    query = select(Input).where(Input.session_id.in_(session_ids), Input.state == "pending")
    return list(await tx.orm.scalars(query.order_by(Input.session_id, Input.position, Input.created_at, Input.id)))


async def at_work_among(tx: Transaction, session_ids: Sequence[str]) -> set[str]:
    """Those of these sessions that have something to do or are doing it."""
    waiting = select(Input.session_id).where(Input.session_id.in_(session_ids), Input.state == "pending", WORK)
    live = select(Turn.session_id).where(Turn.session_id.in_(session_ids), Turn.state == "live")
    return set(await tx.orm.scalars(waiting.union(live)))


async def reachable(
    tx: Transaction, *, principal: str, app_id: str, root_id: str, targets: Collection[str]
) -> list[Session]:
    """This person's sessions that these targets name: by id anywhere in the app, by path in the own tree."""
    named = Session.id.in_(targets) | ((Session.root_id == root_id) & Session.path.in_(targets))
    mine = Session.principal == principal, Session.app_id == app_id, Session.deleted_at.is_(None)
    return list(await tx.orm.scalars(select(Session).where(*mine, named)))


async def directory(
    tx: Transaction,
    *,
    principal: str,
    app_id: str,
    project_id: str | None = None,
    offset: int = 0,
    limit: int | None = None,
) -> list[Session]:
    """This person's sessions in this app (of one project), the one that changed last first, then by id downwards."""
    query = select(Session).where(
        Session.principal == principal, Session.app_id == app_id, Session.deleted_at.is_(None)
    )
    if project_id is not None:
        query = query.where(Session.project_id == project_id)
    query = query.order_by(Session.updated_at.desc(), Session.id.desc()).offset(offset).limit(limit)
    return list(await tx.orm.scalars(query))


async def session_and_below(tx: Transaction, session_id: str) -> list[Session]:
    """The session and those right below it, the one that changed last first."""
    query = select(Session).where((Session.id == session_id) | (Session.parent_id == session_id))
    query = query.where(Session.deleted_at.is_(None)).order_by(Session.updated_at.desc(), Session.id.desc())
    return list(await tx.orm.scalars(query))
