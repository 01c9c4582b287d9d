"""Markdown tables → code blocks whose columns stand under each other, CJK included. Pure.

Telegram has no tables; in a `pre` every character has one width, and East Asian ones have two.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from channels.markdown import Block, parse_blocks

_CELL: Final = re.compile(r"(?<!\\)\|")
_MARKS: Final = re.compile(r"\*\*|__|`")
_LINE_END: Final = re.compile(r"\r\n?|\n")
"""What ends a line in Markdown; Python knows more characters that do."""

_LINK: Final = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")


def align_tables(markdown: str) -> str:
    """The same text with every table of its top level as an aligned code block."""
    if "|" not in markdown:
        return markdown
    return "".join(_pieces(markdown, [block for block in parse_blocks(markdown) if block.kind == "table"]))


def width(text: str) -> int:
    """Columns that a text takes."""
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200b\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _pieces(markdown: str, tables: Sequence[Block]) -> Iterator[str]:
    at = 0
    for table in tables:
        yield markdown[at : table.start]
        yield f"```\n{_aligned(markdown[table.start : table.end])}\n```"
        at = table.end
    yield markdown[at:]


def _aligned(table: str) -> str:
    head, _, *rest = (_cells(line) for line in _LINE_END.split(table.rstrip("\r\n")))
    rows = [head, *rest]
    widths = [max((width(row[i]) for row in rows if i < len(row)), default=0) for i in range(len(head))]
    ruler = "-+-".join("-" * columns for columns in widths)
    lines = [_line(row, widths) for row in rows]
    return "\n".join([lines[0], ruler, *lines[1:]])


def _cells(line: str) -> list[str]:
    cells = [_bare(cell) for cell in _CELL.split(line.strip().removeprefix("|"))]
    return cells[:-1] if cells and not cells[-1] and line.rstrip().endswith("|") else cells


def _bare(cell: str) -> str:
    """A cell's words: in a code block marks would be shown, a link's target stays readable."""
    return _MARKS.sub("", _LINK.sub(r"\1", cell)).replace("\\|", "|").replace("```", "'''").strip()


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell + " " * (columns - width(cell)) for cell, columns in zip(_filled(row, len(widths)), widths, strict=True)
    )
    return " | ".join(padded).rstrip()


def _filled(row: Sequence[str], count: int) -> list[str]:
    return [*row[:count], *[""] * (count - len(row))]
