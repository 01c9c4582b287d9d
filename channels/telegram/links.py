"""Which links Telegram takes: it refuses a whole message for one bad address. Pure."""

import re
from typing import Final

_WEB: Final = re.compile(r"https?://([^/?#\\\s]+)([/?#].*)?", re.IGNORECASE | re.DOTALL)
_HOST: Final = re.compile(r"([A-Za-z0-9.\-_\x80-\U0010ffff]+?)(?::(\d{1,5}))?")
_LABEL: Final = re.compile(r"[^.]{1,63}")


def is_link(url: str) -> bool:
    """A strict reading of the server's own check: a web address with a dotted host and a possible port."""
    found = _WEB.fullmatch(url)
    host = _HOST.fullmatch(found[1].rsplit("@", 1)[-1]) if found else None
    if host is None or "." not in host[1] or not all(_LABEL.fullmatch(label) for label in host[1].split(".")):
        return False
    return host[2] is None or 0 < int(host[2]) <= 65535
