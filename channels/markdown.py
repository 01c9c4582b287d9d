"""Markdown as a tree of blocks that know where they stand in the source."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

BlockKind = Literal["paragraph", "heading", "fence", "code", "list", "item", "quote", "table", "rule", "html"]

_KINDS: Final[dict[str, BlockKind]] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "fence": "fence",
    "code_block": "code",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
    "hr": "rule",
    "html_block": "html",
}
_LINE_END: Final = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, kw_only=True)
class Block:
    """`source[start:end]` are the block's whole lines, without the last line's end.

    `info` is a fence's info string, `markup` the characters that open it (backticks, `##`, `-`, `.`).
    """

    kind: BlockKind
    start: int
    end: int
    info: str = ""
    markup: str = ""
    children: tuple["Block", ...] = ()

    def walk(self) -> Iterator["Block"]:
        """This block and all below it, in the order of the source."""
        yield self
        for child in self.children:
            yield from child.walk()


def parse_blocks(source: str) -> tuple[Block, ...]:
    """The top-level blocks of a Markdown text (CommonMark and tables). Never fails; inline marks stay text."""
    return _blocks(iter(_parser.parse(source)), _line_spans(source))


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_parser: Final = _make_parser()


def _line_spans(source: str) -> list[tuple[int, int]]:
    """Start and end of each line, without its line end, counted as the parser counts."""
    spans, start = [], 0
    for match in _LINE_END.finditer(source):
        spans.append((start, match.start()))
        start = match.end()
    spans.append((start, len(source)))
    return spans


def _blocks(tokens: Iterator[Token], lines: list[tuple[int, int]]) -> tuple[Block, ...]:
    """The blocks up to the token that closes the surrounding one."""
    found = []
    for token in tokens:
        if token.nesting < 0:
            break
        children = _blocks(tokens, lines) if token.nesting > 0 else ()
        kind = _KINDS.get(token.type)
        if kind is not None and token.map is not None:
            found.append(_block(token, kind, children, lines))
    return tuple(found)


def _block(token: Token, kind: BlockKind, children: tuple[Block, ...], lines: list[tuple[int, int]]) -> Block:
    first, after = token.map or (0, 1)
    return Block(
        kind=kind,
        start=lines[first][0],
        end=lines[max(first, after - 1)][1],
        info=token.info,
        markup=token.markup,
        children=children,
    )
