"""Reasoning that a model writes into its text: servers at home often leave the tags in."""

from typing import Final

OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class Untagged:
    """Leaves out what stands between the tags at the beginning of a text that comes in chunks.

    Nobody is shown it and no model needs it again. A tag may be cut anywhere.
    """

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._past = False

    def words(self, text: str) -> str:
        """What is known to be no reasoning of all that came so far."""
        if self._past:
            return text
        self._held += text
        return self._behind() if self._inside else self._beginning()

    def rest(self) -> str:
        """The stream is over: what was held back because it looked like the beginning of a tag."""
        return "" if self._inside or self._past else self._held

    def _beginning(self) -> str:
        start = self._held.lstrip()
        if OPEN.startswith(start):
            return ""
        if start.startswith(OPEN):
            self._inside, self._held = True, start.removeprefix(OPEN)
            return self._behind()
        return self._pass(self._held)

    def _behind(self) -> str:
        _, tag, words = self._held.partition(CLOSE)
        if tag:
            return self._pass(words)
        self._held = self._held[1 - len(CLOSE) :]
        return ""

    def _pass(self, words: str) -> str:
        self._past, self._held = True, ""
        return words
