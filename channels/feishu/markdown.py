"""A model's Markdown → a card's, and the pieces that a long one comes in. Pure.

Cards read CommonMark without HTML, with rules of their own: code fences begin at the start of a line, lists nest by
four spaces, headings are huge, and tables are counted.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from channels.feishu.inline import Defuse, broken_tags, entities, safe_code, safe_inline
from channels.feishu.languages import language_of
from channels.feishu.limits import ELEMENT, ROWS_OF_TABLE, TABLES_OF_ELEMENT
from channels.markdown import Block, parse_blocks
from channels.split import split
from channels.types import Limits

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_QUOTE: Final = re.compile(r"(?:[ \t]{0,8}>[ \t]?){1,8}")
_HEADING: Final = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+")
_TICKS: Final = re.compile(r"`{3,}")
_PIECE: Final = Limits(text=ELEMENT)


def clean(source: str) -> str:
    """Without what neither JSON nor a client likes: control characters, halves of characters, other line ends."""
    plain = source.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", plain).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def card_markdown(source: str) -> str:
    """The text of a card's Markdown element."""
    return "\n".join(_lines(clean(source), entities)).strip("\n")


def post_markdown(source: str) -> str:
    """The text of a post's `md` element, which knows fewer marks and no entities."""
    return "\n".join(_lines(clean(source), broken_tags)).strip("\n")


def pieces(source: str) -> tuple[str, ...]:
    """The source in pieces that each fit into one element: not too long, and with few tables."""
    short = _with_short_tables(clean(source))
    return tuple(few for piece in split(short, _PIECE) for few in _with_few_tables(piece))


def tables_in(source: str) -> int:
    """How many tables the text has; what looks like one inside code is none."""
    return sum(1 for _ in _tables(source)) if "|" in source else 0


def _lines(source: str, defuse: Defuse) -> Iterator[str]:
    """Code as it is, at the start of the line; everything else safe, lists with the indentation that cards want."""
    blocks = list(_blocks(source))
    code = {block.start: block for block in blocks if block.kind in ("fence", "code")}
    items = _Items([block for block in blocks if block.kind == "item"])
    at, skip_to = 0, 0
    for line in source.split("\n"):
        start, at = at, at + len(line) + 1
        if start < skip_to:
            continue
        block = code.get(start)
        if block is not None:
            yield from _code(source, block)
            skip_to = block.end + 1
        else:
            yield _line(line, items.indent(start), defuse)


def _blocks(source: str) -> Iterator[Block]:
    """All blocks. Cards know no HTML: what looks like it is text here, and hides no code block and no table in it."""
    for top in parse_blocks(source.replace("<", "x")):
        yield from top.walk()


def _line(line: str, indent: str, defuse: Defuse) -> str:
    heading = _HEADING.match(line)
    if heading is not None:
        marks = "####" if len(heading[1]) == 1 else "#####"
        return f"{indent}{marks} {safe_inline(line[heading.end() :], defuse)}"
    quote = _QUOTE.match(line)
    if quote is not None:
        return f"{quote[0].strip()} {safe_inline(line[quote.end() :], defuse)}"
    words = line.strip()
    return f"{indent}{safe_inline(words, defuse)}" if words else ""


def _code(source: str, block: Block) -> Iterator[str]:
    """A code block with a fence of its own, wherever it stood; one that has no end gets one."""
    lines = source[block.start : block.end].split("\n")
    if block.kind == "fence":
        prefix = len(lines[0]) - len(lines[0][lines[0].find(block.markup) :])
        lines, language = _fenced(lines, block), language_of(block.info)
    else:
        prefix = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        language = "plain_text"
    ticks = _fence_around(lines)
    yield f"{ticks}{language}"
    for line in lines:
        yield safe_code(line[min(prefix, len(line) - len(line.lstrip(" \t>"))) :])
    yield ticks


def _fenced(lines: list[str], block: Block) -> list[str]:
    """What stands in a fence. Of one without an end, the last line is code too."""
    closing = lines[-1].strip(" \t>") if len(lines) > 1 else ""
    is_closed = closing.startswith(block.markup) and not closing.strip(block.markup[0])
    return lines[1 : len(lines) - is_closed]


def _fence_around(lines: Sequence[str]) -> str:
    """A fence that none of these lines ends: longer than all ticks in any of them, be it the first or the last."""
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=2)
    return "`" * (longest + 1)


class _Items:
    """Where the lines of list items begin: four spaces a level."""

    def __init__(self, items: list[Block]) -> None:
        self._items = sorted(items, key=lambda item: item.start)
        self._starts = [item.start for item in self._items]

    def indent(self, start: int) -> str:
        """What stands before a line that begins here."""
        reach = bisect_right(self._starts, start)
        around = sum(1 for item in self._items[max(0, reach - 64) : reach] if start < item.end)
        if around == 0:
            return ""
        is_marker = reach > 0 and self._starts[reach - 1] == start
        return "    " * (around - 1) + ("" if is_marker else "  ")


def _tables(source: str) -> Iterator[Block]:
    return (block for block in _blocks(source) if block.kind == "table")


def _with_short_tables(source: str) -> str:
    """A table with very many rows as several tables, each with the header."""
    if "|" not in source:
        return source
    made, at = [], 0
    for table in _tables(source):
        head, ruler, *rows = source[table.start : table.end].split("\n")
        if len(rows) <= ROWS_OF_TABLE:
            continue
        groups = [rows[i : i + ROWS_OF_TABLE] for i in range(0, len(rows), ROWS_OF_TABLE)]
        made += [source[at : table.start], "\n\n".join("\n".join([head, ruler, *group]) for group in groups)]
        at = table.end
    return "".join([*made, source[at:]])


def _with_few_tables(piece: str) -> Iterator[str]:
    """Cut before every table that would be one too many for an element."""
    at = 0
    for count, table in enumerate(_tables(piece) if "|" in piece else ()):
        if count and count % TABLES_OF_ELEMENT == 0:
            yield piece[at : table.start].strip("\n")
            at = table.start
    yield piece[at:].strip("\n")
