"""How platforms count the length of a text, and where a text may be cut without breaking a visible character."""

import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final, Literal

Unit = Literal["characters", "utf16", "bytes"]


def _utf16(char: str) -> int:
    return 2 if char > "\uffff" else 1


def _utf8(char: str) -> int:
    return len(char.encode("utf-8", "surrogatepass"))


_COST: Final[dict[Unit, Callable[[str], int]]] = {"characters": len, "utf16": _utf16, "bytes": _utf8}


def measure(text: str, unit: Unit) -> int:
    """The length of a text in a platform's unit."""
    if unit == "characters":
        return len(text)
    if unit == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


class Ruler:
    """A text whose slices are measured in constant time."""

    def __init__(self, text: str, unit: Unit) -> None:
        self._marks = list(accumulate(map(_COST[unit], text), initial=0))

    def between(self, start: int, end: int) -> int:
        """The cost of `text[start:end]`."""
        return self._marks[end] - self._marks[start]

    def reach(self, start: int, budget: int) -> int:
        """The furthest end such that `text[start:end]` costs at most `budget`."""
        return bisect_right(self._marks, self._marks[start] + budget) - 1


_ZERO_WIDTH_JOINER: Final = "\u200d"


def is_joint(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would tear something that people see as one character.

    Covers combining marks, joined and coloured emoji, flags, Hangul, surrogate halves and line ends: enough for chat,
    a little stricter than Unicode's annex 29.
    """
    before, after = text[at - 1 : at], text[at : at + 1]
    if not before or not after or (before in "\r\n" and after != "\n"):
        return False
    return _extends(after) or before == _ZERO_WIDTH_JOINER or _is_pair(before, after) or _is_flag(text, at)


def _extends(char: str) -> bool:
    return (
        char == _ZERO_WIDTH_JOINER
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags
        or "\u1160" <= char <= "\u11ff"  # Hangul vowels and finals
    )


def _is_pair(before: str, after: str) -> bool:
    return (before == "\r" and after == "\n") or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_flag(text: str, at: int) -> bool:
    """Whether the cut falls into a pair of regional indicators, counted from where their row begins."""
    if not _is_regional(text[at]):
        return False
    first = at
    while first > 0 and _is_regional(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 1
