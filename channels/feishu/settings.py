"""What the owner sets for a Feishu or Lark app."""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final, Literal
from urllib.parse import urlsplit

from channels.addresses import is_web_address
from channels.errors import NotConfigured
from channels.feishu.wording import Wording

FEISHU: Final = "https://open.feishu.cn"
LARK: Final = "https://open.larksuite.com"
BRANDS: Final = {"feishu": FEISHU, "lark": LARK}
LINKS: Final = {"feishu": "https://applink.feishu.cn", "lark": "https://applink.larksuite.com"}
"""Addresses that the app on a phone or a computer opens itself."""

_APP_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, kw_only=True)
class FeishuSettings:
    """`domain` is feishu, lark, or the address of a private deployment (http only on this machine).

    Mode webhook needs `encrypt_key`: plain events are not taken. Making one raises NotConfigured if a value is
    unusable; secrets are never shown.
    """

    id: str
    app_id: str
    app_secret: str = field(repr=False)
    domain: str = "feishu"
    mode: Literal["socket", "webhook"] = "socket"
    encrypt_key: str = field(default="", repr=False)
    verification_token: str = field(default="", repr=False)
    wording: Wording = field(default_factory=Wording)

    def __post_init__(self) -> None:
        if not _APP_ID.fullmatch(self.app_id):
            raise NotConfigured("app_id must be the App ID of the developer console (cli_…)")
        if not self.app_secret.strip():
            raise NotConfigured("app_secret must be the App Secret of the developer console")
        if self.domain not in BRANDS and not _is_secure(self.domain):
            raise NotConfigured("domain must be feishu, lark or an https:// URL (http:// only for this machine)")
        if self.mode == "webhook" and not self.encrypt_key:
            raise NotConfigured("mode webhook needs encrypt_key: plain events are not taken")

    @property
    def base_url(self) -> str:
        """The address of the API, without a slash at its end."""
        return BRANDS.get(self.domain, self.domain).rstrip("/")

    @property
    def link(self) -> str:
        """Opens the chat with the bot in the app; "" for a private deployment, whose address is not known."""
        return f"{LINKS[self.domain]}/client/bot/open?appId={self.app_id}" if self.domain in LINKS else ""

    @property
    def is_local(self) -> bool:
        """Whether the platform runs on this machine: then no proxy of the environment stands in between."""
        return is_local_address(self.base_url)

    @property
    def other_brand(self) -> str:
        """The `domain` to try when the platform says that the app belongs elsewhere."""
        return "feishu" if self.domain == "lark" else "lark"


def is_local_address(address: str) -> bool:
    """Whether an address leads to this machine; a brand's name does not."""
    return is_loopback(urlsplit(address).hostname or "")


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_secure(address: str) -> bool:
    parts = urlsplit(address)
    return is_web_address(address) and (parts.scheme == "https" or is_loopback(parts.hostname or ""))
