"""Bytes as text: which encoding they are in, and where text may be cut."""

import codecs
from typing import Final

LOOKED_AT: Final = 4096
"""Bytes at the beginning that tell what a file is."""

_MARKS: Final = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def encoding_of(head: bytes) -> str:
    """The encoding of a text that begins so; "" if this is no text. `head` may end in the middle of a character."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    if b"\x00" in head:
        return ""
    return next((encoding for encoding in ("utf-8", "gb18030") if _fits(head, encoding)), "")


def decoded(data: bytes, encoding: str, *, is_end: bool) -> tuple[str, int]:
    """The text, and of how many bytes it is: a character that is cut off at the end is left for the next time.

    What is no character reads as one question mark in a diamond.
    """
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    text = decoder.decode(data, is_end)
    return text.removeprefix("\ufeff"), len(data) - len(decoder.getstate()[0])


def _fits(head: bytes, encoding: str) -> bool:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    return not any(each < " " and each not in "\t\n\r\f\x1b\b" for each in text)
