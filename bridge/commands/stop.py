"""/stop: end the current turn of the host or the expert; members go on."""

from bridge.commands.context import Context


async def stop(context: Context) -> str:
    found = await context.tools.host.stop(context.tx, context.session.id)
    if found.stopped:
        return context.say("stop.stopped")
    if found.at_work:
        return context.say("stop.members", names=context.tools.notices.join(list(dict.fromkeys(found.at_work))))
    return context.say("stop.nothing")
