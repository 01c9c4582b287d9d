"""Questions with buttons: once somebody has answered, the message says so and its buttons are gone. Beauty only."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import structlog

from bridge.outgoing import load_message
from bridge.publisher import delivery_id
from channels.base import CanEdit, Channel
from channels.types import OutboundMessage
from host.values import Writing
from store.database import Database
from store.events import Event
from store.outbox import find_delivery

log = structlog.get_logger(__name__)


class Questions:
    """Implements `host.values.Live`. What cannot be changed, or a crash forgot, is answered when it is pressed."""

    def __init__(self, database: Database, find: Callable[[str], Channel | None]) -> None:
        self._database = database
        self._find = find
        self._tasks: set[asyncio.Task[None]] = set()

    def delta(self, writing: Writing, offset: int, text: str) -> None:
        """Words are shown elsewhere."""

    def emitted(self, session_id: str, events: Sequence[Event]) -> None:
        for event in events:
            if event.origin is not None and "question" in event.data:
                task = asyncio.create_task(self._close(event), name=f"question {event.id}")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """The program ends: what is still open stays so."""
        for task in self._tasks:
            task.cancel()

    async def _close(self, event: Event) -> None:
        assert event.origin is not None
        channel = self._find(event.origin.channel_id)
        if not isinstance(channel, CanEdit):
            return
        try:
            asked = delivery_id(str(event.data["question"]), 1)
            sent = await self._database.read(partial(find_delivery, delivery_id=asked))
            if sent is not None and sent.platform_id:
                await channel.edit(_answered(load_message(sent.message), event.text), sent.platform_id)
        except Exception:
            log.exception("A question could not be closed", channel=event.origin.channel_id)


def _answered(question: OutboundMessage, outcome: str) -> OutboundMessage:
    """The question with what came of it, and nothing to press."""
    text, shown = f"{question.text}\n\n{outcome}", f"{question.display_text}\n\n{outcome}"
    return replace(question, text=text, display_text=shown, actions=(), again=False)
