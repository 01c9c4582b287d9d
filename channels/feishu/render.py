"""A message → the platform's forms of it, from the most beautiful to the plainest. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from channels.feishu.card import Header, Place, button, card, colour_of, dumped, markdown, plain, title_of, weight
from channels.feishu.inline import broken_tags
from channels.feishu.limits import LIMITS, MOST_BYTES, MOST_TABLES
from channels.feishu.markdown import card_markdown, clean, pieces, post_markdown, tables_in
from channels.types import MessageKind, OutboundMessage, Speaker

RESERVE: Final = 2_000
"""Bytes of a request besides the card's elements."""

EXCERPT: Final = 600
"""Characters that are shown of a text that comes as a file."""

_NUMBER: Final = re.compile(r"\s*\(\d+/\d+\)\s*$")
_UNFIT: Final = re.compile(r"[^\w-]+")


@dataclass(frozen=True, kw_only=True)
class Form:
    """One platform message: its `msg_type`, and its content as JSON."""

    kind: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """As much of a message as one card holds; `elements` are its pieces of Markdown, not made safe yet."""

    title: str
    elements: tuple[str, ...]
    is_last: bool = True

    @property
    def source(self) -> str:
        return "\n\n".join(self.elements)


def is_plain(message: OutboundMessage) -> bool:
    """Notices and short answers of the bridge itself need no card."""
    return message.kind in ("notice", "reply") and not message.actions and not message.label


def is_file(message: OutboundMessage) -> bool:
    """A text that the presenter left whole because it is a document."""
    return LIMITS.whole_above is not None and len(message.text.encode("utf-8", "replace")) > LIMITS.whole_above


def header_of(message: OutboundMessage) -> Header:
    """Who speaks, once; what a label says besides the name stands there too."""
    if message.speaker.role == "system" or message.kind == "notice":
        return Header(title="", colour="")
    made = speaker_header(message.speaker, message.label, message.kind)
    numbered = f" ({message.part}/{message.parts})" if message.parts > 1 else ""
    return replace(made, title=f"{made.title}{numbered}")


def speaker_header(speaker: Speaker, label: str, kind: MessageKind | None = None) -> Header:
    """A speaker's own header; a label that says more than the name takes its place."""
    bare = _NUMBER.sub("", label.strip()).strip().rstrip("：:").strip()
    colour = colour_of(speaker, kind)
    if not bare or bare == speaker.name:
        return Header(title=title_of(speaker), colour=colour)
    return Header(title=bare, colour=colour, subtitle=speaker.name if speaker.name not in bare else "")


def chunks(message: OutboundMessage) -> tuple[Chunk, ...]:
    """The message in the cards that it needs: mostly one."""
    title = header_of(message).title
    groups = list(_groups(pieces(message.text) or (" ",)))
    return tuple(
        Chunk(title=_counted(title, k, len(groups)), elements=tuple(group), is_last=k == len(groups))
        for k, group in enumerate(groups, 1)
    )


def _counted(title: str, k: int, count: int) -> str:
    return f"{title} ({k}/{count})".strip() if count > 1 else title


def _groups(elements: Sequence[str]) -> Iterator[list[str]]:
    """Elements that go into one card together: within its bytes, and its number of tables."""
    group: list[str] = []
    used = tables = 0
    for element in elements:
        size, count = weight(markdown(card_markdown(element))), tables_in(element)
        if group and (used + size > MOST_BYTES - RESERVE or tables + count > MOST_TABLES):
            yield group
            group, used, tables = [], 0, 0
        group.append(element)
        used, tables = used + size, tables + count
    yield group


def card_of(message: OutboundMessage, chunk: Chunk, *, safe: bool = False) -> dict[str, Any]:
    """The card of a chunk; `safe`: every character as it is, where the Markdown was refused."""
    shown = [plain(clean(each)) if safe else markdown(card_markdown(each)) for each in chunk.elements]
    place = Place(chat_id=message.chat_id, thread=message.thread)
    buttons: list[Mapping[str, Any]] = [
        button(action, place, f"b{index}", strong=index == 0)
        for index, action in enumerate(message.actions if chunk.is_last else ())
    ]
    header = header_of(message)
    titled = Header(title=chunk.title, colour=header.colour, subtitle=header.subtitle)
    return card(titled, [*shown, *buttons], summary=f"{chunk.title} {chunk.source}".strip())


def forms_of(message: OutboundMessage, chunk: Chunk) -> Iterator[Form]:
    """All forms of a chunk, from the most beautiful to the plainest."""
    if is_plain(message) and chunk.is_last:
        yield plain_form(message)
        return
    yield Form(kind="interactive", content=dumped(card_of(message, chunk)))
    yield post_form(chunk)
    yield text_form(chunk)


def post_form(chunk: Chunk) -> Form:
    """Rich text: the name as title, the words as Markdown of the smaller kind."""
    post = {"title": chunk.title, "content": [[{"tag": "md", "text": post_markdown(chunk.source) or " "}]]}
    return Form(kind="post", content=dumped({"zh_cn": post}))


def text_form(chunk: Chunk) -> Form:
    """Plain words."""
    return words_form("\n".join(each for each in (chunk.title, chunk.source) if each))


def words_form(words: str) -> Form:
    """Plain words, with nothing in them that rings anybody."""
    return Form(kind="text", content=dumped({"text": broken_tags(clean(words)) or " "}))


def plain_form(message: OutboundMessage) -> Form:
    """A notice, or what the bridge itself says: one line of text with its label."""
    return words_form(message.display_text)


def reference_form(card_id: str) -> Form:
    """A card that was made before it is shown."""
    return Form(kind="interactive", content=dumped({"type": "card", "data": {"card_id": card_id}}))


def file_form(file_key: str) -> Form:
    return Form(kind="file", content=dumped({"file_key": file_key}))


def image_form(image_key: str) -> Form:
    return Form(kind="image", content=dumped({"image_key": image_key}))


def divider_form(words: str) -> Form:
    """A line across a private chat: what comes below is new."""
    divider = {
        "type": "divider",
        "params": {"divider_text": {"text": words}},
        "options": {"need_rollup": True},
    }
    return Form(kind="system", content=dumped(divider))


def excerpt(message: OutboundMessage) -> Chunk:
    """The beginning of a text that comes as a file."""
    return Chunk(title=header_of(message).title, elements=(clean(message.text)[:EXCERPT] + " …",))


def file_name(message: OutboundMessage) -> str:
    name = _UNFIT.sub("_", message.speaker.name).strip("_") or "message"
    return f"{name}-{message.seq}.md"
