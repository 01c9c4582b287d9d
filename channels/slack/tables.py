"""Markdown tables as code, for a server that refuses them as tables. Pure."""

from collections.abc import Iterator

from channels.markdown import parse_blocks


def fence_tables(markdown: str) -> str:
    """The same text with every table of its top level inside a code fence."""
    return "".join(_pieces(markdown)) if "|" in markdown else markdown


def _pieces(markdown: str) -> Iterator[str]:
    at = 0
    for block in parse_blocks(markdown):
        if block.kind == "table":
            yield markdown[at : block.start]
            yield f"```\n{markdown[block.start : block.end]}\n```"
            at = block.end
    yield markdown[at:]
