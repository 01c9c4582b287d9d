"""/new: a fresh session; the desk has opened and bound it by now, the old one goes on publishing."""

from bridge.commands.context import Context


async def start_fresh(context: Context) -> str:
    return context.say("new.started")
