"""/agents: what this person may use: the channel's own agent and the experts that its owner shares."""

from bridge.commands.context import Context
from host.permissions import Guest, can_use
from store.agents import Agent, list_agents


async def show_agents(context: Context) -> str:
    rules = context.place.rules
    guest = Guest(host_id=rules.owner_id, agent_id=rules.agent_id)
    usable = [each for each in await list_agents(context.tx) if may_choose(guest, each)]
    usable.sort(key=lambda each: each.id != rules.agent_id)
    return "\n".join([context.say("agents.title"), *(_line(context, each) for each in usable)])


def _line(context: Context, agent: Agent) -> str:
    return context.say("agents.line", name=agent.name, id=agent.id, description=agent.description).rstrip()


def may_choose(guest: Guest, agent: Agent) -> bool:
    """Whether the channel's people know this agent at all (C1, S1) and may choose it now."""
    return can_use(guest, agent, "talk") and agent.enabled and agent.client_visible
