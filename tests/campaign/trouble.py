"""What a platform does wrong in a case: one call of some method fails, or everything is down for a while."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["busy", "busy_bare", "status", "cut_before", "cut_after", "garbage", "hang", "outage"]

_WEIGHTS: Mapping[Kind, int] = {
    "busy": 3,
    "busy_bare": 2,
    "status": 3,
    "cut_before": 3,
    "cut_after": 4,
    "garbage": 3,
    "hang": 2,
    "outage": 1,
}
_STATUSES = (500, 502, 503, 504)
_LONG_OUTAGE = 0.1
"""How many of the outages last for a minute or two."""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """One fault. `method` is the platform's, `skip` lets so many of its calls pass before it.

    `busy` is 429 with a Retry-After of `seconds`, `busy_bare` without; `status` a bare 5xx (`code`); the two cuts are
    before and after the call was executed; `garbage` an executed call with an unreadable answer; `hang` an executed
    call whose answer takes `seconds`; `outage` begins after `skip` tenths of a second and lasts for `seconds`.
    """

    kind: Kind
    method: str
    skip: int
    code: int
    seconds: float


def draw_troubles(dice: random.Random, methods: Sequence[str], most: int = 8) -> tuple[Trouble, ...]:
    """One to `most` of them, in the order in which they are put into the script."""
    return tuple(_draw(dice, dice.choice(methods)) for _ in range(dice.randint(1, most)))


def opens_after(seconds: float) -> asyncio.Event:
    """What a hanging call waits for."""
    gate = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, gate.set)
    return gate


def _draw(dice: random.Random, method: str) -> Trouble:
    (kind,) = dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))
    is_long = kind == "outage" and dice.random() < _LONG_OUTAGE
    seconds = dice.uniform(60.0, 120.0) if is_long else dice.uniform(0.5, 3.0)
    return Trouble(kind=kind, method=method, skip=dice.randint(0, 3), code=dice.choice(_STATUSES), seconds=seconds)
