"""/help: the commands that this person may use here."""

from bridge.commands.context import Context
from bridge.commands.rights import RIGHTS, may_use


async def show_help(context: Context) -> str:
    here = {"in_private": context.is_private, "is_admin": context.is_admin}
    usable = [name for name in RIGHTS if may_use(name, **here)]
    return "\n".join([context.say("help.title"), *(context.say(f"help.{name}") for name in usable)])
