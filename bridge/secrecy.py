"""What must never stand in a log: secrets, found by their name, their shape, or because the program knows them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

HIDDEN: Final = "[hidden]"

_NAMES: Final = re.compile(
    r"(?:^|[_.-])(?:token|secret|password|passwd|api_?key|authorization|cookie|signature|encrypt_key|pairing_code|login_code)$",
    re.IGNORECASE,
)
_SHAPES: Final = (
    re.compile(r"whsec_[A-Za-z0-9+/=_-]{8,}"),
    re.compile(r"\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}"),
    re.compile(r"\bsk-[A-Za-z0-9_-]{8,}"),
    re.compile(r"(?<!\d)\d{6,12}:[A-Za-z0-9_-]{30,}"),
    re.compile(r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
    re.compile(r"(?<=[?&]code=)[^&\s]+"),
    re.compile(r"(?<=[?&]token=)[^&\s]+"),
)
_SHORTEST: Final = 6


class Redactor:
    """Takes secrets out of log entries. `known` are values of the configuration; shorter than 6 they say nothing."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known: set[str] = set()
        self.learn(known)

    def learn(self, secrets: Iterable[str]) -> None:
        """Never show these values either."""
        self._known.update(secret for secret in secrets if len(secret) >= _SHORTEST)

    def clean(self, value: Any) -> Any:
        """The value without its secrets; what is neither text nor a collection stays what it is."""
        match value:
            case str():
                return self._clean_text(value)
            case Mapping():
                return {key: self._clean_item(str(key), item) for key, item in value.items()}
            case list() | tuple() | set() | frozenset():
                return [self.clean(item) for item in value]
            case None | bool() | int() | float():
                return value
            case _:
                return self._clean_text(str(value))

    def __call__(self, _logger: Any, _method: str, entry: Any) -> Any:
        """A structlog processor."""
        return self.clean(entry)

    def _clean_item(self, name: str, value: Any) -> Any:
        return HIDDEN if value and _NAMES.search(name) else self.clean(value)

    def _clean_text(self, text: str) -> str:
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        for shape in _SHAPES:
            text = shape.sub(HIDDEN, text)
        return text
