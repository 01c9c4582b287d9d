"""People in the simulated workspace: they write, mention, press, use commands; and they see what the app wrote."""

import itertools
from collections.abc import Callable
from typing import Any

from tests.support.gate import DEADLINE
from tests.support.slack.server import Delivery, Slack
from tests.support.slack.state import BOT_USER, TEAM, Channel, Json, Message

_numbers = itertools.count(1001)
MENTION = f"<@{BOT_USER}>"


class Person:
    """Somebody in one conversation: their own direct messages with the app, unless a channel is given.

    `thread` is where they write and look; "" is the top. After `mention` it is the thread of that mention.
    """

    def __init__(
        self, slack: Slack, *, channel: Channel | None = None, user: str = "", name: str = "Ann", thread: str = ""
    ) -> None:
        self.slack = slack
        self.user = user or f"U{next(_numbers)}"
        self.name = name
        slack.users[self.user] = name
        self.channel = channel or slack.channel(f"D{self.user[1:]}", kind="im", user=self.user, name="")
        self.thread = thread
        self.sent: list[Delivery] = []

    @property
    def chat_id(self) -> str:
        return self.channel.id

    def say(self, text: str, **more: Any) -> str:
        """Write where the person is; the message's `ts`. A mention in a channel comes as two events."""
        message = self._write(text, more.pop("files", []))
        event = self._event(message) | more
        self.sent.append(self.slack.bring_event(event))
        if MENTION in text and self.channel.kind != "im":
            twin = {key: value for key, value in event.items() if key != "channel_type"} | {"type": "app_mention"}
            self.sent.append(self.slack.bring_event(twin))
        return message.ts

    def mention(self, text: str, **more: Any) -> str:
        """Call the app; from the top of a channel on, the person looks at the thread under it."""
        ts = self.say(f"{MENTION} {text}", **more)
        if self.channel.kind != "im":
            self.thread = self.thread or ts
        return ts

    def edit(self, ts: str, text: str) -> None:
        """Somebody corrects a message."""
        message = self.channel.find(ts)
        before = message.public()
        message.text = text
        event = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": self.slack.new_ts()}
        after = message.public() | {"edited": {"user": self.user, "ts": self.slack.new_ts()}}
        self.sent.append(self.slack.bring_event(event | self._where() | {"message": after, "previous_message": before}))

    def press(self, message: Message, label: str) -> Delivery:
        """A button under a message."""
        button = next(one for one in message.buttons if one["text"]["text"] == label)
        thread = {"thread_ts": message.thread_ts} if message.thread_ts else {}
        container = {"type": "message", "message_ts": message.ts, "channel_id": self.chat_id, "is_ephemeral": False}
        payload: Json = {
            "type": "block_actions",
            "user": {"id": self.user, "username": self.name.lower(), "name": self.name.lower(), "team_id": TEAM},
            "container": container | thread,
            "team": {"id": TEAM, "domain": "studio"},
            "channel": {"id": self.chat_id, "name": self.channel.name},
            "message": message.public(),
            "response_url": f"{self.slack.url}/back/{next(_numbers)}",
            "actions": [button | {"block_id": "b", "action_ts": f"{next(_numbers)}.000001"}],
        }
        return self.slack.bring("interactive", payload)

    def command(self, text: str) -> Delivery:
        """`/team …`; it has no thread and is no message."""
        number = next(_numbers)
        payload = {
            "token": "deprecated",
            "team_id": TEAM,
            "channel_id": self.chat_id,
            "channel_name": "directmessage" if self.channel.kind == "im" else self.channel.name,
            "user_id": self.user,
            "user_name": self.name.lower(),
            "command": "/team",
            "text": text,
            "api_app_id": "A111",
            "response_url": f"{self.slack.url}/back/{number}",
            "trigger_id": f"{number}.1.trigger",
        }
        return self.slack.bring("slash_commands", payload)

    def stop_stream(self, message: Message) -> Delivery:
        """The stop button of Slack's agent view."""
        message.state = "stopped"
        event = {"type": "agent_session_stopped", "user": self.user, "thread_ts": message.thread_ts}
        return self.slack.bring_event(event | {"channel": self.chat_id, "streaming_message_ts": [message.ts]})

    @property
    def heard(self) -> list[Message]:
        """What the app wrote where the person looks, in order."""
        here = self.channel.thread(self.thread) if self.thread else self.channel.top()
        return [message for message in here if message.by_app]

    def texts(self) -> list[str]:
        return [message.shown for message in self.heard]

    async def hears(self, done: int | Callable[[list[Message]], bool], within: float = DEADLINE) -> list[Message]:
        """Wait until there are so many messages of the app, or such ones."""
        enough = done if callable(done) else lambda messages: len(messages) >= done
        try:
            await self.slack.until(lambda _: enough(self.heard), within)
        except TimeoutError:
            raise AssertionError(f"waited in vain; heard only {self.texts()}") from None
        return self.heard

    async def hears_end(self, rounds: int = 1, label: str = "主持人总结", within: float = DEADLINE) -> list[Message]:
        """Wait until so many rounds are concluded."""

        def is_over(messages: list[Message]) -> bool:
            ends = [one for one in messages if label in one.shown and one.state != "in_progress"]
            return len(ends) >= rounds

        return await self.hears(is_over, within)

    async def acknowledged(self) -> None:
        """Wait until everything the person sent was acknowledged."""
        await self.slack.until(lambda _: all(one.acked for one in self.sent))

    def _write(self, text: str, files: list[Json]) -> Message:
        message = Message(ts=self.slack.new_ts(), text=text, user=self.user, thread_ts=self.thread, files=files)
        self.slack.show(self.channel, message)
        return message

    def _event(self, message: Message) -> Json:
        event: Json = {"client_msg_id": f"c{message.ts}", "type": "message", "text": message.text, "user": self.user}
        event |= {"ts": message.ts, "team": TEAM} | self._where()
        if message.thread_ts:
            event |= {"thread_ts": message.thread_ts, "parent_user_id": self._author_of(message.thread_ts)}
        return event | ({"subtype": "file_share", "files": message.files} if message.files else {})

    def _author_of(self, ts: str) -> str:
        parent = self.channel.messages[ts]
        return BOT_USER if parent.by_app else parent.user

    def _where(self) -> Json:
        return {"channel": self.chat_id, "channel_type": self.channel.kind}
