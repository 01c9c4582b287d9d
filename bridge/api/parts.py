"""What the API is given by the composition root, and what it asks of each part."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from aiohttp import web

from bridge.config import ChannelConfig
from bridge.live import LiveHub
from bridge.notices import Locale, Notices
from bridge.pairing import Approved
from bridge.plugboard import Plugboard
from bridge.pulse import Pulse
from bridge.supervisor import ChannelHealth
from bridge.vault import Vault
from channels.base import Channel
from channels.types import OutboundMessage
from host.roster import Rosters
from host.runtime import Host
from host.shelf import Shelf
from store.clock import Clock
from store.database import Database, Transaction
from store.people import Person


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where the server listens and who its owner is.

    Besides the tokens of the store the owner is believed with `admin_token` (the configured one, "" if there is none)
    and with `run_token`, which commands of the same machine find in `server.json`.
    """

    locale: Locale
    host: str = "127.0.0.1"
    port: int = 8765
    public_url: str = ""
    admin_token: str = field(default="", repr=False)
    run_token: str = field(default="", repr=False)
    owner_id: str = "owner"

    @property
    def address(self) -> str:
        """Where people reach the console."""
        return self.public_url or f"http://{self.host}:{self.port}"


class Channels(Protocol):
    """The channels of this instance."""

    def find(self, channel_id: str) -> Channel | None:
        """The channel, unless it is unknown or not running."""

    def knows(self, channel_id: str) -> bool:
        """Whether the configuration has this channel, running or not."""

    def health(self) -> Mapping[str, ChannelHealth]:
        """How each configured channel is now."""


class Kept(Protocol):
    """Messages that wait to be fetched."""

    async def messages_after(self, channel_id: str, chat_id: str | None, after: int) -> Sequence[OutboundMessage]:
        """Messages of the chat (of every chat of the channel) numbered above `after`."""


class Admission(Protocol):
    """Decisions about people; both answer with the person as it is now. Raise store.errors.NotFound."""

    async def approve(self, person_id: str) -> Person: ...
    async def approve_code(self, code: str, channel_ids: Sequence[str] | None = None) -> Approved | None:
        """Whoever has the code (in these channels, None: in any); None if nobody has it or it ran out."""

    async def block(self, person_id: str) -> Person: ...


class Finding(Protocol):
    """One line of a check: the key, ok, warning or failed, and what is the case."""

    @property
    def place(self) -> str: ...
    @property
    def status(self) -> Literal["ok", "warning", "failed"]: ...
    @property
    def words(self) -> str: ...


Check = Callable[[ChannelConfig], Awaitable[Sequence[Finding]]]
"""What a platform says about a channel's credentials and permissions. Never raises for what a network does."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Everything that an endpoint may use."""

    database: Database
    host: Host
    hub: LiveHub
    channels: Channels
    rosters: Rosters
    kept: Kept
    admission: Admission
    retry_delivery: Callable[[Transaction, str], Awaitable[bool]]
    """Puts a dead or uncertain delivery back; False if it is neither."""
    metrics: Callable[[], Awaitable[bytes]]
    """Everything in the text format of Prometheus."""
    plugboard: Plugboard
    """Where channels are put into service while the program runs."""
    pulse: Pulse
    """Whether the store takes writes."""
    vault: Vault
    """Seals the secrets of channels."""
    shelf: Shelf
    """The bytes of files."""
    check: Check | None
    """Asks a platform whether a channel can work; None where nobody can be asked."""
    models: Collection[str]
    tools: Collection[str]
    """Names that an agent's `tools` may have."""
    default_model: str = ""
    """What agents without a model of their own use."""
    offline_models: Collection[str] = ()
    """Those that only demonstrate."""
    clock: Clock
    settings: Settings
    new_id: Callable[[], str]
    notices: Mapping[str, Notices]


PARTS: Final = web.AppKey("parts", Parts)
