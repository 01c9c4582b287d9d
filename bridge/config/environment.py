"""`${NAME}` in string values: taken from the environment. `$${` stands for `${` itself."""

import re
from collections.abc import Mapping
from typing import Any, Final

from bridge.config.errors import Fault, KeyPath

_REFERENCE = re.compile(r"(\$?)\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\})?")
_NO_NAME: Final = "has a ${ without the name of a variable: write ${NAME}, or $${ for the characters themselves"
SECRETS: Final = frozenset(
    {
        *("api_key", "admin_token", "secret", "token", "bot_token", "app_token", "signing_secret"),
        *("app_secret", "encrypt_key", "verification_token"),
    }
)
"""Keys of secrets. Whoever takes one from the environment means it to be there: an empty variable is a mistake."""


class Taken(str):
    """A value that is a variable as a whole: there a number or a yes or no can only be written as text."""

    __slots__ = ()


class NotSet(Exception):
    """A value names an environment variable that is not set, or cannot be read as one."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.problem)
        self.fault = fault


def filled(value: Any, environment: Mapping[str, str], path: KeyPath = ()) -> Any:
    """The parsed file with all references replaced. Raises NotSet."""
    if isinstance(value, dict):
        return {key: filled(item, environment, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, environment, (*path, index)) for index, item in enumerate(value)]
    return _text(value, environment, path) if isinstance(value, str) else value


def _text(value: str, environment: Mapping[str, str], path: KeyPath) -> str:
    def replacement(found: re.Match[str]) -> str:
        escape, name = found.groups()
        if escape:
            return found[0][1:]
        if problem := _problem(name, environment, path):
            raise NotSet(Fault(path=path, problem=problem))
        return environment[name]

    text = _REFERENCE.sub(replacement, value)
    return Taken(text) if _REFERENCE.fullmatch(value) else text


def _problem(name: str | None, environment: Mapping[str, str], path: KeyPath) -> str:
    if name is None:
        return _NO_NAME
    if name not in environment:
        return f"environment variable {name} is not set"
    if path[-1] in SECRETS and not environment[name].strip():
        return f"environment variable {name} is empty"
    return ""
