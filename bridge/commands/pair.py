"""/pair CODE: an admin lets a person or a group of this channel in."""

from bridge.commands.context import Context


async def pair(context: Context) -> str:
    if not context.argument:
        return context.say("pair.usage")
    approved = await context.tools.pairing.approve_code(context.tx, context.argument, channel_id=context.place.rules.id)
    if approved is None:
        return context.say("pair.unknown", code=context.argument)
    return context.say("pair.group" if approved.is_group else "pair.person", name=approved.name)
