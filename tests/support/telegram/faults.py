"""What goes wrong on purpose: a script of faults by method, taken one after the other."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "refuse",  # an error of the Bot API
    "status",  # a bare HTTP status with an HTML body
    "garbage",  # 200 and no JSON
    "nothing",  # 200 and JSON without a result
    "cut_before",  # the connection ends, nothing is executed
    "cut_after",  # it is executed, then the connection ends
    "hang_before",  # it waits for the gate, is not executed
    "hang_after",  # it is executed, then waits for the gate
    "endless",  # it is executed, the answer never ends
]


@dataclass(kw_only=True)
class Fault:
    """One fault. `chat` limits it to one chat, `skip` lets so many calls pass before."""

    kind: Kind
    code: int = 500
    description: str = "Internal Server Error: restart"
    retry_after: int = 0
    migrate_to: int = 0
    chat: str = ""
    skip: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)


def refuse(code: int, description: str, **more: int) -> Fault:
    return Fault(kind="refuse", code=code, description=description, **more)  # type: ignore[arg-type]


def busy(seconds: int, **more: int) -> Fault:
    return refuse(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds, **more)


class Script:
    """The faults to come, by method in lower case ("" is any method)."""

    def __init__(self) -> None:
        self._faults: dict[str, deque[Fault]] = {}

    def add(self, method: str, *faults: Fault) -> None:
        self._faults.setdefault(method.lower(), deque()).extend(faults)

    def take(self, method: str, chat: str) -> Fault | None:
        for name in (method, ""):
            waiting = self._faults.get(name, deque())
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
        """No more faults; whoever hangs goes on."""
        for faults in self._faults.values():
            for fault in faults:
                fault.gate.set()
        self._faults.clear()
