"""After /reopen: the hand-over note comes into the chat when it is written, within half a minute."""

import asyncio
from functools import partial

import structlog

from bridge.notices import Notices
from bridge.places import Place
from bridge.reception import AddReply
from host.runtime import Host, Reopened
from store.database import Database

log = structlog.get_logger(__name__)


class NoteTaker:
    """Writes notes beside everything else. A note that is lost costs comfort: the session stands (S7)."""

    def __init__(self, *, database: Database, host: Host, add_reply: AddReply, notices: Notices) -> None:
        self._database = database
        self._host = host
        self._add_reply = add_reply
        self._notices = notices
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, reopened: Reopened, place: Place, thread: str, reply_to: str | None) -> None:
        """Begin; returns at once."""
        task = asyncio.create_task(self._say(reopened, place, thread, reply_to), name="hand-over note")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _say(self, reopened: Reopened, place: Place, thread: str, reply_to: str | None) -> None:
        try:
            note = await self._host.write_note(reopened)
            text = self._notices.say("reopen.note", note=note) if note else self._notices.say("reopen.no_note")
            say = partial(
                self._add_reply,
                channel_id=place.rules.id,
                chat_id=place.chat.id,
                thread=thread,
                session_id=reopened.fresh.id,
                text=text,
                reply_to=reply_to,
            )
            await self._database.write(say)
        except Exception:
            log.exception("A hand-over note could not be said", session=reopened.fresh.id)
