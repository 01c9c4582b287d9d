"""What the owner sets for a webhook channel."""

from dataclasses import dataclass, field

from channels.addresses import is_web_address
from channels.errors import NotConfigured
from channels.webhook.signature import read_secret


@dataclass(frozen=True, kw_only=True)
class WebhookSettings:
    """`secret` signs both ways (`whsec_` and base64); without `callback_url` the other side fetches its messages.

    Making one raises NotConfigured if a value is unusable. Neither is ever shown: a callback URL may carry a token.
    """

    id: str
    secret: str = field(repr=False)
    callback_url: str = field(default="", repr=False)
    files_url: str = ""
    """Where this program serves the files of its messages: `{files_url}/{id}`."""

    def __post_init__(self) -> None:
        read_secret(self.secret)
        if self.callback_url and not is_web_address(self.callback_url):
            raise NotConfigured("callback_url must be a URL that begins with http:// or https://")
