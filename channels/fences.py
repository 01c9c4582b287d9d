"""The code fence in which a text ends, if it does: live text is cut anywhere, and code must stay code. Pure."""

import re
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"^[ \t>]*(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Fence:
    """The marks that opened it, which close it too, and what stood behind them."""

    marks: str
    label: str = ""

    @property
    def line(self) -> str:
        """The line that opens it again."""
        return self.marks + self.label


def open_fence(text: str, end: int | None = None) -> Fence | None:
    """The fence that is open at `end`: only as many of the same marks or more, alone in a line, close one."""
    opened = None
    for marks, label in _FENCE.findall(text, 0, len(text) if end is None else end):
        if opened is None:
            opened = Fence(marks=marks, label=label.rstrip())
        elif marks.startswith(opened.marks) and not label.strip():
            opened = None
    return opened
