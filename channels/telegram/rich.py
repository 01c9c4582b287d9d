"""Text with Telegram's entities, and Markdown turned into it. Pure.

Entities instead of a parse mode: nothing has to be escaped, nothing can fail to parse, and the plain form of a message
is the same text without its list. Offsets and lengths are in UTF-16 code units.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Final

import pyromark
from telegram import MessageEntity
from telegramify_markdown import RenderConfig, convert, split_entities
from telegramify_markdown import entity as library
from telegramify_markdown.converter import STANDARD_OPTIONS

from channels.telegram.links import is_link
from channels.telegram.tables import align_tables
from channels.telegram.utf16 import piece, storable, units

MOST_UNITS: Final = 4096
MOST_ENTITIES: Final = 100
"""Telegram silently drops the formatting of everything beyond."""

_SMALLEST: Final = 64
_CODE: Final = ("code", "pre")
_MENTION: Final = re.compile(r"(?<![A-Za-z0-9_@.+-])@(?=[A-Za-z])")
_WORD_JOINER: Final = "\u2060"
"""Behind an at sign it reads the same and rings nobody."""

_PASSES: Final = 8
_SIGNS: Final = {"InlineHtml": b"<", "Html": b"<", "InlineMath": b"$", "DisplayMath": b"$"}
"""What marks begin with that Telegram has no form for."""


def _configured() -> RenderConfig:
    config = RenderConfig.isolated()
    for level in range(1, 7):
        setattr(config.markdown_symbol, f"heading_level_{level}", "")
    config.markdown_symbol.unordered_list_item = "•"
    config.markdown_symbol.image = ""
    config.markdown_symbol.task_uncompleted = "☐"
    config.cite_expandable = False
    return config


_CONFIG: Final = _configured()


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A stretch of formatted text."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None

    @property
    def end(self) -> int:
        return self.offset + self.length

    def moved(self, by: int) -> "Entity":
        return replace(self, offset=self.offset + by)

    def grown(self, at: int, by: int) -> "Entity":
        """As it stands after `by` units were put in at `at`: what begins there moves, what ends there stays."""
        if at <= self.offset:
            return self.moved(by)
        return replace(self, length=self.length + by) if at < self.end else self


@dataclass(frozen=True, kw_only=True)
class Rich:
    """A text and how it looks."""

    text: str = ""
    entities: tuple[Entity, ...] = ()

    def __add__(self, other: "Rich") -> "Rich":
        moved = tuple(entity.moved(units(self.text)) for entity in other.entities)
        return Rich(text=self.text + other.text, entities=self.entities + moved)

    @property
    def units(self) -> int:
        return units(self.text)

    def insert(self, at: int, text: str) -> "Rich":
        """With `text` put in at so many units."""
        before, after = piece(self.text, 0, at), piece(self.text, at, self.units - at)
        entities = tuple(entity.grown(at, units(text)) for entity in self.entities)
        return Rich(text=before + text + after, entities=entities)

    def wire(self) -> list[MessageEntity]:
        """The entities as the Bot API takes them."""
        return [
            MessageEntity(type=each.type, offset=each.offset, length=each.length, url=each.url, language=each.language)
            for each in self.entities
        ]


def bold(text: str) -> Rich:
    """Bold but for the white space at its end, which Telegram would cut off."""
    length = units(text.rstrip())
    return Rich(text=text, entities=(Entity(type="bold", offset=0, length=length),) if length else ())


def from_markdown(markdown: str) -> Rich:
    """Everything of the text, formatted as far as Telegram can; trimmed at both ends, as Telegram does."""
    source = storable(markdown).replace("\r\n", "\n").replace("\r", "\n")
    text, entities = convert(_literal(align_tables(source)), latex_escape=False, config=_CONFIG)
    rich = Rich(text=text, entities=tuple(map(_entity, entities)))
    return reduce(lambda made, step: step(made), _STEPS, rich)


def split(rich: Rich, limit: int = MOST_UNITS) -> tuple[Rich, ...]:
    """Pieces that Telegram takes whole; none for a text of white space only."""
    return tuple(_split(rich, limit))


def _split(rich: Rich, limit: int) -> Iterator[Rich]:
    entities = [
        library.MessageEntity(each.type, each.offset, each.length, each.url, each.language) for each in rich.entities
    ]
    for text, inside in split_entities(rich.text, entities, limit):
        part = trimmed(Rich(text=text, entities=tuple(map(_entity, inside))))
        if len(part.entities) > MOST_ENTITIES and part.units > _SMALLEST:
            yield from _split(part, max(_SMALLEST, part.units // 2 + 1))
        else:
            yield replace(part, entities=part.entities[:MOST_ENTITIES])


def trimmed(rich: Rich) -> Rich:
    """Without white space at the ends, entities cut to what is left."""
    front = units(rich.text) - units(rich.text.lstrip())
    text = rich.text.strip()
    last = units(text)
    cut = (_clipped(entity.moved(-front), last) for entity in rich.entities)
    return Rich(text=text, entities=tuple(entity for entity in cut if entity.length > 0))


def _clipped(entity: Entity, last: int) -> Entity:
    start, end = max(entity.offset, 0), min(entity.end, last)
    return replace(entity, offset=start, length=end - start)


def _entity(made: library.MessageEntity) -> Entity:
    return Entity(type=made.type, offset=made.offset, length=made.length, url=made.url, language=made.language)


def _literal(markdown: str) -> str:
    """The library leaves raw HTML out and takes prices for formulas; escaped they stay as text.

    Each pass may uncover more.
    """
    for _ in range(_PASSES):
        marks = _unwanted_marks(markdown)
        if not marks:
            break
        source = markdown.encode()
        places = [0, *sorted(marks), len(source)]
        markdown = b"\\".join(source[a:b] for a, b in pairwise(places)).decode()
    return markdown


def _unwanted_marks(markdown: str) -> set[int]:
    """The bytes at which a tag or a formula begins or ends."""
    source, marks = markdown.encode(), set[int]()
    for event, span in pyromark.events_with_range(markdown, options=STANDARD_OPTIONS):
        sign = _SIGNS.get(next(iter(event))) if isinstance(event, dict) else None
        marks.update(at for at in range(span["start"], span["end"]) if source[at : at + 1] == sign)
    return marks


def _checked_links(rich: Rich) -> Rich:
    """A link that Telegram would refuse becomes its label and its target in brackets."""
    for entity in sorted(rich.entities, key=lambda each: each.end, reverse=True):
        if entity.type != "text_link" or is_link(entity.url or ""):
            continue
        label = piece(rich.text, entity.offset, entity.length)
        rich = replace(rich, entities=tuple(each for each in rich.entities if each is not entity))
        if entity.url and entity.url != label:
            rich = rich.insert(entity.end, f" ({entity.url})")
    return rich


def _code_on_own_lines(rich: Rich) -> Rich:
    """The library glues a code block to the list item before it."""
    for entity in sorted(rich.entities, key=lambda each: each.offset, reverse=True):
        if entity.type == "pre" and entity.offset > 0 and piece(rich.text, entity.offset - 1, 1) != "\n":
            rich = rich.insert(entity.offset, "\n")
    return rich


def _defused(rich: Rich) -> Rich:
    """Nobody is rung by what a model writes (X6): Telegram links @names by itself, but not in code."""
    places = [units(rich.text[: found.start()]) for found in _MENTION.finditer(rich.text)] if "@" in rich.text else []
    code = [(entity.offset, entity.end) for entity in rich.entities if entity.type in _CODE]
    for at in reversed(places):
        if not any(start <= at < end for start, end in code):
            rich = rich.insert(at + 1, _WORD_JOINER)
    return rich


def _plain_headings(rich: Rich) -> Rich:
    """Bold is enough for a heading."""
    bolds = {(entity.offset, entity.length) for entity in rich.entities if entity.type == "bold"}
    kept = (e for e in rich.entities if not (e.type == "underline" and (e.offset, e.length) in bolds))
    return replace(rich, entities=tuple(kept))


def _bars(rich: Rich) -> Rich:
    """Two bars are an operator more often than a secret: they stay, and hide nothing."""
    for entity in sorted(rich.entities, key=lambda each: each.end, reverse=True):
        if entity.type == "spoiler":
            rich = replace(rich, entities=tuple(each for each in rich.entities if each is not entity))
            rich = rich.insert(entity.end, "||").insert(entity.offset, "||")
    return rich


_STEPS: Final[tuple[Callable[[Rich], Rich], ...]] = (
    _bars,
    _checked_links,
    _code_on_own_lines,
    _defused,
    _plain_headings,
    trimmed,
)
"""What the library leaves to do."""


def join(parts: Sequence[Rich]) -> Rich:
    """The parts one after the other."""
    return reduce(lambda one, other: one + other, parts, Rich())
