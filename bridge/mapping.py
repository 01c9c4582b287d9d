"""What the parts are given of the configuration: each its own small value, never the whole file."""

from collections.abc import Sequence
from typing import Final

from bridge.api.parts import Settings
from bridge.config import Config, McpConfig
from bridge.lineup import known_secrets
from host.mcp.spec import ServerSpec
from host.models.spec import ModelSpec

OWNER: Final = "owner"
"""The user who owns the instance."""


def model_specs(config: Config) -> Sequence[ModelSpec]:
    return [
        ModelSpec(
            name=name,
            provider=each.provider,
            model=each.model,
            base_url=each.base_url,
            api_key=each.api_key.get_secret_value(),
            timeout=each.timeout,
            vision=each.vision,
        )
        for name, each in config.models.items()
    ]


def server_specs(config: Config) -> Sequence[ServerSpec]:
    return [server_spec(name, server) for name, server in config.mcp.items()]


def server_spec(name: str, server: McpConfig) -> ServerSpec:
    return ServerSpec(
        name=name,
        command=server.command,
        url=server.url,
        env={key: value.get_secret_value() for key, value in server.env.items()},
        headers={key: value.get_secret_value() for key, value in server.headers.items()},
        approval=server.approval,
    )


def api_settings(config: Config, *, port: int, run_token: str) -> Settings:
    """`port` is the one that is really listened on."""
    return Settings(
        locale=config.locale,
        host=config.server.host,
        port=port,
        public_url=config.server.public_url,
        admin_token=config.server.admin_token.get_secret_value(),
        run_token=run_token,
        owner_id=OWNER,
    )


def secrets_of(config: Config) -> Sequence[str]:
    """Values that no log line may carry."""
    return [
        config.server.admin_token.get_secret_value(),
        *(each.api_key.get_secret_value() for each in config.models.values()),
        *known_secrets(config.channels),
        *(
            value.get_secret_value()
            for each in config.mcp.values()
            for value in (*each.env.values(), *each.headers.values())
        ),
    ]
