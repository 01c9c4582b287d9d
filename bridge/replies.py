"""Replies: what the bridge itself answers to a command or a stranger, straight into the outbox."""

import uuid
from collections.abc import Callable

from bridge.notices import Notices
from bridge.outgoing import Draft, enqueue
from bridge.presenter import split
from channels.types import Action, Limits, OutboundMessage, Speaker
from host.lanes import Lanes
from store.database import Transaction


def new_id() -> str:
    return str(uuid.uuid4())


def no_limits(_channel_id: str) -> Limits:
    return Limits()


async def add_reply(
    tx: Transaction,
    *,
    lanes: Lanes,
    notices: Notices,
    channel_id: str,
    chat_id: str,
    thread: str = "",
    session_id: str = "",
    text: str,
    reply_to: str | None = None,
    actions: tuple[Action, ...] = (),
    fresh: bool = False,
    limits_of: Callable[[str], Limits] = no_limits,
    new_id: Callable[[], str] = new_id,
) -> tuple[OutboundMessage, ...]:
    """Answer in the chat with `text`, as kind `reply` of the system; the numbered messages (several if it is long).

    `actions` are buttons under the last of them; `fresh`: a new session begins with the first. `session_id` is "" where
    no session is concerned (pairing); an empty text is no message.
    """
    if not text.strip():
        return ()
    speaker = Speaker(id="system", name=notices.say("speaker.system"), role="system")
    drafts = [
        Draft(
            message=OutboundMessage(
                delivery_id=new_id(),
                channel_id=channel_id,
                chat_id=chat_id,
                thread=thread,
                session_id=session_id,
                seq=0,
                kind=piece.kind,
                speaker=speaker,
                text=piece.text,
                display_text=piece.display_text,
                created_at=tx.now,
                label=piece.label,
                reply_to=reply_to or None,
                part=piece.part,
                parts=piece.parts,
                actions=actions if piece.part == piece.parts else (),
                fresh=fresh and piece.part == 1,
            )
        )
        for piece in split(text, kind="reply", speaker=speaker, label="", limits=limits_of(channel_id))
    ]
    return await enqueue(tx, drafts, lanes)
