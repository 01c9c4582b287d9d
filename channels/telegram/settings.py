"""What the owner sets for a Telegram bot."""

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final, Literal
from urllib.parse import urlsplit

from channels.addresses import is_web_address
from channels.errors import NotConfigured

OFFICIAL: Final = "https://api.telegram.org"
_TOKEN: Final = re.compile(r"[0-9]{1,16}:[A-Za-z0-9_-]+")


@dataclass(frozen=True, kw_only=True)
class MenuEntry:
    """A command in the bot's menu: its name without the slash, and what it does in each language."""

    name: str
    chinese: str
    english: str


@dataclass(frozen=True, kw_only=True)
class TelegramSettings:
    """`token` is BotFather's; `hook_url` is what Telegram calls in mode webhook; `base_url` its server.

    Making one raises NotConfigured if a value is unusable. The token is never shown.
    """

    id: str
    token: str = field(repr=False)
    mode: Literal["polling", "webhook"] = "polling"
    base_url: str = OFFICIAL
    hook_url: str = ""
    menu: tuple[MenuEntry, ...] = ()

    def __post_init__(self) -> None:
        if not _TOKEN.fullmatch(self.token):
            raise NotConfigured(
                "token does not look like a bot token: copy it from @BotFather as it is (digits:letters)"
            )
        if not is_web_address(self.base_url):
            raise NotConfigured("base_url must be a URL that begins with http:// or https://")
        if self.mode == "webhook" and not is_web_address(self.hook_url):
            raise NotConfigured("mode webhook needs server.public_url, the address that Telegram shall call")

    @property
    def bot_id(self) -> int:
        """The bot's user id, which the token begins with."""
        return int(self.token.partition(":")[0])

    @property
    def hook_secret(self) -> str:
        """What Telegram must send along with each webhook call: derived, so that it needs no place of its own."""
        return hmac.new(self.token.encode(), f"teambridge webhook {self.id}".encode(), hashlib.sha256).hexdigest()

    @property
    def is_local(self) -> bool:
        """Whether the Bot API server runs on this machine: then no proxy of the environment stands in between."""
        return is_loopback(urlsplit(self.base_url).hostname or "")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
