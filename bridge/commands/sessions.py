"""/sessions [all]: the sessions of this person (in a group: of the group), newest first; `all`: archived ones too."""

from typing import Final

from bridge.commands.context import Context
from store.agents import find_agents
from store.chats import sessions_of_principal
from store.sessions import Session

MOST: Final = 10


async def show_sessions(context: Context) -> str:
    place = context.place
    found = await sessions_of_principal(
        context.tx,
        app_id=place.rules.id,
        principal=place.principal,
        archived=context.argument.lower() == "all",
        limit=MOST,
    )
    agents = await find_agents(context.tx, [each.agent_id for each in found])
    names = {agent_id: agent.name for agent_id, agent in agents.items()}
    lines = [_line(context, each, names.get(each.agent_id, each.agent_id)) for each in found]
    return "\n".join([context.say("sessions.title", count=len(lines)), *lines])


def _line(context: Context, session: Session, agent: str) -> str:
    title = session.title or context.say("sessions.untitled")
    since = context.since(context.tx.now - session.updated_at)
    return context.say(_key(context, session), title=title, agent=agent, id=session.id, since=since)


def _key(context: Context, session: Session) -> str:
    if session.id == context.session.id:
        return "sessions.current"
    return "sessions.line" if session.status == "ACTIVE" else "sessions.archived"
