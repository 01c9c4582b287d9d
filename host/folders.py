"""Which folder an agent works in: the layout below `data_dir/workspaces/`.

`<agent>/` is the agent's own, and its owner's sessions work in the whole of it. A job works in
`<agent>/rooms/<room>/`, people who are not the owner (those of a channel, a borrower) in `<agent>/chats/<session>/`,
so nothing of one room reaches another (X3). A session keeps the folder that it was opened with, whatever agent it is
switched to or reopened with (S7).
"""

from host.toolbox import Bench
from store.agents import Agent
from store.sessions import Session


def own_folder(agent: Agent, principal: str, session_id: str) -> str:
    """Where a session that is opened with `agent` works, below `workspaces/`: to be kept in `session.workspace`."""
    return agent.id if principal == f"user:{agent.owner_id}" else f"{agent.id}/chats/{session_id}"


def room_folder(member_id: str, room_id: str) -> str:
    """Where a member works for a room (T5, T18)."""
    return f"{member_id}/rooms/{room_id}"


def session_folder(session: Session) -> str:
    """Where the session's agent works."""
    if session.kind == "side":
        return room_folder(session.agent_id, session.parent_id or session.id)
    return session.workspace or f"{session.opened_with or session.agent_id}/chats/{session.root_id or session.id}"


def colleague_folder(asking: Session, colleague: Agent) -> str:
    """Where a colleague works while `asking` waits: everyone in their own workspace, for the same room or chat."""
    _, _, place = session_folder(asking).partition("/")
    if place:
        return f"{colleague.id}/{place}"
    return own_folder(colleague, asking.principal, asking.root_id or asking.id)


def folder_of(bench: Bench) -> str:
    """Where this run works."""
    return room_folder(bench.agent.id, bench.room_id) if bench.room_id else session_folder(bench.session)
