"""What an event leaves out, looked up before it is stored: the kind of chat, names, titles, what it quotes."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from channels.feishu.directory import Directory
from channels.feishu.parse import Heard, forwarded_text, quoted_text
from channels.feishu.raw import text, within
from channels.feishu.recent import Recent
from channels.feishu.wording import Wording
from channels.types import InboundEvent

LONGEST_QUOTE: Final = 1000


class Unplaced(Exception):
    """Nobody tells whether the chat is private, and what was asked depends on it."""


@dataclass(kw_only=True)
class _Known:
    """What the look-ups have brought so far."""

    name: str = ""
    title: str = ""
    quote: str = ""
    forwarded: str = ""
    is_ours: bool = False


class Completion:
    """Completes events of one app."""

    def __init__(self, directory: Directory, app_id: str, wording: Wording, *, look_up: float) -> None:
        self._look_up = look_up
        self._directory = directory
        self._app_id = app_id
        self._wording = wording
        self._ours: Recent[str, bool] = Recent()

    def sent(self, message_id: str) -> None:
        """This message is ours: who replies to it speaks to the bot."""
        if message_id:
            self._ours.put(message_id, True)

    async def complete(self, heard: Heard) -> InboundEvent:
        """The event as the bridge is told. Raises Unplaced."""
        event = await self._placed(heard)
        self._directory.meet(event.chat, event.sender.id)
        if event.kind != "message" or heard.pressed:
            return event
        known = _Known()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._look_up):
                await asyncio.gather(*self._look_ups(event, heard, known))
        return _told(event, known)

    async def _placed(self, heard: Heard) -> InboundEvent:
        """In the chat where it belongs: a menu names only the person."""
        event = heard.event
        if event.chat.id == event.sender.id:
            private = self._directory.private_chat(event.sender.id)
            return replace(event, chat=replace(event.chat, id=private)) if private else event
        if heard.is_chat_known:
            return event
        chat = await self._directory.chat(event.chat.id)
        if chat is None and heard.pressed:
            raise Unplaced("nobody tells whether the chat is private")
        return replace(event, chat=chat) if chat is not None else event

    def _look_ups(self, event: InboundEvent, heard: Heard, known: _Known) -> list[Awaitable[None]]:
        works: list[Awaitable[None]] = [self._name(event, known)]
        if event.chat.type == "group":
            works.append(self._title(event, known))
        if heard.parent:
            works.append(self._quotation(heard.parent, known))
        if heard.is_bundle:
            works.append(self._bundle(event, known))
        return works

    async def _name(self, event: InboundEvent, known: _Known) -> None:
        known.name = event.sender.name or await self._directory.name(event.sender.id)

    async def _title(self, event: InboundEvent, known: _Known) -> None:
        known.title = await self._directory.title(event.chat.id)

    async def _quotation(self, parent: str, known: _Known) -> None:
        known.is_ours = parent in self._ours
        for item in (await self._directory.messages(parent))[:1]:
            known.is_ours = known.is_ours or self._is_ours(item)
            known.quote = _quoted(quoted_text(item, self._wording))

    def _is_ours(self, item: Any) -> bool:
        return text(within(item, "sender").get("id")) == self._app_id

    async def _bundle(self, event: InboundEvent, known: _Known) -> None:
        known.forwarded = forwarded_text(await self._directory.messages(event.message_id), self._wording)


def _told(event: InboundEvent, known: _Known) -> InboundEvent:
    words = "\n".join(each for each in (known.quote, event.text, known.forwarded) if each)
    return replace(
        event,
        sender=replace(event.sender, name=known.name or event.sender.name),
        chat=replace(event.chat, title=known.title or event.chat.title),
        text=event.text if event.text.startswith("/") else words,
        mentioned=event.mentioned or known.is_ours,
    )


def _quoted(words: str) -> str:
    shown = words if len(words) <= LONGEST_QUOTE else f"{words[:LONGEST_QUOTE]}…"
    return "\n".join(f"> {line}" for line in shown.splitlines())
