"""What a piece of Markdown needs around it when its block is cut: a code fence, or a table's header."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from channels.markdown import Block

_NEW_LINE: Final = re.compile(r"\r\n?|\n")
_MARKER: Final = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]{1,4}|$)")
_CONTAINER: Final = re.compile(r"[ \t>]*")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A fence or table at `[start, end)`. It may be cut at `first < cut < last`; each piece then needs `head` before
    it (unless it has the block's own beginning) and `tail` after it (unless it has the block's own end).
    """

    start: int
    end: int
    first: int
    last: int
    head: str
    tail: str

    def may_cut(self, at: int) -> bool:
        """Whether a cut leaves something of the content on both sides."""
        return self.first < at < self.last


class Frames:
    """The frames of a text, found by position."""

    def __init__(self, frames: list[Frame]) -> None:
        self._frames = frames
        self._starts = [frame.start for frame in frames]

    def around(self, at: int) -> Frame | None:
        """The frame that a cut at this position would tear."""
        index = bisect_right(self._starts, at - 1) - 1
        if index < 0 or at >= self._frames[index].end:
            return None
        return self._frames[index]


@dataclass(frozen=True, kw_only=True)
class Item:
    """A list item at `[start, end)` whose lines stand `indent` columns in."""

    start: int
    end: int
    indent: int


class Depth:
    """Takes away the indentation of the list items in which a piece begins: it stands without them."""

    def __init__(self, items: tuple[Item, ...], at: int) -> None:
        self._around = [item for item in items if item.start < at < item.end]

    def lines(self, text: str, at: int) -> str:
        """All lines of a text that stands at one place."""
        columns = self._columns(at)
        return "\n".join(_dedent(line, columns) for line in text.split("\n")) if columns else text

    def body(self, text: str, at: int, *, whole: bool) -> str:
        """A piece of the source that begins at `at`; `whole` if its first line does, too."""
        if not self._around:
            return text
        done: list[str] = []
        for line in text.splitlines(keepends=True):
            done.append(_dedent(line, self._columns(at)) if whole or done else line)
            at += len(line)
        return "".join(done)

    def _columns(self, at: int) -> int:
        return max((item.indent for item in self._around if at < item.end), default=0)


def _dedent(line: str, columns: int) -> str:
    spaces = len(line) - len(line.lstrip(" "))
    return line[min(spaces, columns) :]


def find_frames(source: str, blocks: tuple[Block, ...]) -> Iterator[Frame]:
    """All fences and tables that have a content to cut, at any depth, in order."""
    for block in _walk(blocks):
        lines = _line_starts(source, block)
        if block.kind == "fence" and len(lines) > 1:
            yield _fence(source, block, lines)
        if block.kind == "table" and len(lines) > 2:
            yield _table(source, block, lines)


def find_items(source: str, blocks: tuple[Block, ...]) -> Iterator[Item]:
    """All list items, outer ones first."""
    for block in _walk(blocks):
        marker = _MARKER.match(source, block.start, block.end) if block.kind == "item" else None
        if marker is not None:
            yield Item(start=block.start, end=block.end, indent=len(marker[0]))


def _walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield from block.walk()


def _line_starts(source: str, block: Block) -> list[int]:
    return [block.start, *(match.end() for match in _NEW_LINE.finditer(source, block.start, block.end))]


def _fence(source: str, block: Block, lines: list[int]) -> Frame:
    opening = source[block.start : lines[1]].rstrip()
    prefix = _blank(opening[: opening.find(block.markup)])
    closed = source[lines[-1] : block.end].strip(" \t>").startswith(block.markup) and _is_rule(source, lines[-1], block)
    return Frame(
        start=block.start,
        end=block.end,
        first=lines[1],
        last=lines[-1] - 1 if closed else block.end,
        head=f"{prefix}{opening[len(prefix) :]}\n",
        tail=f"\n{prefix}{block.markup}",
    )


def _is_rule(source: str, start: int, block: Block) -> bool:
    """Whether the line is nothing but fence characters."""
    return not source[start : block.end].strip(" \t>" + block.markup[0])


def _table(source: str, block: Block, lines: list[int]) -> Frame:
    header, delimiter = source[lines[0] : lines[1]].rstrip(), source[lines[1] : lines[2]].rstrip()
    depth = len(_CONTAINER.match(delimiter)[0])  # type: ignore[index]  # matches every text
    return Frame(
        start=block.start,
        end=block.end,
        first=lines[2],
        last=block.end,
        head=f"{_blank(header[:depth])}{header[depth:]}\n{delimiter}\n",
        tail="",
    )


def _blank(prefix: str) -> str:
    """The same depth without beginning a list item again."""
    return re.sub(r"[^ \t>]", " ", prefix)
