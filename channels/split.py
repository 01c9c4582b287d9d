"""One long Markdown text → parts that each fit into a message and read well on their own. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from channels.borders import (
    Borders,
    begins_line,
    quote_marks,
    skip_blank_lines,
    skip_line_end,
    skip_spaces,
    skip_white_space,
    without_line_end,
)
from channels.frames import Depth, Frame, Frames, find_frames, find_items
from channels.markdown import parse_blocks
from channels.types import Limits
from channels.units import Ruler, Unit, is_joint, measure

SMALLEST: Final = 64
"""Units a part must at least offer."""

_FARTHEST: Final = 64
"""Characters that a cut inside a word moves back to spare a visible character."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of the source (`body`) and what was put around it."""

    opening: str = ""
    body: str
    closing: str = ""

    @property
    def text(self) -> str:
        return self.opening + self.body + self.closing


def split(text: str, limits: Limits, *, reserve: int = 0) -> tuple[str, ...]:
    """The texts of `cut`."""
    return tuple(part.text for part in cut(text, limits, reserve=reserve))


def cut(text: str, limits: Limits, *, reserve: int = 0) -> tuple[Part, ...]:
    """Parts of at most `limits.text - reserve` units, none of them blank; no part at all for a blank text.

    The bodies in order are the text without some white space at the cuts. Cuts prefer the borders of blocks, list items
    and lines, sentences, words, in this order. A code fence stays whole if it fits into one part, else it is closed
    and opened again; a table's header is repeated. `reserve` is the room for a label such as `Name (2/3)`.
    """
    if limits.text is None:
        return _whole(text)
    budget = limits.text - reserve
    if budget < SMALLEST:
        raise ValueError(f"a part must have room for {SMALLEST} units")
    if measure(text, limits.unit) <= budget:
        return _whole(text)
    return tuple(_Cutter(text, limits.unit, budget).parts())


def _whole(text: str) -> tuple[Part, ...]:
    body = text[skip_blank_lines(text, 0) :].rstrip()
    return (Part(body=body),) if body else ()


class _Cutter:
    """Walks through one text. Positions are indices of characters, costs are in the platform's unit."""

    def __init__(self, text: str, unit: Unit, budget: int) -> None:
        blocks = parse_blocks(text)
        frames = [_affordable(frame, unit, budget) for frame in find_frames(text, blocks)]
        self._text = text
        self._unit: Unit = unit
        self._budget = budget
        self._ruler = Ruler(text, unit)
        self._frames = Frames(frames)
        self._longest_tail = max((measure(frame.tail, unit) for frame in frames), default=0)
        self._items = tuple(find_items(text, blocks))
        self._borders = Borders(text, blocks)

    def parts(self) -> Iterator[Part]:
        at = skip_blank_lines(self._text, 0)
        while at < len(self._text):
            end = self._next_cut(at)
            part = self._part(at, end)
            if part.body.strip():
                yield part
            at = self._resume(end)

    def _next_cut(self, at: int) -> int:
        room = self._budget - measure(self._opening(at), self._unit)
        reach = self._ruler.reach(at, room)
        if reach >= len(self._text):
            return len(self._text)
        for least in (self._budget // 3, 1):
            for borders in self._borders.between(at, skip_white_space(self._text, reach)):
                border = self._last_good(at, room, least, borders)
                if border is not None:
                    return border
        return self._hard_cut(at, room)

    def _last_good(self, at: int, room: int, least: int, borders: Sequence[int]) -> int | None:
        """The last border that fills at least so much of the part."""
        for border in reversed(borders):
            if self._ruler.between(at, border) < least:
                return None
            if self._is_good(at, room, border):
                return border
        return None

    def _is_good(self, at: int, room: int, border: int) -> bool:
        """Whether the piece up to the border fits and tears nothing that could stay whole."""
        if is_joint(self._text, border):
            return False
        frame = self._frames.around(border)
        if frame is None:
            return True
        if not frame.may_cut(border) or (frame.start >= at and self._fits_alone(frame)):
            return False
        return self._ruler.between(at, border) + measure(frame.tail, self._unit) <= room

    def _fits_alone(self, frame: Frame) -> bool:
        return self._ruler.between(frame.start, frame.end) <= self._budget

    def _hard_cut(self, at: int, room: int) -> int:
        """Between two visible characters near the end of what fits; failing that, anywhere."""
        reach = self._ruler.reach(at, room - self._longest_tail)
        for border in range(reach, max(at, reach - _FARTHEST), -1):
            if self._is_good(at, room, border):
                return border
        return max(reach, at + 1)

    def _part(self, at: int, end: int) -> Part:
        depth = Depth(self._items, at)
        body, after = self._text[at:end], self._frames.around(end)
        return Part(
            opening=depth.lines(self._opening(at), at),
            body=depth.body(without_line_end(body) if after else body.rstrip(), at, whole=begins_line(self._text, at)),
            closing=depth.lines(after.tail, end) if after else "",
        )

    def _opening(self, at: int) -> str:
        """What a piece that begins here needs before it."""
        frame = self._frames.around(at)
        return frame.head if frame else quote_marks(self._text, at)

    def _resume(self, end: int) -> int:
        """Where the next piece begins: without the white space at the cut, except that of code."""
        if begins_line(self._text, end):
            return end if self._frames.around(end) else skip_blank_lines(self._text, end)
        if self._frames.around(end):
            return skip_line_end(self._text, end)
        return skip_blank_lines(self._text, skip_spaces(self._text, end))


def _affordable(frame: Frame, unit: Unit, budget: int) -> Frame:
    """The frame, without head and tail if repeating them would eat up the parts."""
    overhead = measure(frame.head, unit) + measure(frame.tail, unit)
    return frame if overhead * 4 <= budget else replace(frame, head="", tail="")
