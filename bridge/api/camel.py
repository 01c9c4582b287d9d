"""The one case-converting layer of `/v1`: keys come in as camelCase or snake_case and leave as camelCase."""

import re
from typing import Any, Final

_TO_CAMEL: Final = {"project_id": "projectKey"}
_TO_SNAKE: Final = {"projectKey": "project_id"}
_HUMP: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")
_SNAKE: Final = re.compile(r"(?<=[a-z0-9])_([a-z0-9])")


def camel(key: str) -> str:
    return _TO_CAMEL.get(key) or _SNAKE.sub(lambda found: found[1].upper(), key)


def snake(key: str) -> str:
    return _TO_SNAKE.get(key) or _HUMP.sub(lambda found: "_" + found[1].lower(), key)


def camel_keys(value: Any) -> Any:
    """The same value with every key in camelCase; values stay as they are."""
    if isinstance(value, dict):
        return {camel(key): camel_keys(one) for key, one in value.items()}
    return [camel_keys(one) for one in value] if isinstance(value, list) else value


def snake_keys(value: Any) -> Any:
    """The same value with every key in snake_case."""
    if isinstance(value, dict):
        return {snake(key): snake_keys(one) for key, one in value.items()}
    return [snake_keys(one) for one in value] if isinstance(value, list) else value
