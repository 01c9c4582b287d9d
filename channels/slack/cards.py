"""Task cards: each notice shows its job, and is marked in place when the member is done or has failed."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from channels.clock import Clock
from channels.slack.api import Api
from channels.slack.defuse import defuse, escape
from channels.slack.faults import Busy, SlackFault
from channels.slack.lookup import Lookup
from channels.slack.me import Me
from channels.slack.recent import Recent
from channels.slack.render import card
from channels.slack.words import Words
from channels.types import OutboundMessage

log = structlog.get_logger(__name__)

_KEPT: Final = 1000
_LONGEST_JOB: Final = timedelta(hours=2)
"""How far back the notice of a job is looked for after a restart."""

_TRIES: Final = 4


@dataclass(frozen=True, kw_only=True)
class _Mark:
    """The last word about a card."""

    chat_id: str
    ts: str
    job_id: str
    title: str
    status: str


class Cards:
    """The cards of one app. What is not known any more is found by its metadata."""

    def __init__(self, api: Api, lookup: Lookup, clock: Clock, words: Words) -> None:
        self._api = api
        self._lookup = lookup
        self._clock = clock
        self._words = words
        self._shown: Recent[str, str] = Recent(_KEPT)
        self._later: set[asyncio.Task[None]] = set()
        self._began = clock.monotonic()

    def keep(self, job_id: str, ts: str) -> None:
        """A card stands there now."""
        self._shown.put(job_id, ts)

    async def mark(self, message: OutboundMessage, me: Me) -> None:
        """The message says what came of its job. Never raises: what Slack refuses stays as it is."""
        is_last = message.part == message.parts
        if message.job_id is None or message.kind not in ("member", "failure") or not is_last:
            return
        try:
            if ts := self._shown.get(message.job_id) or await self._found(message, me):
                await self._update(self._verdict(message, message.job_id, ts))
        except SlackFault as fault:
            log.info("A task card could not be marked", job=message.job_id, reason=str(fault))

    async def close(self) -> None:
        for task in self._later:
            task.cancel()

    async def _found(self, message: OutboundMessage, me: Me) -> str:
        """The card of an earlier process; some time after the start there can be none any more."""
        if self._clock.monotonic() - self._began > _LONGEST_JOB.total_seconds():
            return ""
        return await self._lookup.notice(message, me, message.created_at - _LONGEST_JOB)

    def _verdict(self, message: OutboundMessage, job_id: str, ts: str) -> _Mark:
        words = self._words.failed if message.kind == "failure" else self._words.done
        return _Mark(
            chat_id=message.chat_id,
            ts=ts,
            job_id=job_id,
            title=words.format(name=message.speaker.name),
            status="error" if message.kind == "failure" else "complete",
        )

    async def _update(self, mark: _Mark) -> None:
        try:
            await self._show(mark)
        except Busy as busy:
            task = asyncio.create_task(self._show_later(mark, busy.retry_after), name=f"card {mark.job_id}")
            self._later.add(task)
            task.add_done_callback(self._later.discard)

    async def _show_later(self, mark: _Mark, seconds: float) -> None:
        for _ in range(_TRIES):
            await self._clock.sleep(seconds)
            try:
                return await self._show(mark)
            except Busy as busy:
                seconds = busy.retry_after
            except SlackFault as fault:
                log.info("A task card could not be marked", job=mark.job_id, reason=str(fault))
                return None
        return None

    async def _show(self, mark: _Mark) -> None:
        title = defuse(mark.title)
        blocks = [card(job_id=mark.job_id, title=title, status=mark.status)]
        await self._api.call("chat.update", mark.chat_id, ts=mark.ts, text=escape(title), blocks=blocks)
        self._shown.drop(mark.job_id)
