"""Chats: the places on a platform, each with the counter of its messages. Bindings: the session a place speaks to."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import JSON, bindparam, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.prepared import Prepared
from store.sessions import Session

OUTER: Final = ("room", "direct")
"""The kinds of session that a chat may speak to."""


class Chat(Row):
    """One chat of one channel. `id` is the platform's; `type` private or group; `seq` the number of its last delivery.

    `served` is an approval given to a group in the chat, the console or on the command line (the file's
    `allow_chats` is not written here). The pairing fields are those of Person. `moved_to` is the id under which the
    platform goes on with the chat.
    """

    __tablename__ = "chats"

    channel_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    type: Mapped[str]
    created_at: Mapped[datetime]
    title: Mapped[str] = mapped_column(default="")
    served: Mapped[bool] = mapped_column(default=False)
    seq: Mapped[int] = mapped_column(default=0)
    pairing_code: Mapped[str | None] = mapped_column(default=None, index=True)
    code_made_at: Mapped[datetime | None] = mapped_column(default=None)
    code_told_at: Mapped[datetime | None] = mapped_column(default=None)
    first_message: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), default=None)
    moved_to: Mapped[str | None] = mapped_column(default=None)


class Binding(Row):
    """The session that (channel, chat, thread) speaks to now; `thread` is "" outside threads."""

    __tablename__ = "bindings"

    channel_id: Mapped[str] = mapped_column(primary_key=True)
    chat_id: Mapped[str] = mapped_column(primary_key=True)
    thread: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(index=True)
    bound_at: Mapped[datetime]


async def find_chat(tx: Transaction, channel_id: str, chat_id: str) -> Chat | None:
    return await tx.get(Chat, channel_id, chat_id)


async def hold_chat(tx: Transaction, channel_id: str, chat_id: str) -> Chat | None:
    """The chat, held by this transaction until it ends."""
    return await tx.orm.get(Chat, (channel_id, chat_id), with_for_update=True, populate_existing=True)


async def list_chats(tx: Transaction, channel_id: str, limit: int = 500) -> list[Chat]:
    """The channel's chats, newest first."""
    query = select(Chat).where(Chat.channel_id == channel_id).order_by(Chat.created_at.desc(), Chat.id).limit(limit)
    return list(await tx.orm.scalars(query))


async def chat_by_code(
    tx: Transaction, code: str, *, made_after: datetime, channel_id: str | None = None
) -> Chat | None:
    """The group whose code this is, if it was made after that time (in that channel); held until the end."""
    query = select(Chat).where(Chat.pairing_code == code, Chat.code_made_at > made_after, Chat.served.is_(False))
    if channel_id is not None:
        query = query.where(Chat.channel_id == channel_id)
    return (await tx.orm.scalars(query.order_by(Chat.created_at).limit(1).with_for_update())).first()


async def count_pending_chats(tx: Transaction, channel_id: str) -> int:
    """How many groups of the channel wait with a code."""
    waiting = Chat.channel_id == channel_id, Chat.pairing_code.is_not(None), Chat.served.is_(False)
    return (await tx.orm.scalar(select(func.count()).select_from(Chat).where(*waiting))) or 0


async def add_chat(tx: Transaction, chat: Chat) -> Chat:
    return await tx.add(chat)


async def describe_chat(tx: Transaction, chat: Chat, *, kind: str, title: str) -> None:
    """What the platform says about the chat by now."""
    chat.type, chat.title = kind, title


async def give_chat_code(tx: Transaction, chat: Chat, code: str, first_message: dict[str, Any] | None) -> None:
    chat.pairing_code, chat.code_made_at, chat.code_told_at = code, tx.now, None
    chat.first_message = first_message


async def tell_chat_code(tx: Transaction, chat: Chat) -> None:
    """The code is being told now."""
    chat.code_told_at = tx.now


async def serve_chat(tx: Transaction, chat: Chat) -> dict[str, Any] | None:
    """The group is served; the message that waited for this, handed out once."""
    waiting, chat.first_message = chat.first_message, None
    chat.served, chat.pairing_code = True, None
    return waiting


async def release_expired_chats(tx: Transaction, channel_id: str, *, made_before: datetime) -> None:
    """Groups whose code was made up to that time wait no longer."""
    expired = Chat.channel_id == channel_id, Chat.pairing_code.is_not(None), Chat.code_made_at <= made_before
    forgotten: dict[str, Any] = {"pairing_code": None, "first_message": None}
    await tx.orm.execute(update(Chat).where(*expired).values(forgotten))


async def find_binding(tx: Transaction, channel_id: str, chat_id: str, thread: str) -> Binding | None:
    return await tx.get(Binding, channel_id, chat_id, thread)


async def bind(tx: Transaction, channel_id: str, chat_id: str, thread: str, session_id: str) -> None:
    """The place speaks to this session from now on."""
    found = await find_binding(tx, channel_id, chat_id, thread)
    if found is not None:
        found.session_id, found.bound_at = session_id, tx.now
        return
    place = {"channel_id": channel_id, "chat_id": chat_id, "thread": thread}
    await tx.add(Binding(**place, session_id=session_id, bound_at=tx.now))


async def latest_session(tx: Transaction, *, principal: str, session_keys: Sequence[str]) -> Session | None:
    """The session that this principal opened last under one of these keys."""
    query = select(Session).where(Session.principal == principal, Session.session_key.in_(session_keys))
    query = query.where(Session.kind.in_(OUTER)).order_by(Session.created_at.desc(), Session.id)
    return (await tx.orm.scalars(query.limit(1))).first()


async def sessions_of_principal(
    tx: Transaction, *, app_id: str, principal: str, archived: bool, limit: int
) -> list[Session]:
    """The sessions that a person or a group has in this channel, newest first; archived ones only when asked for."""
    query = select(Session).where(Session.app_id == app_id, Session.principal == principal)
    query = query.where(Session.kind.in_(OUTER), Session.deleted_at.is_(None))
    if not archived:
        query = query.where(Session.status == "ACTIVE")
    return list(await tx.orm.scalars(query.order_by(Session.updated_at.desc(), Session.id.desc()).limit(limit)))


async def move_chat(tx: Transaction, channel_id: str, old: str, new: str, *, served: bool) -> None:
    """The platform goes on with the chat under another id: record, bindings and numbers come along."""
    before = await hold_chat(tx, channel_id, old)
    after = await hold_chat(tx, channel_id, new)
    if after is None:
        kind, title = (before.type, before.title) if before is not None else ("group", "")
        after = await add_chat(tx, Chat(channel_id=channel_id, id=new, type=kind, title=title, created_at=tx.now))
    if before is None:
        before = await add_chat(tx, Chat(channel_id=channel_id, id=old, type=after.type, created_at=tx.now))
    before.moved_to = new
    after.served, after.seq = after.served or before.served or served, max(after.seq, before.seq)
    for binding in await bindings_of(tx, channel_id, old):
        if await find_binding(tx, channel_id, new, binding.thread) is None:
            await bind(tx, channel_id, new, binding.thread, binding.session_id)
    for session in await sessions_of_principal_now(tx, f"chat:{channel_id}:{old}"):
        session.principal = f"chat:{channel_id}:{new}"
        session.session_key = session.session_key.replace(f":{channel_id}:{old}", f":{channel_id}:{new}", 1)
    await tx.orm.flush()


async def sessions_of_principal_now(tx: Transaction, principal: str) -> list[Session]:
    """Every session whose principal is exactly this one, whatever its state."""
    return list(await tx.orm.scalars(select(Session).where(Session.principal == principal)))


async def bindings_of(tx: Transaction, channel_id: str, chat_id: str) -> list[Binding]:
    """The sessions that the chat and its threads speak to now."""
    query = select(Binding).where(Binding.channel_id == channel_id, Binding.chat_id == chat_id)
    return list(await tx.orm.scalars(query))


_MOVED: Prepared[tuple[str, str, str]] = Prepared(
    select(Chat.channel_id, Chat.id, Chat.moved_to).where(Chat.id.in_(bindparam("ids")), Chat.moved_to.is_not(None))
)


async def moved_chats(tx: Transaction, places: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Those of the (channel, chat) places that go on under another id, with that id."""
    found = await tx.rows(_MOVED, ids=sorted({chat_id for _, chat_id in places}))
    return {(channel, old): new for channel, old, new in found if (channel, old) in places}


async def rebind(tx: Transaction, old: str, new: str) -> None:
    """Every place that spoke to the old session speaks to the new one."""
    await tx.orm.execute(update(Binding).where(Binding.session_id == old).values(session_id=new, bound_at=tx.now))
