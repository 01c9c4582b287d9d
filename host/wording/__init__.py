"""The words that models are told, in both languages. Which of them are used, and when, is decided in `host.prompts`."""

from host.wording.chinese import CHINESE
from host.wording.english import ENGLISH
from host.wording.words import Words

__all__ = ["Words", "words_in"]


def words_in(locale: str) -> Words:
    """The words for a locale of the configuration: "zh-CN", else English."""
    return CHINESE if locale == "zh-CN" else ENGLISH
