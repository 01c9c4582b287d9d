"""What goes wrong on purpose: a script of faults by method, taken one after the other."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "refuse",  # ok: false
    "busy",  # 429
    "status",  # a bare HTTP status with an HTML body
    "html",  # 200 and a page of some proxy
    "garbage",  # 200, said to be JSON, and none
    "cut_before",  # the connection ends, nothing is executed
    "cut_after",  # it is executed, then the connection ends
    "hang_before",  # it waits for the gate, is not executed
    "hang_after",  # it is executed, then waits for the gate
    "endless",  # it is executed, the answer never ends
]


@dataclass(kw_only=True)
class Fault:
    """One fault. `channel` limits it to one channel, `skip` lets so many calls pass before."""

    kind: Kind
    code: str = "fatal_error"
    status: int = 502
    retry_after: int = 1
    channel: str = ""
    skip: int = 0
    needed: str = ""
    gate: asyncio.Event = field(default_factory=asyncio.Event)


def refuse(code: str, **more: int | str) -> Fault:
    return Fault(kind="refuse", code=code, **more)  # type: ignore[arg-type]


def busy(seconds: int, **more: int | str) -> Fault:
    return Fault(kind="busy", retry_after=seconds, **more)  # type: ignore[arg-type]


class Script:
    """The faults to come, by method ("" is any method)."""

    def __init__(self) -> None:
        self._faults: dict[str, deque[Fault]] = {}
        self._hanging: list[Fault] = []

    def add(self, method: str, *faults: Fault) -> None:
        self._faults.setdefault(method, deque()).extend(faults)

    def take(self, method: str, channel: str) -> Fault | None:
        for name in (method, ""):
            waiting = self._faults.get(name, deque())
            for fault in waiting:
                if fault.channel not in ("", channel):
                    continue
                if fault.skip:
                    fault.skip -= 1
                    return None
                waiting.remove(fault)
                self._hanging.append(fault)
                return fault
        return None

    def clear(self) -> None:
        """No more faults; whoever hangs goes on."""
        for fault in (*self._hanging, *(one for faults in self._faults.values() for one in faults)):
            fault.gate.set()
        self._faults.clear()
        self._hanging.clear()
