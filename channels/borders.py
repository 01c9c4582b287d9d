"""Where a text may be cut, from the best places to the worst, and the white space around them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from channels.markdown import Block

_BLANK_LINES: Final = re.compile(r"(?:[^\S\r\n]*(?:\r\n?|\n))*")
_SPACES: Final = re.compile(r"[^\S\r\n]*")
_WHITE_SPACE: Final = re.compile(r"\s*")
_LINE_END: Final = re.compile(r"\r\n?|\n|")
_NEW_LINE: Final = re.compile(r"\r\n?|\n")
_SENTENCE: Final = re.compile(r"[.!?…][)\]\"'»”’]{0,3}\s+|[。！？；][”’』」）]{0,3}")
_WORD: Final = re.compile(r"\s+|[，、：]")
_UNBREAKABLE: Final = re.compile(
    r"`[^`\n]{1,300}`|\*\*[^*\n]{1,300}\*\*|\[[^\[\]\n]{0,300}\]\([^()\s]{0,900}(?:\([^()\s]{0,90}\)[^()\s]{0,90})?\)"
)
"""Inline code, bold words and links. Every repetition is bounded, for the text comes from a model or a stranger."""

_QUOTE: Final = re.compile(r"[ \t]{0,8}>[ \t>]{0,8}")


class Borders:
    """All good places of one text."""

    def __init__(self, text: str, blocks: tuple[Block, ...]) -> None:
        below_headings = _Spans(list(_below_headings(blocks)))
        self._text = text
        self._blocks = [start for start in _starts(blocks) if start not in below_headings]
        self._inner = [start for start in sorted(set(_inner_starts(blocks))) if start not in below_headings]
        self._lines = [m.end() for m in _NEW_LINE.finditer(text) if m.end() not in below_headings]
        self._unbreakable = _Spans([match.span() for match in _UNBREAKABLE.finditer(text)])

    def between(self, start: int, end: int) -> Iterator[Sequence[int]]:
        """The places `start < place <= end` of blocks, blocks in blocks (list items), lines, sentences, words."""
        yield _window(self._blocks, start, end)
        yield _window(self._inner, start, end)
        yield _window(self._lines, start, end)
        yield self._found(_SENTENCE, start, end)
        yield self._found(_WORD, start, end)

    def _found(self, pattern: re.Pattern[str], start: int, end: int) -> list[int]:
        ends = (match.end() for match in pattern.finditer(self._text, start, end))
        return [place for place in ends if place not in self._unbreakable]


class _Spans:
    """Sorted, separate spans; a place is in one if a cut there would tear it."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans
        self._starts = [start for start, _ in spans]

    def __contains__(self, place: int) -> bool:
        index = bisect_right(self._starts, place - 1) - 1
        return index >= 0 and place < self._spans[index][1]


def _window(places: list[int], start: int, end: int) -> list[int]:
    return places[bisect_right(places, start) : bisect_right(places, end)]


def _starts(blocks: tuple[Block, ...]) -> list[int]:
    return [block.start for block in blocks]


def _inner_starts(blocks: tuple[Block, ...]) -> Iterator[int]:
    for block in blocks:
        yield from (inner.start for inner in block.walk() if inner is not block)


def _below_headings(blocks: tuple[Block, ...]) -> Iterator[tuple[int, int]]:
    """From a heading up to and including the beginning of what it stands over: they belong together."""
    for block, following in pairwise(blocks):
        if block.kind == "heading":
            yield block.start, following.start + 1


def begins_line(text: str, at: int) -> bool:
    """Whether a line begins here."""
    return at == 0 or text[at - 1] in "\r\n"


def quote_marks(text: str, at: int) -> str:
    """The `> ` of a quoted line that is cut in its middle; "" elsewhere."""
    if begins_line(text, at):
        return ""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    match = _QUOTE.match(text, start, at)
    return match[0] if match else ""


def skip_blank_lines(text: str, at: int) -> int:
    """The beginning of the next line that is not blank."""
    return _end(_BLANK_LINES, text, at)


def skip_spaces(text: str, at: int) -> int:
    """The next character that is no space."""
    return _end(_SPACES, text, at)


def skip_white_space(text: str, at: int) -> int:
    """The next character that shows."""
    return _end(_WHITE_SPACE, text, at)


def skip_line_end(text: str, at: int) -> int:
    """Behind the line end that stands here, if one does."""
    return _end(_LINE_END, text, at)


def without_line_end(text: str) -> str:
    """The text without its last line end, if it has one."""
    return text.removesuffix("\n").removesuffix("\r")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
