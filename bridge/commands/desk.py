"""Running a command: may this person, which session, what is the answer."""

from dataclasses import dataclass

from bridge.commands.context import Context, Tools
from bridge.commands.parse import Command
from bridge.commands.rights import may_use
from bridge.commands.table import COMMANDS, OPENS_FRESH
from bridge.places import Place
from bridge.routing import Routing
from channels.types import InboundEvent
from store.database import Transaction


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command said, and about which session; `fresh`: that session has just begun."""

    session_id: str
    text: str
    fresh: bool = False


class Desk:
    """Answers commands. They never wait for a running turn."""

    def __init__(self, routing: Routing, tools: Tools) -> None:
        self._routing = routing
        self._tools = tools

    async def answer(self, tx: Transaction, place: Place, event: InboundEvent, command: Command) -> Answer:
        """Run the command in this transaction. Raises host.errors.AgentUnavailable where no session can be opened."""
        is_admin = place.rules.is_admin(event.sender.id)
        allowed = may_use(command.name, in_private=place.chat.type == "private", is_admin=is_admin)
        fresh = allowed and command.name == OPENS_FRESH
        session = await (self._routing.fresh if fresh else self._routing.session)(tx, place)
        if not allowed:
            return Answer(session_id=session.id, text=self._tools.notices.say("command.admins_only"))
        context = Context(
            tx=tx, tools=self._tools, place=place, event=event, session=session, argument=command.argument
        )
        return Answer(session_id=session.id, text=await COMMANDS[command.name](context), fresh=fresh)
