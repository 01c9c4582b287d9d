"""Markdown as models write it, and worse: every word that must stay readable is a number of its own."""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

WORD = re.compile(r"w\d+q")
_FILLER = (
    "的",
    "一段话，",
    "word ",
    "naïve ",
    "👩‍👩‍👧 ",
    "e\u0301",
    "😀",
    "مرحبا ",
    "@ann ",
    "<b>",
    "a_b_c ",
    "$5 ",
    "# ",
    "| ",
)
_TARGETS = ("https://a.io/x", "./src/a.py", "http://localhost:1/x", "mailto:a@b.c", "javascript:x", "tg://u", "")
_LANGUAGES = ("", "python", "sh", "c++ title=x", "text")
_JUNK = (
    "\x00",
    "\ud800",
    "\u2028",
    "\u200b",
    "\r\n",
    "\t",
    "<!channel>",
    "<at id=all></at>",
    "```",
    "~~~",
    "**",
    "](",
    "`",
    "\\",
)


@dataclass(kw_only=True)
class Draft:
    """A text under way. `code` are the words that stand in code blocks."""

    dice: random.Random
    words: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)

    def word(self) -> str:
        self.words.append(f"w{len(self.words)}q")
        return self.words[-1]

    def phrase(self, most: int = 8) -> str:
        """A few words with something between them."""
        return "".join(f"{self.word()} {self.dice.choice(_FILLER)}" for _ in range(self.dice.randint(1, most))).strip()

    def inline(self) -> str:
        """A sentence in which some words are formatted."""
        return " ".join(self.dice.choice(_INLINE)(self) for _ in range(self.dice.randint(1, 4)))


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A text, its words in their order, and those that stand in code blocks."""

    text: str
    words: tuple[str, ...]
    code: frozenset[str]


def draw_text(dice: random.Random) -> Sample:
    """Mostly short, now and then as long as several messages."""
    draft = Draft(dice=dice)
    (most,) = dice.choices((3, 12, 90), (80, 19, 1))
    blocks = [dice.choice(_BLOCKS)(draft) for _ in range(dice.randint(1, most))]
    return Sample(text="\n\n".join(blocks), words=tuple(draft.words), code=frozenset(draft.code))


def draw_junk(dice: random.Random) -> str:
    """Anything: marks that nobody closed, halves of characters, text of every script."""
    pieces = (*_JUNK, *_FILLER, "\n", "\n\n", "- ", "> ", "1. ", "[a](", "x" * 300)
    return "".join(dice.choice(pieces) for _ in range(dice.randint(0, 60)))


def _fence(draft: Draft) -> str:
    mark = draft.dice.choice(("```", "```", "````", "~~~"))
    first = len(draft.words)
    lines = [f"{'  ' * draft.dice.randint(0, 2)}{draft.word()} = {draft.word()}" for _ in range(_size(draft))]
    draft.code += draft.words[first:]
    return "\n".join([f"{mark}{draft.dice.choice(_LANGUAGES)}", *lines, mark])


def _table(draft: Draft) -> str:
    columns = draft.dice.randint(1, 4)
    rows = [f"| {' | '.join(draft.word() for _ in range(columns))} |" for _ in range(_size(draft) + 1)]
    return "\n".join([rows[0], f"|{'---|' * columns}", *rows[1:]])


def _list(draft: Draft) -> str:
    mark: Callable[[int], str] = draft.dice.choice((lambda n: "-", lambda n: "*", lambda n: f"{n}."))
    return "\n".join(
        f"{'    ' * draft.dice.randint(0, 1)}{mark(number)} {draft.inline()}" for number in range(1, _size(draft) + 1)
    )


def _quote(draft: Draft) -> str:
    return "\n".join(f"> {draft.inline()}" for _ in range(draft.dice.randint(1, 4)))


def _size(draft: Draft) -> int:
    (most,) = draft.dice.choices((4, 30, 150), (80, 17, 3))
    return draft.dice.randint(1, most)


_INLINE: tuple[Callable[[Draft], str], ...] = (
    lambda draft: draft.phrase(),
    lambda draft: draft.phrase(),
    lambda draft: f"**{draft.word()}**",
    lambda draft: f"*{draft.word()}* ~~{draft.word()}~~",
    lambda draft: f"`{draft.word()}`",
    lambda draft: f"[{draft.word()}]({draft.dice.choice(_TARGETS)})",
    lambda draft: f"<{draft.word()}> & {draft.word()}",
)
_BLOCKS: tuple[Callable[[Draft], str], ...] = (
    Draft.inline,
    Draft.inline,
    lambda draft: f"{'#' * draft.dice.randint(1, 4)} {draft.inline()}",
    lambda draft: draft.phrase(120),
    lambda draft: f"{draft.inline()}\n{draft.inline()}",
    _fence,
    _table,
    _list,
    _quote,
    lambda draft: "---",
)


def lost_words(sample: Sample, shown: str) -> list[str]:
    """Words that are nowhere, and those that come before their turn."""
    seen = list(dict.fromkeys(WORD.findall(shown)))
    missing = [word for word in sample.words if word not in set(seen)]
    return missing or list(_misplaced(sample.words, seen))


def _misplaced(words: tuple[str, ...], seen: list[str]) -> Iterator[str]:
    order: Mapping[str, int] = {word: index for index, word in enumerate(words)}
    highest = -1
    for word in seen:
        if order.get(word, -1) < highest:
            yield f"{word} out of order"
        highest = max(highest, order.get(word, -1))
