"""How a command fails: one line on stderr, and an exit code."""

from typing import Final

FAILED: Final = 1
BAD_INPUT: Final = 2


class CommandError(Exception):
    """The command cannot be done; the text is one sentence, `code` the exit code (2: what was asked is wrong)."""

    def __init__(self, sentence: str, code: int = BAD_INPUT) -> None:
        super().__init__(sentence)
        self.code = code
