"""Updates, from Telegram to `accept`: fetched in long polls, or brought to a hook. Acknowledged when durable.

The offset of the next getUpdates confirms everything below it, so it moves only behind what was accepted; nothing is
confirmed by anything else, and a restart simply gets the last batch again.
"""

import hmac
import json
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import structlog
from telegram.error import Conflict, InvalidToken, TelegramError, TimedOut

from channels.clock import Clock
from channels.errors import NotJson, Unprocessable, Unverified
from channels.telegram.api import Api
from channels.telegram.connect import drop_hook
from channels.telegram.faults import Pause
from channels.telegram.parse import WANTED
from channels.types import ChannelState, HookRequest

log = structlog.get_logger(__name__)

Trouble = Literal["flood", "timeout", "conflict", "auth", "network", "store", "bug"]
Accept = Callable[[Mapping[str, Any]], Awaitable[None]]
"""Takes one raw update in durably. Raises store faults: then it is not confirmed."""

SIGNED_WITH: Final = "x-telegram-bot-api-secret-token"

_PAUSES: Final[dict[Trouble, float]] = {
    "flood": 0.5,
    "timeout": 0.5,
    "conflict": 3.0,
    "auth": 2.0,
    "network": 1.0,
    "store": 1.0,
    "bug": 1.0,
}
"""Seconds after the first trouble of a kind; half as much again each further time."""

_LONGEST: Final[dict[Trouble, float]] = {"conflict": 15.0, "store": 15.0}
_LONGEST_PAUSE: Final = 60.0
_RENEW_AFTER: Final = 3
"""Failed rounds after which the connections are made anew."""

_WORDS: Final[dict[Trouble, str]] = {
    "flood": "Telegram asked for a pause",
    "timeout": "Telegram does not answer in time",
    "conflict": "another program reads this bot's messages; only one may",
    "auth": "Telegram does not accept the token (401 or 404)",
    "network": "Telegram cannot be reached",
    "store": "events cannot be stored",
    "bug": "receiving failed; see the log",
}


class NotStored(Exception):
    """`accept` failed: the cause says why."""


@dataclass(frozen=True, kw_only=True)
class Setback:
    """What is wrong now, and for how many rounds."""

    trouble: Trouble
    times: int = 1
    least: float = 0.0

    def pause(self, jitter: float) -> float:
        longest = _LONGEST.get(self.trouble, _LONGEST_PAUSE)
        grown = min(_PAUSES[self.trouble] * 1.5 ** min(self.times - 1, 20), longest)
        return self.least + grown * (0.8 + 0.4 * jitter)


class Poller:
    """Long polls for ever. Nothing that Telegram or a network does ends it."""

    def __init__(
        self, api: Api, accept: Accept, clock: Clock, *, seconds: int, jitter: Callable[[], float] = random.random
    ) -> None:
        self._api = api
        self._accept = accept
        self._clock = clock
        self._seconds = seconds
        self._jitter = jitter
        self._offset = 0
        self._setback: Setback | None = None

    def state(self) -> ChannelState:
        """Rounds are bounded, so a connection that died is known within a minute."""
        if self._setback is None:
            return ChannelState(connected=True)
        return ChannelState(connected=False, reason=_WORDS[self._setback.trouble])

    async def run(self) -> None:
        while True:
            self._setback = await self._round()
            if self._setback is not None:
                await self._recover(self._setback)

    async def _round(self) -> Setback | None:
        """One poll and all of its updates. After a trouble the poll is short: it tells whether the trouble is over."""
        try:
            updates = await self._api.updates(self._offset, list(WANTED), seconds=0 if self._setback else self._seconds)
            for update in updates:
                await self._take(update)
        except Exception as fault:
            return self._judged(fault)
        return None

    async def _take(self, update: object) -> None:
        number = update.get("update_id") if isinstance(update, Mapping) else None
        if not isinstance(number, int) or not isinstance(update, Mapping):
            raise TelegramError("an update without its number")
        try:
            await self._accept(update)
        except Exception as fault:
            raise NotStored from fault
        self._offset = number + 1

    def _judged(self, fault: Exception) -> Setback:
        trouble = _trouble_of(fault)
        before = self._setback
        times = before.times + 1 if before is not None and before.trouble == trouble else 1
        if trouble in ("bug", "store"):
            log.error("Updates could not be taken in", trouble=trouble, times=times, exc_info=fault)
        elif times in (1, 10, 100):
            log.warning(_WORDS[trouble], times=times, fault=type(fault).__name__)
        least = fault.seconds if isinstance(fault, Pause) else 0.0
        return Setback(trouble=trouble, times=times, least=least)

    async def _recover(self, setback: Setback) -> None:
        if setback.trouble == "conflict":
            await self._drop_hook()
        if setback.trouble in ("timeout", "network", "bug") and setback.times % _RENEW_AFTER == 0:
            await self._api.renew_polling()
        await self._clock.sleep(setback.pause(self._jitter()))

    async def _drop_hook(self) -> None:
        """A webhook that was set before keeps long polls out, and answers them like a second program."""
        try:
            await drop_hook(self._api)
        except Exception as fault:
            log.info("The webhook could not be removed", fault=type(fault).__name__)


def _trouble_of(fault: Exception) -> Trouble:
    table: tuple[tuple[type[Exception], Trouble], ...] = (
        (Pause, "flood"),
        (TimedOut, "timeout"),
        (TimeoutError, "timeout"),
        (Conflict, "conflict"),
        (InvalidToken, "auth"),
        (TelegramError, "network"),
        (NotStored, "store"),
    )
    return next((trouble for kind, trouble in table if isinstance(fault, kind)), "bug")


def verified_update(request: HookRequest, secret: str) -> Mapping[str, Any]:
    """The update in a webhook call. Raises Unverified, NotJson, Unprocessable: nothing is read before the secret."""
    told = request.headers.get(SIGNED_WITH, "")
    if not hmac.compare_digest(told.encode("utf-8", "surrogateescape"), secret.encode()):
        raise Unverified("the secret token is missing or wrong")
    try:
        update = json.loads(request.body)
    except (ValueError, RecursionError):
        raise NotJson("the body is not JSON") from None
    if not isinstance(update, dict):
        raise NotJson("the body is not a JSON object")
    if not isinstance(update.get("update_id"), int):
        raise Unprocessable("update_id", "is missing")
    return update
