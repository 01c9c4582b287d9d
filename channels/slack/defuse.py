"""Mentions that a model wrote, made harmless: nobody is called, the words stay readable. Pure.

A zero-width space tears what Slack would read as a mention. The result for a text's beginning is the beginning of the
result for the whole, except for a few last characters that may still become a mention: `settled` leaves them out.
"""

import re
from typing import Final

_ZERO: Final = "\u200b"
_TOKEN: Final = re.compile(
    r"<(?=\\*(?:!\\*(?:channel|here|everyone|group|subteam)|@\\*(?-i:[UWBS][A-Z0-9])))"
    r"|(?<![\w.+-])@(?=(?:channel|here|everyone|all|所有人)(?!\w|\.\w))",
    re.IGNORECASE,
)
_UNFINISHED: Final = re.compile(r"(?:<\\*[!@]?[\\\w]*|@\w*\.?)\Z")
_LONGEST_TOKEN: Final = 64
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")

_ESCAPES: Final = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"))


def defuse(text: str) -> str:
    """The text with every mention torn (`<!channel>`, `<@U1>`, `<!subteam^S1>`, `@here`)."""
    return _TOKEN.sub(lambda found: found[0] + _ZERO, storable(text))


def settled(text: str, end: int) -> int:
    """How much of `text[:end]` cannot become part of a mention by what follows."""
    found = _UNFINISHED.search(text, max(0, end - _LONGEST_TOKEN), end)
    return found.start() if found else end


def escape(text: str) -> str:
    """Plain text for Slack's own markup: exactly these three, the ampersand first."""
    for char, entity in _ESCAPES:
        text = text.replace(char, entity)
    return text


def storable(text: str) -> str:
    """Without NUL and lone halves of surrogate pairs, which no wire takes."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)
