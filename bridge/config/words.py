"""The words for what the schema refuses."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from bridge.config.errors import Fault, KeyPath
from bridge.config.schema import (
    AgentConfig,
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

TABLES: Final[Mapping[str, type[BaseModel]]] = {
    "server": ServerConfig,
    "store": StoreConfig,
    "models": ModelConfig,
    "agents": AgentConfig,
    "mcp": McpConfig,
    "teams": TeamConfig,
}
PLATFORMS: Final[Mapping[str, type[BaseModel]]] = {
    "feishu": FeishuChannel,
    "slack": SlackChannel,
    "telegram": TelegramChannel,
    "webhook": WebhookChannel,
}
_UNKNOWN_KEY: Final = "extra_forbidden"
_PLATFORM_FAULTS: Final = ("union_tag_not_found", "union_tag_invalid")
_WORDS: Final = {
    "missing": "is missing",
    "string_type": "must be a text in quotes",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "tuple_type": "must be a list (of tables: with double brackets)",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "path_type": "must be a text in quotes",
    "literal_error": "must be {expected}",
    "string_pattern_mismatch": "must match {pattern}",
    "greater_than": "must be greater than {gt:g}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "value_error": "{error}",
    "union_tag_not_found": "is missing: feishu, slack, telegram or webhook",
    "union_tag_invalid": "must be feishu, slack, telegram or webhook",
}


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean "x"?` with the known word most like `word`, or nothing if none is known."""
    best = difflib.get_close_matches(word, list(known), n=1, cutoff=0.0)
    return f'; did you mean "{best[0]}"?' if best else ""


def fault_in(error: ValidationError) -> Fault:
    """The one fault to tell. A misspelt key comes first: it explains the missing one."""
    details = error.errors(include_url=False, include_input=False)
    first = min(details, key=lambda detail: detail["type"] != _UNKNOWN_KEY)
    if first["type"] == _UNKNOWN_KEY:
        return _unknown_key(first["loc"])
    words = _WORDS.get(first["type"], first["msg"])
    problem = words.format_map({name: str(value) if name == "error" else value for name, value in _context(first)})
    return Fault(path=_path(first["loc"], first["type"]), problem=problem)


def _context(detail: Any) -> Iterable[tuple[str, Any]]:
    context: dict[str, Any] = detail.get("ctx", {})
    return context.items()


def _unknown_key(location: KeyPath) -> Fault:
    key = str(location[-1])
    return Fault(path=_path(location), problem=f"unknown key{nearest(key, _table_at(location).model_fields)}")


def _table_at(location: KeyPath) -> type[BaseModel]:
    if len(location) == 1:
        return Config
    if location[0] == "channels":
        return PLATFORMS[str(location[2])]
    return TABLES[str(location[0])]


def _path(location: KeyPath, kind: str = "") -> KeyPath:
    """Where the value stands in the file: pydantic puts the platform into the location of a channel's key."""
    if location[:1] == ("channels",):
        location = (*location[:2], *location[3:])
    return (*location, "platform") if kind in _PLATFORM_FAULTS else location
