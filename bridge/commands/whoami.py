"""/whoami: the ids that an owner needs to fill `allow`, `admins` and `allow_chats`."""

from bridge.commands.context import Context


async def show_identity(context: Context) -> str:
    sender, chat = context.event.sender, context.place.chat
    role = context.say("whoami.admin" if context.is_admin else "whoami.member")
    return context.say(
        "whoami.text",
        name=sender.name or context.place.person.name or sender.id,
        sender=sender.id,
        person=context.place.person.id,
        role=role,
        channel=context.place.rules.id,
        chat=chat.id,
        kind=context.say(f"whoami.{chat.type}"),
    )
