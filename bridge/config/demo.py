"""What runs without a config.toml: a team of three experts on the offline model, and a signed webhook to reach it."""

import base64
import contextlib
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import Final

from pydantic import SecretStr, ValidationError

from bridge.config.errors import ConfigError
from bridge.config.language import Locale
from bridge.config.presets import DEMO
from bridge.config.schema import AgentConfig, Config, ModelConfig, TeamConfig, WebhookChannel
from bridge.datadir import make_data_dir

SECRET_FILE: Final = "demo-hook.secret"  # noqa: S105 - a file name
_WELCOMES: Final = {
    "zh-CN": "你好！把要做的事告诉我，我来请合适的专家处理。",
    "en": "Hello! Tell me what you want to do, and I will ask the right experts.",
}


def demo_config(data_dir: Path, locale: Locale = "zh-CN") -> Config:
    """The demo, which keeps everything in `data_dir`. Raises ConfigError if that cannot be written."""
    hook = _hook(data_dir / SECRET_FILE)
    cast = DEMO[locale]
    experts = tuple(AgentConfig.model_validate(asdict(expert)) for expert in cast.experts)
    team = TeamConfig(
        id=cast.id,
        name=cast.name,
        description=cast.description,
        members=tuple(expert.id for expert in experts),
        welcome=_WELCOMES[locale],
    )
    return Config(
        locale=locale,
        default_model="demo",
        small_model="demo",
        data_dir=data_dir,
        models={"demo": ModelConfig(provider="scripted")},
        agents=experts,
        teams=(team,),
        channels=(hook,),
    )


def _hook(secret_file: Path) -> WebhookChannel:
    """A channel that everybody who knows the secret may use, in every chat."""
    try:
        return WebhookChannel(
            id="hook",
            platform="webhook",
            agent=DEMO["en"].id,
            secret=_kept_secret(secret_file),
            access="open",
            groups="all",
            allow_chats=("*",),
        )
    except ValidationError:
        raise ConfigError(f"{secret_file}: holds no usable secret; delete it and a new one is made") from None


def _kept_secret(path: Path) -> SecretStr:
    """The secret in `path`, made at the first start."""
    try:
        if not path.exists():
            make_data_dir(path.parent)
            _keep(path, f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}")
        return SecretStr(path.read_text(encoding="utf-8", errors="replace").strip())
    except OSError as fault:
        raise ConfigError(f"{path}: cannot be used: {fault.strerror}") from None


def _keep(path: Path, secret: str) -> None:
    """Appears complete or not at all; if another process was faster, its secret stays."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(f"{secret}\n", encoding="utf-8")
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()
