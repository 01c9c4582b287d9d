"""One line of Markdown → what a card or a post takes: safe tags and links, nothing that costs the whole. Pure.

A malformed tag, an image that is not ours or a link of another scheme makes the platform refuse the whole card. So
every `<` and `>` is defused, images become links, and other targets become text. That also takes the power out of
mentions (`<at …>`): nobody is rung by what a model writes, and the words stay readable.
"""

import re
from collections.abc import Callable
from typing import Final

from channels.addresses import is_web_address

Defuse = Callable[[str], str]
"""Takes the power out of `<` and `>`."""

_TARGET: Final = (
    r"\([ ]?<?(?P<{name}>[^()\s<>]{{0,2000}}(?:\([^()\s<>]{{0,300}}\)[^()\s<>]{{0,300}})?)>?"
    r"(?:[ ]\"[^\"\n]{{0,300}}\")?[ ]?\)"
)
_LABEL: Final = r"\[(?P<{name}>[^\[\]\n]{{0,500}})\]"
_TOKEN: Final = re.compile(
    "|".join(
        (
            r"(?P<code>(?P<ticks>`{1,3})[^`\n]{1,2000}(?P=ticks)(?!`))",
            "!" + _LABEL.format(name="alt") + _TARGET.format(name="source"),
            _LABEL.format(name="label") + _TARGET.format(name="target"),
            r"(?P<break><br[ ]?/?>)",
            r"<(?P<auto>https?://[^\s<>]{1,2000})>",
        )
    )
)
_FRAMED_IMAGE: Final = re.compile(r"\[!\[(?P<alt>[^\[\]\n]{0,500})\]\([^()\n]{0,2000}\)\]")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!])")
_FENCE: Final = re.compile(
    r"^(?P<before>(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))*[ \t]*)(?=(?:`{3,}[^`\n]*|~{3,}.*)$)", re.MULTILINE
)
_RINGING: Final = re.compile(r"<(?=/?(?:at|person)\b)")

ZERO_WIDTH: Final = "\u200b"


def entities(text: str) -> str:
    """For cards, which read entities everywhere but in code blocks."""
    return text.replace("<", "&#60;").replace(">", "&#62;")


def broken_tags(text: str) -> str:
    """For posts and texts, which know no entities: a tag with a gap behind its `<` is none."""
    return _TAG.sub(f"<{ZERO_WIDTH}", text)


def safe_inline(line: str, defuse: Defuse) -> str:
    """The line with safe links; code keeps its words. What reads like a fence is none: a code block never comes here,
    and a fence that nobody closes would turn round what is code and what is not, down to the end."""
    line = _FRAMED_IMAGE.sub(lambda found: f"[{found['alt'] or 'image'}]", line)
    made, at = [], 0
    for token in _TOKEN.finditer(line):
        is_link = token["code"] is None and token["break"] is None
        made += [_words(line[at : token.start()], defuse, before_link=is_link), _safe(token, defuse)]
        at = token.end()
    return _FENCE.sub(rf"\g<before>{ZERO_WIDTH}", "".join([*made, _words(line[at:], defuse)]))


def safe_code(line: str) -> str:
    """A line of a code block, where nothing is read as markup; what rings people is broken all the same."""
    return _RINGING.sub(f"<{ZERO_WIDTH}", line)


def _words(text: str, defuse: Defuse, *, before_link: bool = False) -> str:
    """Words between links, code among them: what looks like an image or a link there, or begins one, is broken."""
    mark, paren = ("&#33;", "&#40;") if defuse is entities else (f"!{ZERO_WIDTH}", f"{ZERO_WIDTH}(")
    words = defuse(text).replace("![", f"{mark}[").replace("](", f"]{paren}")
    return f"{words[:-1]}{mark}" if before_link and words.endswith("!") else words


def _safe(token: re.Match[str], defuse: Defuse) -> str:
    if token["code"] is not None:
        return _words(token["code"], defuse)
    if token["break"] is not None:
        return "<br>" if defuse is entities else "\n"
    if token["auto"] is not None:
        return _link(token["auto"], token["auto"], defuse)
    if token["source"] is not None:
        return _image(token["alt"], token["source"], defuse)
    return _link(token["label"], token["target"], defuse)


def _image(alt: str, source: str, defuse: Defuse) -> str:
    """An image cannot be shown by its address: it becomes a link, or its description."""
    if is_web_address(source):
        return _link(alt or source.rpartition("/")[2] or source, source, defuse)
    return defuse(alt)


def _link(label: str, target: str, defuse: Defuse) -> str:
    """Only http and https are taken; another target stays readable beside its label."""
    if not is_web_address(target):
        return defuse(f"{label} ({target})" if target and target != label else label)
    safe = target.replace("(", "%28").replace(")", "%29")
    return f"[{defuse(label or target)}]({safe})"
