"""The kinds of values that keys take. Messages say what is wanted and never repeat what was given."""

import base64
import binascii
import re
import tomllib
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr, Strict, StringConstraints

from bridge.config.environment import Taken

_BOT_TOKEN = re.compile(r"[0-9]{1,16}:[A-Za-z0-9_-]+")


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def words_of(value: object) -> object:
    """A single word where a list of words is wanted."""
    return [value] if isinstance(value, str) else value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    return value


def _not_empty(value: SecretStr) -> SecretStr:
    _not_blank(value.get_secret_value())
    return value


def _signing_key(value: SecretStr) -> SecretStr:
    text = value.get_secret_value()
    try:
        key = base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not text.startswith("whsec_") or not key:
        raise ValueError("must be whsec_ and the base64 of a random key (for example of 32 bytes)")
    return value


def _bot_token(value: SecretStr) -> SecretStr:
    if not _BOT_TOKEN.fullmatch(value.get_secret_value()):
        raise ValueError("must be a bot token as @BotFather gives it (digits:letters)")
    return value


def _http_url(value: str) -> str:
    if value and not _is_url(value, "http", "https"):
        raise ValueError("must be a URL that begins with http:// or https://")
    return value


def _public_url(value: str) -> str:
    if value and not _is_secure(value):
        raise ValueError("must be an https:// URL (http:// only for this machine)")
    return value.rstrip("/")


def _feishu_domain(value: str) -> str:
    if value not in ("feishu", "lark") and not _is_secure(value):
        raise ValueError("must be feishu, lark or an https:// URL (http:// only for this machine)")
    return value


def _store_url(value: SecretStr) -> SecretStr:
    text = value.get_secret_value()
    if text and not _is_url(text, "postgresql", "postgres"):
        raise ValueError("must be postgresql://user:password@host/database, or empty for SQLite")
    return value


def _is_url(value: str, *schemes: str) -> bool:
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        return False
    return parts.scheme in schemes and bool(parts.netloc)


def _is_secure(value: str) -> bool:
    return _is_url(value, "https") or (_is_url(value, "http") and is_loopback(urlsplit(value).hostname or ""))


def _platform_id(value: Any) -> Any:
    """Platforms number their users and chats: an id may be written with or without quotes."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _as_toml(value: Any) -> Any:
    """Variables have no types: what one of them says is read as if it stood in the file without quotes."""
    if not isinstance(value, Taken):
        return value
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value


Flag = Annotated[bool, Strict(), BeforeValidator(_as_toml)]
Number = Annotated[int, Strict(), BeforeValidator(_as_toml)]
Seconds = Annotated[float, Strict(), BeforeValidator(_as_toml)]
"""A whole number will do for seconds; what only looks like a number, or like true, will not."""

AgentId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
ChannelId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
PlatformId = Annotated[str, BeforeValidator(_platform_id), AfterValidator(_not_blank)]
RequiredText = Annotated[str, AfterValidator(_not_blank)]
RequiredSecret = Annotated[SecretStr, AfterValidator(_not_empty)]
BotToken = Annotated[SecretStr, AfterValidator(_bot_token)]
WebhookSecret = Annotated[SecretStr, AfterValidator(_signing_key)]
Address = Annotated[str, AfterValidator(_http_url)]
PublicUrl = Annotated[str, AfterValidator(_public_url)]
FeishuDomain = Annotated[str, AfterValidator(_feishu_domain)]
StoreUrl = Annotated[SecretStr, AfterValidator(_store_url)]
