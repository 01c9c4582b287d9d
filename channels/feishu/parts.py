"""Events that come in several frames, put together. Pure but for what it keeps."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from channels.feishu.wire import Frame

KEPT: Final = 30.0
"""Seconds that the parts of an event wait for the missing one."""

MOST: Final = 256
"""Events, and parts of one event, that are waited for at once."""


@dataclass(kw_only=True)
class _Waiting:
    since: float
    parts: dict[int, bytes] = field(default_factory=dict)


class Parts:
    """Joins the frames of one `message_id` in the order of `seq`. They may arrive in any order, and repeatedly."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()

    def add(self, frame: Frame, now: float) -> bytes | None:
        """The whole payload once its last part is here; `now` is in seconds that only rise."""
        total = frame.number("sum", 1)
        if total <= 1:
            return frame.payload
        self._forget(now)
        seq = frame.number("seq", 0)
        if total > MOST or seq >= total:
            return None
        key = frame.header("message_id")
        waiting = self._waiting.setdefault(key, _Waiting(since=now))
        waiting.parts[seq] = frame.payload
        if len(waiting.parts) < total:
            return None
        del self._waiting[key]
        return b"".join(payload for _, payload in sorted(waiting.parts.items()))

    def __len__(self) -> int:
        return len(self._waiting)

    def _forget(self, now: float) -> None:
        while self._waiting:
            oldest = next(iter(self._waiting.values()))
            if oldest.since + KEPT > now and len(self._waiting) <= MOST:
                return
            self._waiting.popitem(last=False)
