"""The language of whoever starts the program, where no file names one."""

from collections.abc import Mapping
from typing import Final, Literal

Locale = Literal["zh-CN", "en"]

_NAMED_BY: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
_NO_LANGUAGE: Final = ("", "C", "POSIX")


def own_language(environment: Mapping[str, str]) -> Locale | None:
    """Chinese, or English for whoever speaks any other language; None if the environment names none."""
    named = next((environment[name] for name in _NAMED_BY if environment.get(name)), "")
    language = named.partition(".")[0]
    if language in _NO_LANGUAGE:
        return None
    return "zh-CN" if language.startswith("zh") else "en"
