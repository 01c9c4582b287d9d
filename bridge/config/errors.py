"""What is wrong with a configuration, as one sentence that says where."""

import re
from dataclasses import dataclass

KeyPath = tuple[str | int, ...]
"""Where a value stands: `("channels", 0, "token")`."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class ConfigError(Exception):
    """The owner must change the configuration. The text is one line: file, key path, problem."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One problem at one place of the file; an empty path means the file as a whole."""

    path: KeyPath
    problem: str

    def named(self, source: str) -> ConfigError:
        """The same as an error that also names the file."""
        parts = [source, shown(self.path), self.problem]
        return ConfigError(" ".join(": ".join(part for part in parts if part).split()))


def shown(path: KeyPath) -> str:
    """The path as people write it: `channels[0].token`."""
    return "".join(_step(step) for step in path).removeprefix(".")


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _BARE_KEY.fullmatch(step) else f'."{step}"'
