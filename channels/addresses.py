"""Which texts are addresses on the web."""

from urllib.parse import urlsplit


def is_web_address(text: str) -> bool:
    """Whether `text` is a whole http or https URL. Where it leads is the fetcher's to check."""
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
