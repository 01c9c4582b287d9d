"""The channels of this instance: what intake, presenter, replies and live text ask about each, now."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import SecretStr

from bridge.config import ChannelConfig
from bridge.gate import ChannelRules
from bridge.presenter import Rules
from channels.registry import LIMITS
from channels.slack.words import Home
from channels.types import Limits

Origin = Literal["config", "api"]


_NOBODY: Final = Home()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One channel as it is configured. `is_team`: a team answers there, so that it always streams (T31)."""

    config: ChannelConfig
    owner_id: str
    origin: Origin
    is_team: bool
    enabled: bool = True
    home: Home = _NOBODY

    @property
    def id(self) -> str:
        return self.config.id

    @property
    def response_mode(self) -> Literal["stream", "final"]:
        return "stream" if self.is_team else self.config.response_mode

    @property
    def is_live(self) -> bool:
        return self.config.live and self.response_mode == "stream"

    @property
    def limits(self) -> Limits:
        """What the channel's platform takes in one message."""
        return LIMITS.get(self.config.platform, Limits())

    @property
    def gate(self) -> ChannelRules:
        return ChannelRules(
            id=self.config.id,
            agent_id=self.config.agent,
            access=self.config.access,
            allow=frozenset(self.config.allow),
            admins=frozenset(self.config.admins),
            groups=self.config.groups,
            allow_chats=frozenset(self.config.allow_chats),
            rate_limit=self.config.rate_limit,
            answers_inline=self.config.platform == "webhook",
            owner_id=self.owner_id,
        )

    @property
    def shown(self) -> Rules:
        return Rules(notices=self.config.notices, limits=self.limits, buttons=self.config.platform == "slack")


class Lineup:
    """Every channel there is, also one that is switched off: what it has to say waits for it.

    `gates` follows every change, so that whoever holds it always sees the present rules.
    """

    def __init__(self) -> None:
        self.gates: dict[str, ChannelRules] = {}
        self._entries: dict[str, Entry] = {}
        self._shown: dict[str, Rules] = {}

    def put(self, entry: Entry) -> None:
        """This channel is there from now on, in place of the one of the same id."""
        self._entries[entry.id] = entry
        self.gates[entry.id], self._shown[entry.id] = entry.gate, entry.shown

    def drop(self, channel_id: str) -> None:
        for book in (self._entries, self.gates, self._shown):
            book.pop(channel_id, None)

    def find(self, channel_id: str) -> Entry | None:
        return self._entries.get(channel_id)

    def all(self) -> Sequence[Entry]:
        """In the order in which they came."""
        return list(self._entries.values())

    def shown(self, channel_id: str) -> Rules | None:
        """How messages are shown there; None if there is no such channel (any more)."""
        return self._shown.get(channel_id)

    def limits(self, channel_id: str) -> Limits:
        entry = self._entries.get(channel_id)
        return Limits() if entry is None else entry.limits

    def is_live(self, channel_id: str) -> bool:
        entry = self._entries.get(channel_id)
        return entry is not None and entry.is_live

    def keyholder(self, config: ChannelConfig) -> tuple[str, str] | None:
        """Another channel with one of the secrets of `config`: (the secret's name there, that channel's id)."""
        own = {value: name for name, value in secret_values(config).items()}
        for entry in self._entries.values():
            if entry.id != config.id:
                for value in secret_values(entry.config).values():
                    if value in own:
                        return own[value], entry.id
        return None


def secret_values(config: ChannelConfig) -> dict[str, str]:
    """The channel's secrets that are set, by key. Who holds one speaks for everybody there."""
    named = {name: value.get_secret_value() for name, value in config if isinstance(value, SecretStr)}
    return {name: value for name, value in named.items() if value}


def known_secrets(configs: Iterable[ChannelConfig]) -> list[str]:
    """Values that no log line may carry."""
    return [value for config in configs for value in secret_values(config).values()]
