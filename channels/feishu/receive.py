"""A verified event → taken in durably, in the order of its chat, and answered in time."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Never

import structlog

from channels.base import Emit
from channels.errors import NotJson
from channels.feishu.complete import Completion
from channels.feishu.me import Me
from channels.feishu.parse import Heard, Ignored, Parsed, parse, type_of
from channels.feishu.turnstile import Turnstile
from channels.feishu.wording import Wording

log = structlog.get_logger(__name__)

MOST_AT_ONCE: Final = 1000
"""Events under way; beyond them the platform must come again, or a store that hangs would fill the memory."""

ENDING: Final = 1.0
"""Seconds that events under way get when the channel stops."""

_MALFORMED: Final = Ignored(reason="malformed")


class NotTaken(Exception):
    """The event is not stored: the platform must bring it again."""


class Receiver:
    """Where both ways in, the long connection and the webhook, bring their events.

    `identify` waits until it is known who the bot is; an event must be answered `in_time` (seconds).
    """

    def __init__(
        self,
        *,
        channel_id: str,
        emit: Emit,
        me: Callable[[], Me],
        identify: Callable[[], Awaitable[Me]],
        completion: Completion,
        wording: Wording,
        in_time: float,
    ) -> None:
        self._in_seconds = in_time
        self.emit = emit
        self._channel_id = channel_id
        self._me = me
        self._identify = identify
        self._completion = completion
        self._wording = wording
        self._turns = Turnstile()
        self._works: set[asyncio.Task[None]] = set()

    async def take(self, body: bytes) -> Mapping[str, Any]:
        """Take in an event of the platform; what to answer (an empty object but for buttons).

        Raises NotJson, and NotTaken if it is not durable in time: it may become so a little later, and then its copy
        is recognised. Something that cannot be understood is recorded and done with.
        """
        payload = read_object(body)
        if not type_of(payload):
            raise NotJson("the body is no event")
        parsed = self._parse(payload, self._me())
        if isinstance(parsed, Ignored):
            return {}
        await self._in_time(payload, parsed)
        return {"toast": {"type": "info", "content": self._wording.pressed}} if parsed.pressed else {}

    async def close(self) -> None:
        """What is being taken in gets a moment to be stored."""
        if self._works:
            await asyncio.wait(self._works, timeout=ENDING)
        for work in self._works:
            work.cancel()

    def _parse(self, payload: Mapping[str, Any], me: Me) -> Parsed:
        """An event that our own code cannot read would be brought again and again: it is recorded here."""
        try:
            parsed = parse(payload, me, self._wording)
        except Exception:
            log.exception("An event could not be read", channel=self._channel_id, type=type_of(payload))
            return _MALFORMED
        if isinstance(parsed, Ignored):
            log.debug("An event is not for us", channel=self._channel_id, type=type_of(payload), reason=parsed.reason)
        return parsed

    async def _in_time(self, payload: Mapping[str, Any], heard: Heard) -> None:
        """What takes too long goes on, but the platform is told to come again."""
        if len(self._works) >= MOST_AT_ONCE:
            raise NotTaken("too many events are being taken in")
        accept = partial(self._accept, payload, heard)
        work = asyncio.create_task(self._turns.pass_through(heard.event.chat.id, accept))
        self._works.add(work)
        work.add_done_callback(self._works.discard)
        done, _ = await asyncio.wait((work,), timeout=self._in_seconds)
        if not done:
            work.add_done_callback(self._note)
            raise NotTaken("it took too long")
        if (fault := work.exception()) is not None:
            self._note(work)
            raise NotTaken(type(fault).__name__) from fault

    async def _accept(self, payload: Mapping[str, Any], heard: Heard) -> None:
        if heard.needs_me:
            again = self._parse(payload, await self._identify())
            if isinstance(again, Ignored):
                return
            heard = again
        await self.emit(await self._completion.complete(heard))

    def _note(self, work: "asyncio.Task[None]") -> None:
        if not work.cancelled() and (fault := work.exception()) is not None:
            log.warning("An event was not taken in", channel=self._channel_id, reason=repr(fault)[:300])


def read_object(body: bytes) -> Mapping[str, Any]:
    """The JSON object in a body. Raises NotJson."""
    try:
        value = json.loads(body.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise NotJson("the body is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise NotJson("the body is not a JSON object")
    return value


def _refuse(constant: str) -> Never:
    raise ValueError(constant)  # NaN and Infinity are Python's, not JSON's
