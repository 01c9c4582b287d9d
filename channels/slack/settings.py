"""What the owner sets for a Slack app."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from channels.addresses import is_web_address
from channels.errors import NotConfigured
from channels.slack.words import Home, Words

OFFICIAL: Final = "https://slack.com/api/"

_WORDS: Final = Words()
_HOME: Final = Home()


@dataclass(frozen=True, kw_only=True)
class SlackSettings:
    """Socket Mode with `app_token`; without it events over HTTP, signed with `signing_secret`.

    `commands` are the names that `/team NAME` knows; any other text after `/team` is a question. Making one raises
    NotConfigured if a value is unusable. Secrets are never shown.
    """

    id: str
    bot_token: str = field(repr=False)
    app_token: str = field(default="", repr=False)
    signing_secret: str = field(default="", repr=False)
    base_url: str = OFFICIAL
    commands: tuple[str, ...] = ()
    words: Words = _WORDS
    home: Home = _HOME

    def __post_init__(self) -> None:
        if not self.bot_token.startswith(("xoxb-", "xoxe.xoxb-")):
            raise NotConfigured("bot_token must be the Bot User OAuth Token of the app (it begins with xoxb-)")
        if self.app_token and not self.app_token.startswith("xapp-"):
            raise NotConfigured("app_token must be an App-Level Token of the app (it begins with xapp-)")
        if not self.app_token and not self.signing_secret:
            raise NotConfigured("app_token (socket mode) or signing_secret (events over HTTP) is needed")
        if not is_web_address(self.base_url):
            raise NotConfigured("base_url must be a URL that begins with http:// or https://")

    @property
    def is_socket(self) -> bool:
        """With both, Socket Mode: Slack uses no request URL while that is on."""
        return bool(self.app_token)

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine: then no proxy of the environment stands in between."""
        host = urlsplit(self.base_url).hostname or ""
        if host == "localhost":
            return True
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return False
