"""/team: the members and their state, as far as this room may know it."""

from bridge.commands.context import Context
from host.errors import DamagedManifest
from store.agents import Agent, find_agents
from store.jobs import open_jobs


async def show_team(context: Context) -> str:
    if not context.is_room:
        return context.say("team.none")
    try:
        ids = context.tools.rosters.members(context.session.agent_id)
    except DamagedManifest:
        return context.say("team.damaged")
    members = await find_agents(context.tx, ids)
    at_work = {job.member_id for job in await open_jobs(context.tx, context.session.id)}
    lines = [_line(context, members[each], at_work) for each in ids if each in members]
    return "\n".join([context.say("team.title", count=len(lines)), *lines])


def _line(context: Context, member: Agent, at_work: set[str]) -> str:
    state = context.say(f"team.{_state(member, at_work)}")
    return context.say("team.member", name=member.name, id=member.id, state=state)


def _state(member: Agent, at_work: set[str]) -> str:
    if not member.enabled:
        return "stopped"
    return "at_work" if member.id in at_work else "ready"
