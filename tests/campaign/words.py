"""Sentences that can be found again: each begins with a token that occurs once in a case.

`ask3x` is question 3; `plan3L2x` the second line of what the host says to it before it dispatches, `answer3L1x` what it
answers by itself; `task3writerx` the writer's task sheet, `found3writerL1x` a line of the writer's result;
`wrapup7L1x` the host's conclusion in its seventh request. A torn token does not count: it has lost its last letter.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ASKED = re.compile(r"\bask(\d+)x\b")
TASKED = re.compile(r"\btask(\d+)([a-z]+)x\b")
SPOKEN = re.compile(r"\b(plan|answer|found|wrapup)(\d+)([a-z]*)L(\d+)x\b")
HALF = re.compile(r"\b(?:plan|answer|found|wrapup)\d+[a-z]*(?:L\d+)?(?![a-zL0-9])")


@dataclass(frozen=True, order=True, kw_only=True)
class Line:
    """One line of an utterance. `member` is "" for what the host says."""

    kind: str
    number: int
    member: str
    line: int

    def __str__(self) -> str:
        return f"{self.kind}{self.number}{self.member}L{self.line}x"

    @property
    def utterance(self) -> tuple[str, int, str]:
        return self.kind, self.number, self.member


def lines_in(text: str) -> list[Line]:
    """The lines whose tokens stand in the text, in their order."""
    found = SPOKEN.finditer(text)
    return [Line(kind=one[1], number=int(one[2]), member=one[3], line=int(one[4])) for one in found]


def lines_of(kind: str, number: int, count: int, member: str = "") -> list[Line]:
    return [Line(kind=kind, number=number, member=member, line=line) for line in range(1, count + 1)]


def spoken(lines: Iterable[Line], padding: int = 0) -> list[str]:
    """The lines as a model says them, one chunk each; `padding` characters make them long."""
    return [f"{line} {_WORDS[: padding + line.line % 7]}。\n\n" for line in lines]


def question(number: int) -> str:
    return f"ask{number}x 怎么样？"


def sheet(number: int, member: str) -> str:
    return f"task{number}{member}x 按分工完成"


def utterances(lines: Sequence[Line]) -> list[tuple[str, int, str]]:
    """Whose lines they are, each utterance once, in the order of its first line."""
    return list(dict.fromkeys(line.utterance for line in lines))


_WORDS = "这里是一段不长不短的文字 with some words in it, " * 60
