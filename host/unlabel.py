"""Models like to write their own name in front of what they say; people are shown the speaker once (T35)."""

import re
from collections.abc import Sequence


def unlabelled(text: str, names: Sequence[str], titles: Sequence[str] = ()) -> str:
    """`text` without a leading `name:` (one of `names`) or bracketed title (one of `titles`), plain or emphasised.

    A text that is nothing but the label stays.
    """
    for pattern in (_named(names), _titled(titles)):
        rest = pattern.sub("", text, count=1)
        if rest != text and rest.strip():
            return rest
    return text


def _named(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"^\s*(?:#+\s+)?(?P<m>[*_]{{0,3}}){_any(names)}\s*(?:[:：]\s*(?P=m)|(?P=m)\s*[:：])\s*")


def _titled(titles: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"^\s*(?:#+\s+)?(?P<m>[*_]{{0,3}}){_any(titles)}(?P=m)\s*[:：]?\s*")


def _any(words: Sequence[str]) -> str:
    """One of the words, none of which is blank; no word at all matches nothing."""
    return "(?:" + ("|".join(re.escape(each.strip()) for each in words if each.strip()) or r"(?!)") + ")"
