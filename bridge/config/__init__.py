"""The configuration: `config.toml` read strictly, or the built-in demo."""

from bridge.config.errors import ConfigError
from bridge.config.file import find_config, load_config
from bridge.config.schema import (
    AgentConfig,
    ChannelBase,
    ChannelConfig,
    Config,
    FeishuChannel,
    McpConfig,
    ModelConfig,
    ServerConfig,
    SlackChannel,
    StoreConfig,
    TeamConfig,
    TelegramChannel,
    WebhookChannel,
)

__all__ = [
    "AgentConfig",
    "ChannelBase",
    "ChannelConfig",
    "Config",
    "ConfigError",
    "FeishuChannel",
    "McpConfig",
    "ModelConfig",
    "ServerConfig",
    "SlackChannel",
    "StoreConfig",
    "TeamConfig",
    "TelegramChannel",
    "WebhookChannel",
    "find_config",
    "load_config",
]
