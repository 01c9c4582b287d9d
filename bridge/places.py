"""The place an event came from: its durable record, and who speaks there."""

from dataclasses import dataclass

from bridge.gate import ChannelRules
from channels import types
from store.chats import Chat, add_chat, describe_chat
from store.database import Transaction
from store.people import Person


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where somebody speaks: the session that answers there depends on nothing else."""

    rules: ChannelRules
    chat: types.Chat
    thread: str
    person: Person

    @property
    def principal(self) -> str:
        """Who acts: the person in a private chat, the chat itself in a group; never the owner (X2)."""
        if self.chat.type == "private":
            return f"person:{self.person.id}"
        return f"chat:{self.rules.id}:{self.chat.id}"

    def session_key(self, *, is_team: bool) -> str:
        """`dm:` for an expert's private chats, `chat:` for everything else."""
        kind = "dm" if self.chat.type == "private" and not is_team else "chat"
        thread = f":{self.thread}" if self.thread else ""
        return f"{kind}:{self.rules.id}:{self.chat.id}{thread}"


async def visit(tx: Transaction, found: Chat | None, *, channel_id: str, chat: types.Chat) -> Chat:
    """The chat's record as the platform describes it by now; `found` is the stored one."""
    if found is None:
        fresh = Chat(channel_id=channel_id, id=chat.id, type=chat.type, title=chat.title, created_at=tx.now)
        return await add_chat(tx, fresh)
    title = chat.title or found.title
    if (found.type, found.title) != (chat.type, title):
        await describe_chat(tx, found, kind=chat.type, title=title)
    return found
