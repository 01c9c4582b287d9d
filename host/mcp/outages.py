"""Telling people that a tool server was missing from a turn: one quiet line in the transcript, nothing in the chat."""

from dataclasses import dataclass

from host.events import Said, Scribe
from host.toolbox import Bench
from host.values import Say
from store.base import Speaker
from store.database import Database, Transaction
from store.events import notices_of_turn
from store.sessions import lock_session


@dataclass(frozen=True, kw_only=True)
class Outages:
    """Who tells it."""

    database: Database
    scribe: Scribe
    say: Say

    async def tell(self, bench: Bench, server: str) -> None:
        """Once in a turn for each server, however often the turn is resumed."""

        async def note(tx: Transaction) -> None:
            session = await lock_session(tx, bench.turn.session_id)
            told = await notices_of_turn(tx, session.id, bench.turn.id)
            if any(each.data.get("server") == server for each in told):
                return
            agent = bench.agent
            said = Said(
                kind="notice",
                speaker=Speaker(id=agent.id, name=agent.name, role="member", icon=agent.icon),
                text=self.say("tools.server_down", server=server),
                turn_id=bench.turn.id,
                data={"server": server},
                posted=False,
            )
            await self.scribe.emit(tx, session, said)

        await self.database.write(note)
