"""What an event does not tell: names, titles, and what was said in a thread before. Asked for briefly, then remembered.

An event must be stored and acknowledged within three seconds, so whatever Slack does not say in time is left out; the
answer is remembered when it comes, for the next event.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

import structlog

from channels.clock import Clock
from channels.slack.api import Api, pages
from channels.slack.content import name_people, read_text, words_of
from channels.slack.faults import Doubt, Refusal, SlackFault
from channels.slack.me import Me
from channels.slack.parse import Heard
from channels.slack.recent import Recent
from channels.slack.words import Words
from channels.types import InboundEvent

log = structlog.get_logger(__name__)
T = TypeVar("T")

KEPT: Final = 6 * 3600.0
"""Seconds that a name or a title holds."""

KEPT_FAULT: Final = 60.0
"""Seconds until something that Slack did not tell is asked for again."""

MOST_LINES: Final = 50
LONGEST_LINE: Final = 500
_MOST_PAGES: Final = 5
_MOST_PEOPLE: Final = 20
_MOST_KEPT: Final = 5000


class Directory:
    """Completes events. Knows what it was told lately, and nothing for ever."""

    def __init__(self, api: Api, clock: Clock, words: Words, patience: float) -> None:
        self._api = api
        self._clock = clock
        self._words = words
        self._patience = patience
        self._known: Recent[tuple[str, str], tuple[float, str]] = Recent(_MOST_KEPT)
        self._asking: dict[tuple[str, str], asyncio.Task[str]] = {}
        self._called_into: Recent[tuple[str, str], bool] = Recent(_MOST_KEPT)
        self._spoke_in: Recent[tuple[str, str], str] = Recent(_MOST_KEPT)
        self._is_agent: bool | None = None

    @property
    def is_agent(self) -> bool:
        """Whether the app has Slack's agent view, as far as is known."""
        return bool(self._is_agent)

    def saw_agent_view(self) -> None:
        """An event came that only apps with the agent view get."""
        self._is_agent = True

    async def complete(self, heard: Heard, me: Me) -> InboundEvent:
        """The event with names, the chat's title, and its thread."""
        event = heard.event
        if heard.by_agent_view:
            self.saw_agent_view()
        people = list(dict.fromkeys((event.sender.id, *heard.people)))[:_MOST_PEOPLE] if event.sender.id else []
        names, title, context, is_agent = await asyncio.gather(
            self._in_time(self.names(people), {}),
            self._in_time(self._title(event), ""),
            self._in_time(self._context(heard, me), ()),
            self._in_time(self._has_agent_view(heard, me), False),
        )
        sender = replace(event.sender, name=names.get(event.sender.id) or event.sender.name)
        complete = replace(
            event,
            text=name_people(event.text, names),
            sender=sender,
            chat=replace(event.chat, title=title or (sender.name if event.chat.type == "private" else "")),
            thread=event.message_id if heard.is_root and is_agent else event.thread,
            context=context,
        )
        return self._placed(complete, has_thread=not heard.is_command)

    def _placed(self, event: InboundEvent, *, has_thread: bool) -> InboundEvent:
        """A slash command has no thread: it means the one in which this person last spoke to the app there."""
        place = (event.chat.id, event.sender.id)
        if not has_thread:
            return replace(event, thread=self._spoke_in.get(place) or "")
        if event.mentioned or event.chat.type == "private":
            self._spoke_in.put(place, event.thread)
        return event

    async def names(self, people: Iterable[str]) -> Mapping[str, str]:
        """User id → name; "" for whom Slack does not tell."""
        wanted = list(people)
        found = await asyncio.gather(*(self._told("user", user, self._ask_name) for user in wanted))
        return dict(zip(wanted, found, strict=True))

    async def probe(self, chat_id: str) -> bool:
        """Whether this is the agent view: only there Slack takes prompts without a thread (or fails within)."""
        prompts = [{"title": prompt[:75], "message": prompt} for prompt in self._words.prompts.splitlines()[:4]]
        try:
            await self._api.call("assistant.threads.setSuggestedPrompts", channel_id=chat_id, prompts=prompts)
            self._is_agent = True
        except Doubt as doubt:
            if "internal_error" in str(doubt):
                self._is_agent = True
        except Refusal:
            self._is_agent = False
        except SlackFault as fault:
            log.info("It is not known whether the app has the agent view", reason=str(fault))
        return self.is_agent

    async def close(self) -> None:
        for task in self._asking.values():
            task.cancel()

    async def _in_time(self, work: Awaitable[T], otherwise: T) -> T:
        try:
            async with asyncio.timeout(self._patience):
                return await work
        except (TimeoutError, SlackFault) as fault:
            log.info("Slack did not tell something about an event in time", reason=str(fault) or "too slow")
            return otherwise

    async def _title(self, event: InboundEvent) -> str:
        return "" if event.chat.type == "private" else await self._told("chat", event.chat.id, self._ask_title)

    async def _told(self, kind: str, key: str, ask: Callable[[str], Awaitable[str]]) -> str:
        """What is known, or what Slack says; one question at a time for each thing."""
        known = self._known.get((kind, key))
        if known is not None and known[0] > self._clock.monotonic():
            return known[1]
        task = self._asking.get((kind, key))
        if task is None:
            task = asyncio.create_task(self._learn((kind, key), ask), name=f"ask {kind} {key}")
            self._asking[kind, key] = task
        return await asyncio.shield(task)

    async def _learn(self, key: tuple[str, str], ask: Callable[[str], Awaitable[str]]) -> str:
        try:
            told = await ask(key[1])
        except SlackFault as fault:
            log.info("Slack did not tell a name", kind=key[0], reason=str(fault))
            told = ""
        finally:
            self._asking.pop(key, None)
        self._known.put(key, (self._clock.monotonic() + (KEPT if told else KEPT_FAULT), told))
        return told

    async def _ask_name(self, user: str) -> str:
        found = (await self._api.call("users.info", user=user)).get("user") or {}
        profile = found.get("profile") or {}
        return str(profile.get("display_name") or profile.get("real_name") or found.get("name") or "")

    async def _ask_title(self, chat: str) -> str:
        found = (await self._api.call("conversations.info", chat)).get("channel") or {}
        return "" if found.get("is_mpim") else str(found.get("name") or "")

    async def _has_agent_view(self, heard: Heard, me: Me) -> bool:
        """Asked only where it matters: at the first message at the top of a private chat."""
        if not heard.is_root or "assistant:write" not in me.scopes:
            return False
        return await self.probe(heard.event.chat.id) if self._is_agent is None else self._is_agent

    async def _context(self, heard: Heard, me: Me) -> tuple[str, ...]:
        """The thread so far, where the app is called into it for the first time."""
        event = heard.event
        place = (event.chat.id, event.thread)
        if not heard.calls_in or place in self._called_into:
            return ()
        before = [message async for message in self._thread(event) if str(message.get("ts", "")) < event.message_id]
        self._called_into.put(place, True)
        if any(me.wrote(message) for message in before):
            return ()
        return await self._lines(before[-MOST_LINES:], me)

    def _thread(self, event: InboundEvent) -> Any:
        return pages(
            self._api,
            "conversations.replies",
            event.chat.id,
            _MOST_PAGES,
            ts=event.thread,
            latest=event.message_id,
        )

    async def _lines(self, messages: list[Mapping[str, Any]], me: Me) -> tuple[str, ...]:
        said = [(message, read_text(words_of(message), me.user_id)) for message in messages]
        authors = [str(message.get("user") or "") for message in messages]
        people = dict.fromkeys(author for author in authors if author)
        named = dict.fromkeys(user for _, spoken in said for user in spoken.people)
        names = await self.names(list(people | named)[:_MOST_PEOPLE])
        lines = (
            _line(_author(message, names), name_people(spoken.text, names)) for message, spoken in said if spoken.text
        )
        return tuple(lines)


def _author(message: Mapping[str, Any], names: Mapping[str, str]) -> str:
    user = str(message.get("user") or "")
    shown = names.get(user) or message.get("username") or (message.get("bot_profile") or {}).get("name")
    return str(shown or user or "?")


def _line(author: str, text: str) -> str:
    shown = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"
    return f"{author}: {shown}"
