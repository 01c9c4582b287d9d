"""Markdown to HTML that is safe to insert: no scripts, no styles, nothing that is fetched from elsewhere."""

from typing import Final

import nh3
from markdown_it import MarkdownIt

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_TAGS: Final = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES: Final = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
_SCHEMES: Final = {"http", "https", "mailto"}
_MARKDOWN.disable("image")


def render(markdown: str) -> str:
    """HTML of the text. A picture becomes a link to it: a page of ours never fetches from other hosts."""
    return nh3.clean(
        _MARKDOWN.render(markdown),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
