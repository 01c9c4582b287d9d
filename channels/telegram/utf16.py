"""Texts as Telegram counts them: in UTF-16 code units."""

from collections.abc import Iterable


def units(text: str) -> int:
    """The length of a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def piece(text: str, start: int, length: int) -> str:
    """What stands at `start`; halves of a character that the borders cut are replaced."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text without these (start, length)."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    for start, length in sorted(spans, reverse=True):
        encoded = encoded[: 2 * start] + encoded[2 * (start + length) :]
    return encoded.decode("utf-16-le", "replace")


def storable(text: str) -> str:
    """The text without what no store and no wire takes: NUL, and halves of characters."""
    return text.replace("\0", "").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
