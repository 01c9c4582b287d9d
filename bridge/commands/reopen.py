"""/reopen ID: this session is archived, a new one begins with another agent; the hand-over note follows (S7)."""

from functools import partial

from bridge.commands.context import Context
from bridge.commands.switch import guest_of, refusal
from host.errors import AgentUnavailable, Archived, Busy, NotSwitchable
from host.runtime import Reopened
from store.chats import rebind


async def reopen(context: Context) -> str:
    if not context.argument:
        return context.say("reopen.usage")
    try:
        host = context.tools.host
        done = await host.reopen(context.tx, context.session.id, guest_of(context), context.argument)
    except AgentUnavailable as fault:
        return refusal(context, fault)
    except Busy:
        return context.say("reopen.busy")
    except (Archived, NotSwitchable):
        return context.say("reopen.refused")
    await rebind(context.tx, context.session.id, done.fresh.id)
    context.tx.after_commit(partial(_follow_up, context, done))
    return _answer(context, done)


def _follow_up(context: Context, done: Reopened) -> None:
    event = context.event
    context.tools.follow_up(done, context.place, event.thread, event.message_id or None)


def _answer(context: Context, done: Reopened) -> str:
    choice = done.choice
    assert choice is not None, "a command has no key, so nothing is repeated"
    return context.say("reopen.done", name=choice.agent.name, model=choice.model)
