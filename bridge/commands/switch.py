"""/switch ID: another agent answers from the next turn on (S6)."""

from bridge.commands.context import Context
from host.errors import AgentUnavailable, Archived, NotSwitchable
from host.permissions import Guest


async def switch(context: Context) -> str:
    if not context.argument:
        return context.say("switch.usage")
    try:
        host = context.tools.host
        choice = await host.switch(context.tx, context.session.id, guest_of(context), context.argument)
    except AgentUnavailable as fault:
        return refusal(context, fault)
    except (Archived, NotSwitchable):
        return context.say("switch.refused")
    return context.say("switch.done", name=choice.agent.name, model=choice.model)


def guest_of(context: Context) -> Guest:
    """The people of a channel never act as its owner (X2): they know its own agent and what is shared."""
    rules = context.place.rules
    return Guest(host_id=rules.owner_id, agent_id=rules.agent_id)


def refusal(context: Context, fault: AgentUnavailable) -> str:
    """Why this agent cannot be chosen."""
    if fault.reason == "unknown":
        return context.say("switch.unknown", id=context.argument)
    return context.say(f"problem.{fault.reason}")
