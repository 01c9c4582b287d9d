"""The shape of `config.toml`: every table, every key, its type and its default. How tables relate is in `rules`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from bridge.config.values import (
    Address,
    AgentId,
    BotToken,
    ChannelId,
    FeishuDomain,
    Flag,
    Number,
    PlatformId,
    PublicUrl,
    RequiredSecret,
    RequiredText,
    Seconds,
    StoreUrl,
    WebhookSecret,
    words_of,
)


class Section(BaseModel):
    """A table: unknown keys are errors, values are never shown in messages, nothing changes after loading."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class ServerConfig(Section):
    """Where the program listens, and how others reach it. Port 0 takes any free one."""

    host: RequiredText = "127.0.0.1"
    port: Number = Field(default=8765, ge=0, le=65535)
    public_url: PublicUrl = ""
    admin_token: SecretStr = SecretStr("")


class StoreConfig(Section):
    """The database; an empty `url` means a SQLite file in the data directory."""

    url: StoreUrl = SecretStr("")
    engine: Literal["embedded", "procrastinate"] = "embedded"


class ModelConfig(Section):
    """A language model. `timeout` is in seconds without a byte, `vision`: it is shown the pictures that people send."""

    provider: Literal["openai", "anthropic", "scripted"]
    model: str = ""
    base_url: Address = ""
    api_key: SecretStr = SecretStr("")
    timeout: Seconds = Field(default=120, gt=0, le=86_400)
    vision: Flag = False


class AgentConfig(Section):
    """An expert. Loading puts the text of `instructions_file` into `instructions`; an empty `model` is the default."""

    id: AgentId
    name: RequiredText = Field(default_factory=lambda known: known["id"])
    description: str = ""
    model: str = ""
    instructions: str = ""
    instructions_file: str = ""
    icon: str = ""
    visibility: Literal["private", "shared"] = "private"
    enabled: Flag = True
    client_visible: Flag = True
    cooperation: Flag = True
    tools: tuple[str, ...] = ()


class McpConfig(Section):
    """A tool server: started with `command` and `env`, or asked at `url` with `headers`.

    `approval` names tools that ask first; "*" is all of them.
    """

    command: Annotated[tuple[str, ...], BeforeValidator(words_of)] = ()
    url: Address = ""
    env: dict[str, SecretStr] = {}
    headers: dict[str, SecretStr] = {}
    approval: tuple[str, ...] = ()


class TeamConfig(Section):
    """A team of experts. Times are in seconds; an empty `model` is the default."""

    id: AgentId
    name: RequiredText = Field(default_factory=lambda known: known["id"])
    description: str = ""
    members: tuple[RequiredText, ...]
    model: str = ""
    wake: Literal["wave", "each"] = "wave"
    wave_timeout: Seconds = Field(default=120, gt=0, le=86_400)
    member_timeout: Seconds = Field(default=900, gt=0, le=86_400)
    guidelines: str = ""
    welcome: str = ""
    icon: str = ""


class ChannelBase(Section):
    """What every channel has. `rate_limit` is in messages a minute from one sender."""

    id: ChannelId
    agent: str
    access: Literal["pairing", "allowlist", "open"] = "pairing"
    allow: tuple[PlatformId, ...] = ()
    admins: tuple[PlatformId, ...] = ()
    groups: Literal["off", "mention", "all"] = "mention"
    allow_chats: tuple[PlatformId, ...] = ()
    response_mode: Literal["stream", "final"] = "stream"
    live: Flag = True
    notices: Flag = True
    rate_limit: Number = Field(default=120, ge=1)


class WebhookChannel(ChannelBase):
    """Signed requests both ways; without `callback_url` the other side fetches its messages."""

    platform: Literal["webhook"]
    secret: WebhookSecret
    callback_url: Address = ""


class TelegramChannel(ChannelBase):
    """A Telegram bot."""

    platform: Literal["telegram"]
    token: BotToken
    mode: Literal["polling", "webhook"] = "polling"
    base_url: Address = "https://api.telegram.org"


class SlackChannel(ChannelBase):
    """A Slack app: socket mode with `app_token`, else events over HTTP with `signing_secret`."""

    platform: Literal["slack"]
    bot_token: RequiredSecret
    app_token: SecretStr = SecretStr("")
    signing_secret: SecretStr = SecretStr("")
    base_url: Address = "https://slack.com/api/"


class FeishuChannel(ChannelBase):
    """A Feishu or Lark app, over a long connection or events over HTTP."""

    platform: Literal["feishu"]
    app_id: RequiredText
    app_secret: RequiredSecret
    domain: FeishuDomain = "feishu"
    mode: Literal["socket", "webhook"] = "socket"
    encrypt_key: SecretStr = SecretStr("")
    verification_token: SecretStr = SecretStr("")


ChannelConfig = Annotated[
    WebhookChannel | TelegramChannel | SlackChannel | FeishuChannel, Field(discriminator="platform")
]


class Config(Section):
    """Everything that can be configured.

    After loading `data_dir` is absolute, and `default_model` and `small_model` name a table of `models`
    (they are empty only if there is none).
    """

    locale: Literal["zh-CN", "en"] = "zh-CN"
    default_model: str = ""
    small_model: str = ""
    data_dir: Path = Path("data")
    server: ServerConfig = ServerConfig()
    store: StoreConfig = StoreConfig()
    models: dict[str, ModelConfig] = {}
    agents: tuple[AgentConfig, ...] = ()
    mcp: dict[str, McpConfig] = {}
    teams: tuple[TeamConfig, ...] = ()
    channels: tuple[ChannelConfig, ...] = ()

    @property
    def database_url(self) -> str:
        """The database to open: the configured one, or the SQLite file in the data directory."""
        return self.store.url.get_secret_value() or f"sqlite:///{self.data_dir / 'teambridge.db'}"
