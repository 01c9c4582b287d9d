"""What the platform does wrong on purpose, call by call."""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tests.support.feishu.answers import Refusal

Kind = Literal["refuse", "status", "cut_before", "cut_after", "hang_after", "garbage", "endless", "hold"]


@dataclass(kw_only=True)
class Fault:
    """`*_after`: the call was executed, its answer is lost. `chat` limits it to one chat, "" to none; `skip` lets so
    many calls pass before."""

    kind: Kind
    refusal: Refusal | None = None
    status: int = 502
    chat: str = ""
    skip: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)


def refuse(code: int, message: str = "", *, status: int = 400, headers: Mapping[str, str] | None = None) -> Fault:
    return Fault(kind="refuse", refusal=Refusal(code, message, status=status, headers=headers))


def busy(seconds: int) -> Fault:
    """The rate limit of the app."""
    return refuse(99991400, "rate limit", status=429, headers={"x-ogw-ratelimit-reset": str(seconds)})


def busy_chat(seconds: int) -> Fault:
    """The rate limit of a chat."""
    headers = {"x-ogw-ratelimit-reset": str(seconds)}
    return refuse(230020, "frequency limit", status=429, headers=headers)


class Script:
    """Faults of the next calls of a kind: `send` (messages and replies), or the name of a route."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Fault]] = {}

    def add(self, name: str, *faults: Fault) -> None:
        self._waiting.setdefault(name, deque()).extend(faults)

    def next(self, name: str, chat: str) -> Fault | None:
        waiting = self._waiting.get(name, deque())
        for fault in waiting:
            if fault.chat not in ("", chat):
                continue
            if fault.skip:
                fault.skip -= 1
                return None
            waiting.remove(fault)
            return fault
        return None

    def clear(self) -> None:
        for faults in self._waiting.values():
            for fault in faults:
                fault.gate.set()
        self._waiting.clear()
