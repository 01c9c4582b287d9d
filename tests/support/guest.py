"""A person in a chat of a webhook channel: what they send, and what their chat has got."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from aiohttp import ClientSession

from tests.support import signing
from tests.support.callback import Message, Receiver
from tests.support.gate import DEADLINE
from tests.support.keys import secret_of
from tests.support.signing import Reply


class Guest:
    """Speaks in one chat (and thread) as one sender. Everything is signed unless a test says otherwise."""

    def __init__(
        self,
        http: ClientSession,
        receiver: Receiver,
        url: str,
        *,
        chat_id: str = "",
        sender: str = "u1",
        channel: str = "hook",
        chat_type: str = "private",
        thread: str | None = None,
    ) -> None:
        self.http = http
        self.receiver = receiver
        self.hook = f"{url}/hooks/{channel}"
        self.channel = channel
        self.chat_id = chat_id or f"chat-{uuid4().hex[:8]}"
        self.sender = sender
        self.chat_type = chat_type
        self.thread = thread
        self.secret = secret_of(channel)

    def body(self, text: str, **more: Any) -> dict[str, Any]:
        """The contract's JSON for one message of this person."""
        chat = {"id": self.chat_id, "type": self.chat_type}
        body: dict[str, Any] = {"chat": chat, "sender": {"id": self.sender, "name": f"人 {self.sender}"}, "text": text}
        return body | ({"thread": self.thread} if self.thread else {}) | more

    async def send(self, text: str, *, message: str = "", wait: int | None = None, **more: Any) -> Reply:
        """Send a message and read the answer, whatever it is; `message` is the `webhook-id`, a new one unless given."""
        prefer = {} if wait is None else {"Prefer": f"wait={wait}"}
        body = self.body(text, **more)
        return await signing.post(self.http, self.hook, body, secret=self.secret, message_id=message, more=prefer)

    async def say(self, text: str, **more: Any) -> Reply:
        """Send a message that must be accepted."""
        reply = await self.send(text, **more)
        assert reply.status in (200, 202), (reply.status, reply.body)
        return reply

    @property
    def heard(self) -> list[Message]:
        """What this chat has got so far, in the order of its arrival."""
        return self.receiver.of(self.chat_id, self.channel)

    def told(self) -> list[tuple[str, str]]:
        return [message.brief() for message in self.heard]

    async def hears(self, done: int | Callable[[list[Message]], bool], within: float = DEADLINE) -> list[Message]:
        """Wait until this chat has got so many messages, or such ones."""
        enough = done if callable(done) else lambda messages: len(messages) >= done
        try:
            await self.receiver.until(lambda _: enough(self.heard), within)
        except TimeoutError:
            raise AssertionError(f"waited in vain; heard only {[m.display_text for m in self.heard]}") from None
        return self.heard

    async def hears_end(self, rounds: int = 1, within: float = DEADLINE) -> list[Message]:
        """Wait until so many rounds have ended with a wrap-up or a failure of the host."""
        return await self.hears(lambda messages: len([m for m in messages if _ends(m)]) >= rounds, within)


def _ends(message: Message) -> bool:
    return message.kind == "wrapup" or (message.kind == "failure" and message.role == "host")
